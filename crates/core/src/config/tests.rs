use std::path::Path;

use proptest::prelude::*;

use super::*;

fn flag(name: &str, value: &str) -> Flag {
    Flag { flag: "--set".into(), name: name.into(), value: FlagValue::Text(value.into()) }
}

fn variable(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn of_file(text: &str) -> Result<Config, Mistakes> {
    load(&Layers { file: Some((Path::new("h.toml"), text)), ..Layers::default() })
}

fn texts(result: Result<Config, Mistakes>) -> Vec<String> {
    result.unwrap_err().0.iter().map(ToString::to_string).collect()
}

#[test]
fn where_nothing_is_given_everything_has_its_default() {
    assert_eq!(load(&Layers::default()).unwrap(), Config::default());
}

#[test]
fn the_command_line_wins_over_the_environment_over_the_file_over_the_default() {
    let file = "[budget]\npages = 1\nrequests = 1\ndepth = 1\n";
    let mut layers = Layers { file: Some((Path::new("h.toml"), file)), ..Layers::default() };
    layers.environment = vec![variable("HARVESTMAN_BUDGET_PAGES", "2"), variable("HARVESTMAN_BUDGET_REQUESTS", "2")];
    layers.flags = vec![flag("budget.pages", "3")];
    let budget = load(&layers).unwrap().budget;
    assert_eq!((budget.pages, budget.requests, budget.depth), (3, 2, 1));
    assert_eq!(budget.pages_per_host, BudgetOptions::default().pages_per_host);
}

#[test]
fn the_last_of_two_flags_wins() {
    let flags = vec![flag("budget.pages", "3"), flag("budget.pages", "4")];
    assert_eq!(load(&Layers { flags, ..Layers::default() }).unwrap().budget.pages, 4);
}

#[test]
fn all_mistakes_are_reported_together_each_with_its_source() {
    let file = "[crawl]\nthreads = 9999\npolcy = \"bfs\"\n\n[bugdet]\npages = 1\n\n[log]\nlevel = \"loud\"\n";
    let environment = vec![variable("HARVESTMAN_BUDGET_BYTES", "huge"), variable("HARVESTMAN_NOSUCH_KEY", "1")];
    let flags = vec![flag("budget.pages", "-1"), flag("budget", "1"), flag("metrics.listen", "nowhere")];
    let found = texts(load(&Layers { file: Some((Path::new("h.toml"), file)), environment, flags, directory: None }));
    let expected = [
        "h.toml:5: unknown section `bugdet`; did you mean `budget`?",
        "h.toml:3: unknown setting `crawl.polcy`; did you mean `crawl.policy`?",
        "environment variable HARVESTMAN_NOSUCH_KEY: unknown section `nosuch`; the sections are",
        "--set: `budget` is not a setting: write section.key=value",
        "h.toml:9: `log.level`: unknown variant `loud`, expected one of",
        "environment variable HARVESTMAN_BUDGET_BYTES: `budget.bytes`: `huge` is not a size",
        "--set: `budget.pages`: invalid value: integer `-1`, expected u64",
        "h.toml:2: `crawl.threads`: 9999 threads are more than the maximum of 1024",
        "--set: `metrics.listen`: `nowhere` is not an address with a port",
    ];
    for text in expected {
        assert!(found.iter().any(|mistake| mistake.starts_with(text)), "{text}\nis not in\n{found:#?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

#[test]
fn broken_toml_is_reported_with_its_line_and_the_rest_is_still_read() {
    let found = texts(of_file("[budget]\npages = \n\n[crawl]\nthreds = 2\n"));
    assert!(found.iter().any(|mistake| mistake.starts_with("h.toml:2: not TOML: ")), "{found:#?}");
    assert!(found.iter().any(|mistake| mistake.starts_with("h.toml:5: unknown setting")), "{found:#?}");
}

#[test]
fn a_section_that_is_no_table_is_refused() {
    assert!(texts(of_file("budget = 3"))[0].contains("h.toml:1: `budget` is a section"));
}

#[test]
fn text_is_read_as_the_setting_needs_it() {
    let flags = vec![
        flag("budget.pages", "100"),
        flag("budget.time", "90"),
        flag("budget.bytes", "2GiB"),
        flag("crawl.out", "2026"),
        flag("crawl.seeds", "https://a.example/, https://b.example/"),
        flag("log.format", "json"),
    ];
    let config = load(&Layers { flags, ..Layers::default() }).unwrap();
    assert_eq!(
        (config.budget.pages, config.budget.time, config.budget.bytes),
        (100, Period::secs(90), ByteSize(2 << 30))
    );
    assert_eq!(config.crawl.out, "2026");
    assert_eq!(config.crawl.seeds, ["https://a.example/", "https://b.example/"]);
    assert_eq!(config.log.format, LogFormat::Json);
}

#[test]
fn a_list_may_be_written_as_in_toml_where_its_values_hold_commas() {
    let environment = vec![variable("HARVESTMAN_CRAWL_SEEDS", "[\"https://a.example/?x=1,2\"]")];
    let config = load(&Layers { environment, ..Layers::default() }).unwrap();
    assert_eq!(config.crawl.seeds, ["https://a.example/?x=1,2"]);
    let value = FlagValue::List(vec!["https://a.example/?x=1,2".into(), "b.example".into()]);
    let flags = vec![Flag { flag: "SEED".into(), name: "crawl.seeds".into(), value }];
    let config = load(&Layers { flags, ..Layers::default() }).unwrap();
    assert_eq!(config.crawl.seeds, ["https://a.example/?x=1,2", "b.example"]);
}

#[test]
fn pages_are_valued_by_posts_by_ucc_alone() {
    let with = |policy| {
        let mut config = Config::default();
        (config.crawl.policy, config.policy.worth) = (policy, PageWorth::Posts);
        validate::validate(&config).iter().any(|wrong| format!("{wrong:?}").contains("values pages by their posts"))
    };
    assert!(!with(PolicyKind::Ucc) && with(PolicyKind::Bfs));
}

#[test]
fn variables_of_the_projects_own_tests_are_no_settings() {
    let environment = given::NOT_SETTINGS.iter().map(|name| variable(name, "x")).chain([variable("HOME", "/root")]);
    assert!(load(&Layers { environment: environment.collect(), ..Layers::default() }).is_ok());
}

/// Checks all variables that tests and benches read: they reach the program that these start, which would reject them
/// as unknown settings.
#[test]
fn every_variable_that_tests_and_benches_read_is_known_to_be_no_setting() {
    let name = regex::Regex::new("HARVESTMAN_[A-Z_]*[A-Z]").unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut used = std::collections::BTreeSet::new();
    for file in files_below(&[
        root.join("tests"),
        root.join("benches"),
        root.join(".ci"),
        root.join("src"),
        root.join("crates"),
    ]) {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        used.extend(name.find_iter(&text).map(|found| found.as_str().to_owned()));
    }
    // The one that tests set to see it rejected.
    used.remove("HARVESTMAN_NOSUCH_KEY");
    used.retain(|name| load(&Layers { environment: vec![variable(name, "1")], ..Layers::default() }).is_err());
    let unknown: Vec<_> = used.iter().filter(|name| !is_setting(name)).collect();
    assert!(unknown.is_empty(), "to be named in NOT_SETTINGS: {unknown:?}");
}

/// Returns whether a variable is a setting, with any value.
fn is_setting(variable: &str) -> bool {
    let name = variable.trim_start_matches("HARVESTMAN_").to_ascii_lowercase();
    name.split_once('_').is_some_and(|(section, key)| names::find_key(section, key).is_ok())
}

fn files_below(folders: &[std::path::PathBuf]) -> Vec<std::path::PathBuf> {
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let (inner, mut files): (Vec<_>, Vec<_>) =
        entries.map(|entry| entry.unwrap().path()).partition(|path| path.is_dir());
    if !inner.is_empty() {
        files.extend(files_below(&inner));
    }
    files
}

#[test]
fn the_most_threads_are_accepted_and_one_more_is_not() {
    assert!(of_file("[crawl]\nthreads = 1024\nio_threads = 1024").is_ok());
    assert_eq!(texts(of_file("[crawl]\nthreads = 1025\nio_threads = 1025")).len(), 2);
}

#[test]
fn a_set_of_urls_seen_must_be_one_that_can_be_made() {
    let dedup = |line: &str| of_file(&format!("[dedup]\n{line}"));
    for good in
        ["planned = 1", "false_positives = 0.5", "false_positives = 1e-7", "memory = '1MiB'", "store = 'bloom-only'"]
    {
        assert!(dedup(good).is_ok(), "{good}");
    }
    for (bad, what) in [
        ("planned = 0", "give the number that you expect"),
        ("planned = 99_000_000_000", "give the number that you expect"),
        ("false_positives = 0", "such as 0.001 for one in 1000"),
        ("false_positives = 1", "such as 0.001 for one in 1000"),
        ("false_positives = 17.0", "such as 0.001 for one in 1000"),
        ("false_positives = -0.1", "such as 0.001 for one in 1000"),
        ("false_positives = nan", "such as 0.001 for one in 1000"),
        ("memory = 1000", "give 1MiB or more"),
        ("store = 'bloom'", "bloom-exact"),
    ] {
        let texts = texts(dedup(bad));
        assert!(texts.len() == 1 && texts[0].contains(what), "{bad}: {texts:?}");
    }
}

#[test]
fn an_early_stop_is_a_share_and_for_policies_that_estimate() {
    let early =
        |policy: &str, rest: &str| of_file(&format!("[crawl]\npolicy = '{policy}'\n[budget]\nearly_stop = {rest}"));
    for good in ["0", "0.1", "1", "1.0"] {
        assert!(early("ucc", good).is_ok(), "{good}");
    }
    for bad in ["-0.1", "1.1", "nan", "inf"] {
        assert_eq!(texts(early("ucc", bad)).len(), 1, "{bad}");
    }
    assert!(early("bfs", "0").is_ok() && early("bfs", "0.1").is_err());
}

#[test]
fn in_a_fleet_searches_need_a_policy_that_all_nodes_share() {
    let with = |policy: &str, servers: &str| {
        of_file(&format!(
            "[crawl]\npolicy = '{policy}'\n[policy]\nwant = ['selector:p']\n[search]\nurl = ['http://s/?q={{query}}']\n\
             query = ['lens']\n[fleet]\nservers = '{servers}'\n"
        ))
    };
    for policy in ["xcrawl", "target"] {
        assert!(with(policy, "").is_ok() && with(policy, "nats://127.0.0.1:4222").is_ok(), "{policy}");
    }
    let own = |servers: &str| {
        of_file(&format!(
            "[crawl]\nseeds = ['http://a.test/']\npolicy = 'xcrawl'\n[policy]\nwant = ['selector:p']\n[search]\nurl = ['site']\n[fleet]\n\
             servers = '{servers}'\n"
        ))
    };
    assert!(own("").is_ok());
    assert!(texts(own("nats://127.0.0.1:4222"))[0].contains("the searches of the seeds' own sites"));
}

#[test]
fn addresses_need_a_port() {
    for good in ["", "127.0.0.1:9900", "[::1]:0", "localhost:65535"] {
        assert!(of_file(&format!("[metrics]\nlisten = '{good}'")).is_ok(), "{good}");
    }
    for bad in ["127.0.0.1", ":9900", "localhost:65536", "localhost:"] {
        assert!(of_file(&format!("[metrics]\nlisten = '{bad}'")).is_err(), "{bad}");
    }
}

#[test]
fn a_printed_configuration_names_every_default_that_was_changed() {
    let mut config = Config::default();
    config.budget.pages = 7;
    let text = as_toml(&config, Secrets::Shown);
    assert!(text.contains("# Default: 0\npages = 7\n"), "{text}");
    assert!(text.contains("\nbytes = \"0\"\n"), "{text}");
    assert_eq!(text.matches("# Default:").count(), 1);
}

proptest! {
    // Each case goes through all settings several times.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_printed_loads_to_the_same_configuration(
        pages in 0..u64::MAX / 2,
        bytes in 0..u64::MAX / 2,
        millis in 0..u64::MAX / 2,
        depth: u16,
        seeds in prop::collection::vec(".*", 0..4),
        out in "\\PC*",
        json: bool,
    ) {
        let mut config = Config::default();
        config.budget = BudgetOptions { pages, bytes: ByteSize(bytes), time: Period::millis(millis), depth, ..config.budget };
        config.crawl = CrawlOptions { seeds, out, ..config.crawl };
        config.log.format = if json { LogFormat::Json } else { LogFormat::Text };
        let printed = as_toml(&config, Secrets::Shown);
        prop_assert_eq!(of_file(&printed), Ok(config), "{}", printed);
    }

    #[test]
    fn no_file_whatever_stands_in_it_makes_the_loader_panic(text in ".*", key in "[a-z.\\[\\]= \"'\n]*") {
        let _ = of_file(&text);
        let _ = of_file(&format!("[budget]\n{key}"));
        let _ = of_file(&format!("[crawl]\nseeds = {key}{text}"));
    }

    #[test]
    fn no_variable_or_flag_whatever_its_value_makes_the_loader_panic(name in "[a-z.]*", text in ".*") {
        let environment = vec![(format!("HARVESTMAN_{}", name.to_uppercase()), text.clone())];
        let flags = vec![flag(&name, &text), flag("crawl.seeds", &text), flag("budget.pages", &text)];
        let _ = load(&Layers { environment, flags, ..Layers::default() });
    }
}

#[test]
fn a_secret_of_the_wrong_type_is_not_repeated() {
    for text in ["[fetch]\nheaders = \"X-Key: s3cret\"\n", "[fleet]\npassword = [\"s3cret\"]\n"] {
        let texts = texts(of_file(text));
        assert!(texts.len() == 1 && !texts[0].contains("s3cret") && texts[0].contains("type"), "{texts:?}");
    }
}

#[test]
fn a_key_in_place_of_its_file_is_refused_and_not_repeated() {
    let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----";
    for value in [key.replace('\n', "\\n"), key.replace('\n', " "), "{\\\"d\\\": \\\"MC4CAQ\\\"}".to_owned()] {
        let texts = texts(of_file(&format!("[identity]\nkey_file = \"{value}\"\n")));
        assert!(texts.len() == 1 && texts[0].contains("identity.key_file"), "{texts:?}");
        assert!(texts[0].contains("path of a file") && !texts[0].contains("MC4CAQ"), "{texts:?}");
    }
}

#[test]
fn the_address_of_a_key_needs_a_key_except_in_a_fleet() {
    let agent = "[identity]\nagent = \"https://bot.test\"\n";
    assert!(texts(of_file(agent))[0].contains("identity.key_file"));
    assert!(of_file(&format!("{agent}key_file = \"bot.pem\"\n")).is_ok());
    assert!(of_file(&format!("{agent}[fleet]\nservers = \"nats://a.test\"\n")).is_ok());
}

#[test]
fn a_node_of_a_fleet_has_a_lease() {
    for (lease, fits) in [("0s", false), ("1s", true), ("50s", true)] {
        let loaded = of_file(&format!("[fleet]\nlease = \"{lease}\"\n"));
        assert_eq!(loaded.is_ok(), fits, "{lease}");
    }
}

#[test]
fn a_signature_lives_from_a_second_to_a_day() {
    for (lifetime, fits) in [("0s", false), ("999ms", false), ("1s", true), ("24h", true), ("86401s", false)] {
        let loaded = of_file(&format!("[identity]\nlifetime = \"{lifetime}\"\n"));
        assert_eq!(loaded.is_ok(), fits, "{lifetime}");
    }
}

#[test]
fn groups_of_hosts_are_checked_as_they_are_read_and_each_mistake_is_named() {
    let config =
        of_file("[host]\ngroups = [\"example.org *.example.org\", \"h:81\"]\ndelay_per_ip = \"250ms\"\n").unwrap();
    assert_eq!((config.host.groups.len(), config.host.delay_per_ip), (2, Period::millis(250)));
    let texts = texts(of_file("[host]\ngroups = [\"a.test\", \"http://h/ *.test\"]\n"));
    assert_eq!(texts.len(), 1, "{texts:?}");
    for part in ["host.groups", "`http://h/`", "*.example.org", "`*.test`", "in group 1 by `a.test` and in group 2"] {
        assert!(texts[0].contains(part), "{part}: {texts:?}");
    }
}
