//! Crawls for single pages, of a topic or that a test accepts, that are killed and gone on with.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use harvestman::sim::{Family, Server, ServerOptions, TruthRow, WorldOptions};
use parking_lot::Mutex;
use serde_json::json;

use super::runs::{LEASES, Runs, serve_with};
use super::scripted::{Reply, Scripted};

/// Pages of a crawl with a budget.
const BUDGET: usize = 300;
/// Crawls of each kind whose items are compared.
const ROUNDS: usize = 3;
/// Threads of each site.
const THREADS: usize = 40;
/// Requests of a crawl from a query that are in flight at once.
const IN_FLIGHT: usize = 4;

fn photos(pages: u64) -> Server {
    let world =
        WorldOptions { pages, hosts: 1, families: vec![Family::Media], page_bytes: 400, ..WorldOptions::default() };
    serve_with(&world, ServerOptions { latency: Duration::from_millis(4), ..ServerOptions::default() })
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

fn for_topic(server: &Server, topic: &str, settings: &[&str]) -> Runs {
    let topic = format!("policy.topic={topic}");
    let all = ["host.delay=0s", "robots.sitemaps=false", "crawl.seed=7", "crawl.policy=topic", &topic];
    Runs::of(server, &[&all, settings].concat())
}

#[test]
fn a_crawl_for_a_topic_that_is_killed_again_and_again_loses_nothing() {
    let server = photos(500);
    let (topic, _) = topic(&server);
    let runs = for_topic(&server, &topic, &[]);
    let kills = [20, 90, 170, 260, 350];
    runs.kill_at(&kills);
    let again = runs.check_complete(&server);
    assert!(u64::from(again) <= kills.len() as u64 * u64::from(LEASES), "{again} pages were fetched again");
}

#[test]
fn a_crawl_for_a_topic_that_is_killed_finds_about_as_many_items_as_one_that_is_not() {
    let server = photos(1_600);
    let (topic, items) = topic(&server);
    let budget = format!("budget.pages={BUDGET}");
    let found = |kills: &[usize]| {
        // With several requests in flight, what is found depends on the order in which they end.
        let runs = for_topic(&server, &topic, &[&budget, "frontier.in_flight_max=1"]);
        runs.kill_at(kills);
        let (pages, _) = runs.counted();
        assert_eq!(pages, BUDGET as u64);
        runs.urls("fetched").intersection(&items).count()
    };
    // What is learned when depends on the machine's load too: a single crawl may find a sixth less than another.
    let rounds = |kills: &[usize]| (0..ROUNDS).map(|_| found(kills)).sum::<usize>();
    let (whole, killed) = (rounds(&[]), rounds(&[25, 70, 120, 170, 230]));
    eprintln!("{whole} items of `{topic}` in {ROUNDS} crawls, {killed} when each is killed five times");
    assert!(killed as f64 >= 0.9 * whole as f64, "{killed} of {whole}");
}

fn thread(number: usize) -> Reply {
    let next = (1..4).map(|step| format!("<li><a href='/t/{}'>more</a></li>", (number + step) % THREADS));
    Reply::html(format!(
        "<html><body class=thread><article class=post><p>zoom lens sensor shoe number {number}</p></article><ul>{}</ul></body></html>",
        next.collect::<String>()
    ))
}

fn respond(host: &str, path: &str, results: &[String]) -> Reply {
    std::thread::sleep(Duration::from_millis(15));
    match (host, path.strip_prefix("/t/").and_then(|number| number.parse().ok())) {
        ("search", _) if path == "/robots.txt" => Reply::text("User-agent: *\nDisallow: /\n"),
        ("search", _) => {
            let results: Vec<_> = results.iter().map(|url| json!({ "url": url })).collect();
            let body = json!({ "number_of_results": 12, "results": results }).to_string();
            Reply { headers: vec![("Content-Type", "application/json".to_owned())], ..Reply::text(body) }
        }
        ("one" | "two", Some(number)) if number < THREADS => thread(number),
        ("poor", _) if path.starts_with("/p/") => Reply::links(&["/p/x", "/p/y"]),
        _ => Reply::status(404),
    }
}

/// Crawls from a query, killed at these numbers of lines. Returns the crawl and the queries.
fn from_a_query(kills: &[usize]) -> (Runs, Scripted, Vec<String>) {
    let results: Arc<Mutex<Vec<String>>> = Arc::default();
    let known = Arc::clone(&results);
    let site = Scripted::start(move |host, path, _| respond(host, path, &known.lock()));
    *results.lock() = [("one", "/t/3"), ("two", "/t/4"), ("poor", "/p/1"), ("gone", "/no")]
        .map(|(host, path)| site.url(host, path))
        .into();
    let search = format!("search.url={}", site.url("search", "/find?q={query}&format=json"));
    let in_flight = format!("frontier.in_flight_max={IN_FLIGHT}");
    let runs = Runs::from(
        Vec::new(),
        &[
            // Slow enough for the kills to come in time on a busy machine.
            "host.delay=20ms",
            "host.connections_per_host=2",
            &in_flight,
            "crawl.seed=7",
            "crawl.policy=xcrawl",
            "policy.want=selector:article.post",
            "search.query=zoom lens",
            &search,
        ],
    );
    runs.kill_at(kills);
    let queries = site.paths("search").into_iter().filter(|path| path != "/robots.txt").collect();
    (runs, site, queries)
}

/// What was fetched, without the addresses of the server, which differ between two of them.
fn paths(runs: &Runs, site: &Scripted) -> HashSet<String> {
    let hosts = ["one", "two", "poor", "search"];
    let of = |url: &String| {
        hosts.into_iter().find_map(|host| Some(format!("{host}{}", url.strip_prefix(&site.url(host, ""))?)))
    };
    runs.urls("fetched").iter().map(|url| of(url).unwrap_or_else(|| url.clone())).collect()
}

#[test]
fn a_crawl_from_a_query_that_is_killed_again_and_again_finds_the_same() {
    let (whole, at, queries) = from_a_query(&[]);
    let kills = [2, 9, 25, 40, 55];
    let (killed, killed_at, queries_killed) = from_a_query(&kills);
    let threads =
        |paths: &HashSet<String>| paths.iter().filter(|path| path.contains("/t/")).cloned().collect::<HashSet<_>>();
    let (all, after) = (paths(&whole, &at), paths(&killed, &killed_at));
    assert_eq!(threads(&all).len(), 2 * THREADS);
    assert_eq!(threads(&after), threads(&all), "{}", killed.stderr());
    assert!(after.contains("poor/p/1") && !after.contains("poor/p/x"), "{after:?}");
    whole.counted();
    killed.counted();
    let different = |queries: &[String]| queries.iter().collect::<HashSet<_>>().len();
    eprintln!("{} queries, {} when it is killed five times", queries.len(), queries_killed.len());
    // The queries in flight at a kill are fetched again as any URL is.
    assert!(queries_killed.len() <= different(&queries_killed) + kills.len() * IN_FLIGHT, "{queries_killed:?}");
    assert!(different(&queries_killed) <= 2 * different(&queries), "{queries_killed:?}");
}
