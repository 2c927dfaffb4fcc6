//! Crawls from queries that are killed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::json;

use super::runs::Runs;
use super::scripted::{Reply, Scripted};

/// Number of threads of a site.
const THREADS: usize = 150;
/// The numbers of queries after which the crawl is killed.
const KILLS: [usize; 5] = [1, 2, 4, 7, 11];
const WORDS: &str = "zoom lens sensor shoe flash shutter tripod filter battery strap";

fn site(path: &str) -> Reply {
    let number: Option<usize> = path.strip_prefix("/t/").and_then(|number| number.parse().ok());
    let Some(number) = number.filter(|number| *number < THREADS) else { return Reply::status(404) };
    let next = (1..4).map(|step| format!("<li><a href='/t/{}'>more</a></li>", (number * 3 + step) % THREADS));
    let next: String = next.collect();
    Reply::html(format!("<html><body><article class=post><p>{WORDS}</p></article><ul>{next}</ul></body></html>"))
}

/// Two sites, and a search that finds eight threads by each query.
fn serve() -> Scripted {
    let places: Arc<Mutex<Vec<String>>> = Arc::default();
    let known = Arc::clone(&places);
    let server = Scripted::start(move |host, path, _| {
        std::thread::sleep(Duration::from_millis(3));
        if host != "search" {
            return site(path);
        }
        let first = path.bytes().map(usize::from).sum::<usize>();
        let url = |at: usize| format!("{}{}", known.lock()[at % 2], (first + 7 * at) % THREADS);
        let results: Vec<_> = (0..8).map(|at| json!({ "url": url(at) })).collect();
        let body = json!({ "number_of_results": 100, "results": results }).to_string();
        Reply { headers: vec![("Content-Type", "application/json".to_owned())], ..Reply::text(body) }
    });
    *places.lock() = ["one", "two"].map(|host| server.url(host, "/t/")).to_vec();
    server
}

/// The queries and how often each was sent.
fn queries(server: &Scripted) -> BTreeMap<String, u64> {
    let mut sent = BTreeMap::new();
    let paths = server.paths("search").into_iter().filter(|path| path.starts_with("/find?"));
    paths.for_each(|path| *sent.entry(path).or_default() += 1);
    sent
}

#[test]
fn a_crawl_from_queries_that_is_killed_sends_hardly_a_query_again_and_loses_no_site() {
    let server = serve();
    let search = format!("search.url=['{}']", server.url("search", "/find?q={query}"));
    let runs = Runs::from(
        Vec::new(),
        &[
            "host.delay=0s",
            "frontier.in_flight_max=4",
            "crawl.policy=xcrawl",
            "policy.want=['selector:article.post']",
            "search.query=['zoom lens']",
            &search,
        ],
    );
    let mut child = runs.start(runs.crawl());
    let deadline = Instant::now() + Duration::from_secs(60);
    for kill in KILLS {
        while queries(&server).len() < kill {
            assert!(child.try_wait().unwrap().is_none(), "it ended too soon: {}", runs.stderr());
            assert!(Instant::now() < deadline, "no {kill} queries in time: {:?}", queries(&server));
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        child = runs.start(runs.resume());
    }
    assert_eq!(child.wait().unwrap().code(), Some(0), "{}", runs.stderr());
    runs.counted();
    let sent = queries(&server);
    let again: u64 = sent.values().map(|times| times - 1).sum();
    // What was in flight is sent again.
    assert!(again <= KILLS.len() as u64, "{again} queries were sent again: {sent:?}");
    assert!(sent.len() > 15, "it went on with further queries: {sent:?}");
    let fetched: BTreeSet<String> = runs
        .lines()
        .into_iter()
        .filter(|line| line.fate == "fetched" && line.url.contains("/t/"))
        .map(|line| line.url)
        .collect();
    assert_eq!(fetched.len(), 2 * THREADS, "all threads of both sites");
}
