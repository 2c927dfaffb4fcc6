//! Policies that look for single pages, in a fleet: one node learns from the pages of all and sends the queries, and
//! another goes on when it dies.

use std::collections::{BTreeMap, HashSet};
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use harvestman::config::{ByteSize, Config, Period, PolicyKind};
use harvestman::fleet::bus::Bus;
use harvestman::fleet::nats::NatsBus;
use harvestman::fleet::policy::{POLICY, PolicyRecord};
use harvestman::model::PageRecord;
use harvestman::report::StopReason;
use harvestman::seed::Seed;
use harvestman::sim::{Family, Server, ServerOptions, TruthRow, World, WorldOptions};
use parking_lot::Mutex;
use serde_json::json;

use super::PATIENCE;
use super::metrics::{Node, beside, config, holds, until};
use super::scripted::{Reply, Scripted};
use super::server::Servers;

/// Pages of each crawl for a topic.
const BUDGET: u64 = 400;
/// Threads of each site.
const THREADS: usize = 12;
const SITES: [&str; 6] = ["one", "two", "three", "four", "five", "six"];

fn photos() -> Server {
    let families = vec![Family::Media];
    let world = WorldOptions { pages: 2_400, hosts: 4, families, page_bytes: 400, ..WorldOptions::default() };
    let world = World::new(&world, Seed(5)).unwrap();
    let options = ServerOptions { keep: 0, ..ServerOptions::default() };
    Server::start(Arc::new(world), "127.0.0.1:0".parse().unwrap(), options).unwrap()
}

fn is_item(row: &TruthRow) -> bool {
    row.status == 200 && row.duplicate_of.is_none() && !row.tags.is_empty()
}

/// The most frequent tag, and the items with it.
fn topic(server: &Server) -> (String, HashSet<String>) {
    let mut items: BTreeMap<String, HashSet<String>> = BTreeMap::new();
    for row in server.world().truth().filter(is_item) {
        for tag in &row.tags {
            items.entry(tag.clone()).or_default().insert(row.url.clone());
        }
    }
    items.into_iter().max_by_key(|(_, items)| items.len()).unwrap()
}

fn for_topic(mut config: Config, topic: &str) -> Config {
    config.crawl.policy = PolicyKind::Topic;
    config.policy.topic = vec![topic.to_owned()];
    config.budget.pages = BUDGET;
    config.frontier.in_flight_max = 8;
    // What the sitemaps list would hide where the links lead.
    config.robots.sitemaps = false;
    // What a node learns from its page is known elsewhere within a second or so.
    config.host.delay = Period::millis(200);
    config
}

/// The lines of a node's page logs, also of those of its earlier sessions.
pub fn pages(dir: &Path, node: &str) -> Vec<PageRecord> {
    let files = std::fs::read_dir(dir.join(node)).into_iter().flatten();
    let names = files.map(|file| file.unwrap().path());
    let logs = names.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("pages"));
    let mut all = Vec::new();
    for path in logs {
        let bytes = std::fs::read(&path).unwrap();
        let mut text = String::new();
        if path.extension().is_some_and(|end| end == "gz") {
            flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
        } else {
            text = String::from_utf8(bytes).unwrap();
        }
        all.extend(text.lines().filter_map(|line| serde_json::from_str(line).ok()));
    }
    all
}

fn fetched(dir: &Path, nodes: &[&str]) -> HashSet<String> {
    let lines = nodes.iter().flat_map(|node| pages(dir, node));
    lines.filter(|line| line.fate == "fetched").map(|line| line.url).collect()
}

/// Which session holds the policy, and how often it was taken.
async fn holder(bus: &NatsBus) -> (String, u64) {
    let held = bus.get(POLICY).await.unwrap().and_then(|held| held.value);
    let record: PolicyRecord = held.map(|value| serde_json::from_slice(&value).unwrap()).unwrap_or_default();
    (record.holder.map(|session| session.0).unwrap_or_default(), record.token)
}

