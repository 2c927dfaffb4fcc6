//! A fleet of two with secrets: none is in the files of its nodes, in what these print, nor in what its server keeps.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::crawl::harvestman;
use super::leaks::{Secrets, files_below};
use super::secrets::{
    COOKIE, DEADLINE, HEADER, Held, OTHER_HEADER, SEARCH_KEY, SEED_PASSWORD, answer, proxy, proxy_user, run, secrets,
    text, with_secrets,
};
use super::server::Servers;
use super::site::Site;

const SEAL: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const TOKEN: &str = "fl33t-s3cret-value";
const NODES: [&str; 2] = ["a", "b"];
const FORUMS: usize = 8;
/// What a server keeps that has no key.
const UNSEALED: &str = "a message that is not sealed";

fn fleet_secrets() -> Secrets {
    Secrets::new(&[("the seal", SEAL), ("the token", TOKEN)])
}

fn of_fleet(command: &mut Command) -> &mut Command {
    command.env("HARVESTMAN_FLEET_TOKEN", TOKEN).env("HARVESTMAN_FLEET_SEAL", SEAL)
}

/// The first node begins the crawl, the second joins it.
fn node(name: &str, site: &Site, servers: &Servers, dir: &Path) -> Command {
    let mut command = harvestman();
    if name == NODES[0] {
        let seeds = (0..FORUMS).map(|n| format!("http://seeduser:{SEED_PASSWORD}@forum{n}.test/"));
        command.arg("crawl").args(seeds).args(["--fleet", &servers.url()]);
        with_secrets(&mut command, site, name);
        command.args(["--policy", "xcrawl", "--query", "zoom lens", "--posts", "--delay", "0"]);
        for setting in ["policy.want=['selector:article.post']", "archive.links=true", "robots.sitemap_guess=false"] {
            command.args(["--set", setting]);
        }
    } else {
        command.args(["fleet", "join", &servers.url(), "--proxy", &proxy(site, name)]);
    }
    of_fleet(&mut command).args(["--fleet-name", "forum", "--node", name, "--log-level", "trace"]);
    command.args(["--metrics", "127.0.0.1:0", "--out"]).arg(dir.join(name));
    let output = |kind: &str| File::create(dir.join(format!("{name}.{kind}"))).unwrap();
    command.stdin(Stdio::null()).stdout(output("stdout")).stderr(output("stderr"));
    command
}

fn messages(dir: &Path) -> String {
    NODES.map(|name| std::fs::read_to_string(dir.join(format!("{name}.stderr"))).unwrap_or_default()).join("\n")
}

/// Waits until something is so, while all nodes run.
fn until(nodes: &mut [Child], dir: &Path, what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + DEADLINE;
    while !is_so() {
        let all_run = nodes.iter_mut().all(|node| node.try_wait().unwrap().is_none());
        assert!(Instant::now() < until && all_run, "{what} never came: {}", messages(dir));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Something on the server that no key seals.
async fn keep_unsealed(servers: &Servers) {
    let client = async_nats::ConnectOptions::with_token(TOKEN.to_owned()).connect(servers.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let subjects = vec!["unsealed".to_owned()];
    let stream = async_nats::jetstream::stream::Config { name: "unsealed".to_owned(), subjects, ..Default::default() };
    context.create_stream(stream).await.unwrap();
    context.publish("unsealed", UNSEALED.into()).await.unwrap().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_of_a_fleet_are_on_no_disk_of_its_nodes_nor_of_its_server() {
    let Some(servers) = Servers::one(&format!("authorization {{ token: {TOKEN:?} }}")).await else { return };
    keep_unsealed(&servers).await;
    let held = Arc::new(Held::default());
    let shared = Arc::clone(&held);
    let site = Site::scripted(move |target, peer| answer(target, peer, &shared));
    let dir = tempfile::tempdir().unwrap();
    let mut nodes = vec![node(NODES[0], &site, &servers, dir.path()).spawn().unwrap()];
    until(&mut nodes, dir.path(), "a request of the first node", || held.is_asked.load(Ordering::SeqCst));
    nodes.push(node(NODES[1], &site, &servers, dir.path()).spawn().unwrap());
    let fetches = |node: &str| site.requests().iter().filter(|head| head.contains(&proxy_user(node))).count();
    until(&mut nodes, dir.path(), "a request of the second node", || fetches(NODES[1]) > 3);
    let status = run(of_fleet(&mut harvestman()).args(["fleet", "status", &servers.url(), "--fleet-name", "forum"]));
    assert!(status.status.success(), "{}", text(&status));
    fleet_secrets().assert_not_in("the status of the fleet", &[status.stdout, status.stderr].concat());
    held.is_released.store(true, Ordering::SeqCst);
    for node in &mut nodes {
        assert!(node.wait().unwrap().success(), "{}", messages(dir.path()));
    }

    for user in NODES {
        let requests = site.requests();
        let of_node: Vec<&String> = requests.iter().filter(|head| head.contains(&proxy_user(user))).collect();
        for sent in [COOKIE, HEADER, OTHER_HEADER] {
            assert!(of_node.iter().any(|head| head.contains(sent)), "{user} never sent {sent}");
        }
    }
    assert!(site.requests().iter().any(|head| head.contains(&format!("key={SEARCH_KEY}&q=zoom%20lens"))));
    let of_nodes = NODES.map(|name| dir.path().join(name));
    for export in ["pages", "links", "cdxj"] {
        run(harvestman().args(["export", export]).args(&of_nodes).arg("--out").arg(dir.path().join(export)));
    }
    run(harvestman().arg("report").args(&of_nodes).arg("--out").arg(dir.path().join("report")));
    assert!(secrets().assert_not_below(dir.path()) > 15);
    fleet_secrets().assert_not_below(dir.path());

    let kept = servers.dir.path().join("n1");
    secrets().assert_not_below(&kept);
    fleet_secrets().assert_not_below(&kept);
    let plain = Secrets::new(&[("what is not sealed", UNSEALED)]);
    let is_kept = files_below(&kept).iter().any(|file| !plain.found_in(&std::fs::read(file).unwrap()).is_empty());
    assert!(is_kept, "the server keeps messages in another form than this test reads");
}
