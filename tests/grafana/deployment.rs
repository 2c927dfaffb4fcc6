//! compose.yml, Dockerfile and what is provisioned: names, ports and paths are the same in all of them. There is no
//! container engine here to try them with.

use std::collections::BTreeSet;

use super::{read, root, yaml};
use serde_json::Value;

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The mounts of a service: what is mounted where.
fn mounts(compose: &Value, service: &str) -> Vec<(String, String)> {
    let mounts = texts(&compose["services"][service]["volumes"]);
    let split = |mount: String| {
        let mut parts = mount.split(':').map(str::to_owned);
        (parts.next().unwrap(), parts.next().unwrap())
    };
    mounts.into_iter().map(split).collect()
}

/// The path on this machine that a service finds at `path`.
fn behind(compose: &Value, service: &str, path: &str) -> Option<String> {
    let of = |(here, there): (String, String)| Some(format!("{here}{}", path.strip_prefix(&*there)?));
    mounts(compose, service).into_iter().filter(|(here, _)| here.starts_with("./")).find_map(of)
}

fn port(compose: &Value, service: &str) -> String {
    let ports = texts(&compose["services"][service]["ports"]);
    let parts: Vec<&str> = ports[0].split(':').collect();
    assert_eq!((ports.len(), parts[0], parts[1]), (1, "127.0.0.1", parts[2]), "{service} is published elsewhere too");
    parts[2].to_owned()
}

#[test]
fn what_is_mounted_exists_and_volumes_are_declared() {
    let compose = yaml("compose.yml");
    let declared: BTreeSet<&String> = compose["volumes"].as_object().unwrap().keys().collect();
    for service in ["harvestman", "prometheus", "grafana"] {
        for (here, there) in mounts(&compose, service) {
            let is_there = if here.starts_with("./") { root().join(&here).exists() } else { declared.contains(&here) };
            assert!(is_there && there.starts_with('/'), "{service}: {here} is mounted at {there}");
        }
    }
}

#[test]
fn prometheus_finds_its_configuration_its_rules_and_the_crawl() {
    let compose = yaml("compose.yml");
    let config = yaml("grafana/prometheus.yml");
    let command = texts(&compose["services"]["prometheus"]["command"]);
    let file = command.iter().find_map(|flag| flag.strip_prefix("--config.file=")).unwrap();
    assert_eq!(behind(&compose, "prometheus", file).unwrap(), "./grafana/prometheus.yml");
    for rules in texts(&config["rule_files"]) {
        let beside = format!("{}/{rules}", file.rsplit_once('/').unwrap().0);
        let there = behind(&compose, "prometheus", beside.trim_end_matches("/*.yml")).unwrap();
        assert_eq!(there, "./grafana/rules");
    }
    let job = &config["scrape_configs"][0];
    assert_eq!(job["job_name"], "harvestman", "rules ask for this job");
    assert_eq!(texts(&job["static_configs"][0]["targets"]), [format!("harvestman:{}", port(&compose, "harvestman"))]);
}

#[test]
fn grafana_finds_its_data_source_and_its_dashboards() {
    let compose = yaml("compose.yml");
    let grafana = &compose["services"]["grafana"];
    assert_eq!(behind(&compose, "grafana", "/etc/grafana/provisioning").unwrap(), "./grafana/provisioning");
    let source = &yaml("grafana/provisioning/datasources/prometheus.yml")["datasources"][0];
    assert_eq!(source["url"], format!("http://prometheus:{}", port(&compose, "prometheus")));
    let interval = &yaml("grafana/prometheus.yml")["global"]["scrape_interval"];
    assert_eq!(&source["jsonData"]["timeInterval"], interval, "rates would be taken over too few scrapes");
    let provider = &yaml("grafana/provisioning/dashboards/harvestman.yml")["providers"][0];
    let path = provider["options"]["path"].as_str().unwrap();
    assert_eq!(behind(&compose, "grafana", path).unwrap(), "./grafana/dashboards");
    let home = grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"].as_str().unwrap();
    assert!(root().join(behind(&compose, "grafana", home).unwrap()).exists(), "{home}");
    assert_eq!(port(&compose, "grafana"), "3000", "what Grafana listens at unless it is told otherwise");
}

#[test]
fn the_crawl_of_the_compose_file_is_one_that_the_program_takes() {
    let compose = yaml("compose.yml");
    let crawl = &compose["services"]["harvestman"];
    let mut command = texts(&crawl["command"]);
    let listen = command.iter().position(|part| part == "--metrics").map(|at| command[at + 1].clone()).unwrap();
    assert_eq!(listen, format!("0.0.0.0:{}", port(&compose, "harvestman")));
    let out = command.iter().position(|part| part == "--out").map(|at| command[at + 1].clone()).unwrap();
    let volume = &mounts(&compose, "harvestman")[0].1;
    assert!(out.starts_with(&format!("{volume}/")), "{out} would be gone with the container");
    // The crawl is not begun: its seed is none.
    for part in &mut command {
        if part.starts_with("${") {
            "not a seed".clone_into(part);
        }
    }
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_harvestman")).args(&command).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("not a seed") && !said.contains("unexpected argument"), "{said}");
}