/// A node as a process of its own, which a test can kill.
fn process(config: &Config, dir: &Path) -> Child {
    let path = dir.join("node.toml");
    std::fs::write(&path, toml::to_string(config).unwrap()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_harvestman"));
    command.args(["crawl", "--quiet", "--config"]).arg(&path).args(&config.crawl.seeds);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn ends(node: &Node) -> StopReason {
    node.ended.recv_timeout(2 * PATIENCE).unwrap()
}

/// What a single machine finds with the same budget.
fn alone(server: &Server, servers: &Servers, wanted: &(String, HashSet<String>)) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let mut config = for_topic(config(server.world().seeds(), servers, dir.path(), "alone"), &wanted.0);
    config.fleet.servers.clear();
    ends(&Node::start("alone", config));
    fetched(dir.path(), &["alone"]).intersection(&wanted.1).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_fleet_finds_about_as_many_items_of_a_topic_as_one_machine_and_goes_on_when_its_leader_dies() {
    let Some(servers) = Servers::one("").await else { return };
    let server = photos();
    let wanted = topic(&server);
    let single = alone(&server, &servers, &wanted);

    let dir = tempfile::tempdir().unwrap();
    let of = |node| for_topic(config(server.world().seeds(), &servers, dir.path(), node), &wanted.0);
    let mut first = process(&of("a"), dir.path());
    while !dir.path().join("a").join("pages.jsonl").exists() {
        assert!(first.try_wait().unwrap().is_none(), "it has ended");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let bus = beside(&servers).await;
    // Of nodes whose age is not known yet, another one may take the policy.
    while !holder(&bus).await.0.starts_with("a.") {
        assert!(first.try_wait().unwrap().is_none(), "it has ended");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut second = Node::start("b", of("b"));
    let policy = Arc::clone(&second.hooks.metrics.policy);
    until("b decides by what a has learned", &mut [&mut second], |nodes| {
        holds(nodes[0]) > 0 && policy.generation.get() > 1 && policy.clusters.get() > 1
    })
    .await;
    let (before, token) = holder(&bus).await;
    assert!(before.starts_with("a."), "{before}");
    let generation = policy.generation.get();
    while fetched(dir.path(), &["a", "b"]).len() < BUDGET as usize / 2 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    first.kill().unwrap();
    first.wait().unwrap();

    let taken = async {
        while !holder(&bus).await.0.starts_with("b.") {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(PATIENCE, taken).await.expect("another node takes the policy");
    assert!(holder(&bus).await.1 > token);
    ends(&second);
    let found = fetched(dir.path(), &["a", "b"]);
    let fleet = found.intersection(&wanted.1).count();
    eprintln!("{fleet} of {} pages are items of `{}`; {single} on one machine", found.len(), wanted.0);
    assert!(policy.generation.get() >= generation);
    assert!(
        dir.path().join("b").join("site-model.json.gz").exists(),
        "who holds the policy writes what it has learned"
    );
    assert!(fleet as f64 >= 0.6 * single as f64, "{fleet} items of `{}`, {single} on one machine", wanted.0);
}

fn thread(number: usize) -> Reply {
    let next = (1..4).map(|step| format!("<li><a href='/t/{}'>more</a></li>", (number + step) % THREADS));
    Reply::html(format!(
        "<html><body class=thread><article class=post><p>zoom lens sensor shoe number {number}</p></article><ul>{}</ul></body></html>",
        next.collect::<String>()
    ))
}

fn respond(host: &str, path: &str, results: &[String]) -> Reply {
    match host {
        "search" if path == "/robots.txt" => Reply::text("User-agent: *\nDisallow: /\n"),
        "search" => {
            let results: Vec<_> = results.iter().map(|url| json!({ "url": url })).collect();
            let body = json!({ "number_of_results": 12, "results": results }).to_string();
            Reply { headers: vec![("Content-Type", "application/json".to_owned())], ..Reply::text(body) }
        }
        "poor" if path.starts_with("/p/") => Reply::links(&["/p/x", "/p/y"]),
        _ if SITES.contains(&host) => match path.strip_prefix("/t/").and_then(|number| number.parse().ok()) {
            Some(number) if number < THREADS => thread(number),
            _ => Reply::status(404),
        },
        _ => Reply::status(404),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_fleet_sends_each_query_once_and_crawls_the_sites_that_it_finds_on_all_nodes() {
    let Some(servers) = Servers::one("").await else { return };
    let results: Arc<Mutex<Vec<String>>> = Arc::default();
    let known = Arc::clone(&results);
    let site = Scripted::start(move |host, path, _| respond(host, path, &known.lock()));
    let found = SITES.iter().map(|host| site.url(host, "/t/3"));
    *results.lock() = found.chain([site.url("poor", "/p/1"), site.url("gone", "/nothing")]).collect();

    let dir = tempfile::tempdir().unwrap();
    let of = |node| {
        let mut config = config(Vec::new(), &servers, dir.path(), node);
        config.scope.hosts.clear();
        config.crawl.policy = PolicyKind::Xcrawl;
        config.policy.want = vec!["selector:article.post".to_owned()];
        config.search.url = vec![site.url("search", "/find?q={query}&format=json")];
        config.search.query = vec!["zoom lens".to_owned()];
        config.search.fruitless_max = 4;
        config.archive.file_size_max = ByteSize::mib(4);
        config
    };
    let (a, b) = (Node::start("a", of("a")), Node::start("b", of("b")));
    let reasons = [ends(&a), ends(&b)];
    assert_eq!(reasons, [StopReason::FrontierEmpty; 2]);

    let queries: Vec<String> = site.paths("search").into_iter().filter(|path| path != "/robots.txt").collect();
    let once: HashSet<&String> = queries.iter().collect();
    assert_eq!(once.len(), queries.len(), "a query was sent twice: {queries:?}");
    assert_eq!(queries[0], "/find?q=zoom%20lens&format=json");
    assert!((3..=16).contains(&queries.len()), "further queries come from the first wanted pages: {queries:?}");
    let fetched = fetched(dir.path(), &["a", "b"]);
    for host in SITES {
        let threads = (0..THREADS).filter(|number| fetched.contains(&site.url(host, &format!("/t/{number}"))));
        assert_eq!(threads.count(), THREADS, "{host}: {:?}", site.paths(host));
    }
    assert!(!site.paths("poor").contains(&"/p/x".to_owned()), "a site without a wanted page is left after its result");
    let each = ["a", "b"].map(|node| pages(dir.path(), node).len());
    eprintln!("{} queries; pages of the nodes: {each:?}", queries.len());
    let sites = [&a, &b].map(|node| node.hooks.metrics.policy.found_sites.get());
    assert!(sites.contains(&(SITES.len() as u64)), "{sites:?}");
}