#[test]
fn the_fleet_of_the_compose_file_has_three_servers_that_know_each_other_and_nodes_that_know_them() {
    let compose = yaml("compose.fleet.yml");
    let declared: BTreeSet<&String> = compose["volumes"].as_object().unwrap().keys().collect();
    let servers = ["nats-1", "nats-2", "nats-3"];
    for server in servers {
        let command = texts(&compose["services"][server]["command"]);
        let after =
            |flag: &str| command.iter().position(|part| part == flag).map(|at| command[at + 1].clone()).unwrap();
        assert_eq!((after("--name"), after("--cluster_name")), (server.to_owned(), "fleet".to_owned()));
        let others = servers.into_iter().filter(|other| *other != server);
        let routes: Vec<String> = others.map(|other| format!("nats://{other}:6222")).collect();
        assert_eq!(after("--routes"), routes.join(","));
        assert!(after("--cluster").ends_with(":6222") && command.contains(&"--jetstream".to_owned()));
        assert!(after("--auth").starts_with("${HARVESTMAN_FLEET_TOKEN:?"), "{server} lets everyone in");
        let service = &compose["services"][server];
        assert!(
            service["ports"].is_null() && texts(&service["networks"]) == ["servers"],
            "{server} is reached from outside"
        );
        let [(volume, path)] = &mounts(&compose, server)[..] else { panic!("{server} has one volume") };
        assert!(declared.contains(volume) && *path == after("--store_dir"), "{server} would lose what it keeps");
    }
    let node = &compose["services"]["harvestman"];
    let command = texts(&node["command"]).remove(0);
    let mut words: Vec<&str> = command.split_whitespace().skip_while(|word| *word != "harvestman").skip(1).collect();
    let at = words.iter().position(|word| *word == "--fleet").unwrap();
    assert_eq!(words[at + 1], servers.map(|server| format!("nats://{server}:4222")).join(","));
    let out = words.iter().position(|word| *word == "--out").map(|at| words[at + 1]).unwrap();
    let [(volume, path)] = &mounts(&compose, "harvestman")[..] else { panic!("one volume") };
    assert!(declared.contains(volume) && out.contains(&format!("{path}/$$HOSTNAME")), "{out} is not each node's own");
    assert_eq!(compose["networks"]["servers"]["internal"], true);
    for variable in ["HARVESTMAN_FLEET_TOKEN", "HARVESTMAN_FLEET_SEAL"] {
        assert!(node["environment"][variable].as_str().unwrap().starts_with(&format!("${{{variable}")), "{variable}");
    }
    for variable in ["SEED", "CONTACT"] {
        assert!(command.contains(&format!("$${variable}")) && node["environment"][variable].is_string());
    }
    // The crawl is not begun: its seed is none.
    words[1] = "not a seed";
    words.retain(|word| *word != "\"$$HOSTNAME\"" && *word != "--node");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_harvestman")).args(&words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(!said.contains("unexpected argument"), "{said}");
}

#[test]
fn the_image_is_built_in_a_stage_of_its_own_and_runs_without_rights() {
    let file = read("Dockerfile");
    let lines: Vec<&str> = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let of =
        |word: &str| -> Vec<&str> { lines.iter().filter_map(|line| line.strip_prefix(word)).map(str::trim).collect() };
    assert_eq!(of("FROM").len(), 2, "one image builds, the other runs");
    let needed: String =
        read("Cargo.toml").lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().replace('"', "");
    assert!(of("FROM")[0].starts_with(&format!("rust:{needed}-")), "Cargo.toml asks for Rust {needed}");
    let user = of("USER")[0];
    assert!(user != "root" && file.contains(&format!("-shell /usr/sbin/nologin {user}")), "{user} is made");
    assert_eq!(of("EXPOSE"), [port(&yaml("compose.yml"), "harvestman")]);
    assert!(of("ENTRYPOINT")[0].contains(of("COPY")[1].rsplit(' ').next().unwrap()), "what runs is what was copied");
    assert_eq!(of("VOLUME"), [&*mounts(&yaml("compose.yml"), "harvestman")[0].1]);
    assert!(lines.iter().all(|line| !line.starts_with("ADD")));
    // What is asked whether it is alive is the crawl of the compose file.
    let command = texts(&yaml("compose.yml")["services"]["harvestman"]["command"]);
    let out = command.iter().position(|part| part == "--out").map(|at| command[at + 1].clone()).unwrap();
    assert_eq!(of("ENV"), [format!("HARVESTMAN_CRAWL_OUT={out}")]);
    assert!(file.contains("exec harvestman ctl \\\"$HARVESTMAN_CRAWL_OUT\\\" status"), "no health check");
}

#[test]
fn what_cargo_needs_is_not_left_out_of_the_image() {
    let taken: Vec<String> =
        read(".dockerignore").lines().filter_map(|line| line.strip_prefix('!').map(str::to_owned)).collect();
    for name in &taken {
        assert!(root().join(name).exists(), "{name} does not exist");
    }
    // Files that the sources read at compile time are within what is taken.
    for needed in ["Cargo.toml", "Cargo.lock", "src", "benches"] {
        assert!(taken.iter().any(|name| name == needed), "{needed} is missing");
    }
}
