//! Crawls that start from queries to a search.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use harvestman::config::{Config, PolicyKind};
use parking_lot::Mutex;
use serde_json::json;

use super::crawling::{self, Crawled};
use super::scripted::{Reply, Scripted};

/// Number of threads of a site.
const THREADS: usize = 30;

/// A thread: its words are about lenses.
fn thread(number: usize) -> Reply {
    let next = (1..4).map(|step| format!("<li><a href='/t/{}'>more</a></li>", (number + step) % THREADS));
    Reply::html(format!(
        "<html><body class=thread><article class=post><p>zoom lens sensor shoe number {number}</p></article><ul>{}</ul></body></html>",
        next.collect::<String>()
    ))
}

fn site(path: &str) -> Reply {
    match path.strip_prefix("/t/").and_then(|number| number.parse().ok()) {
        Some(number) if number < THREADS => thread(number),
        _ if path == "/" => Reply::links(&["/t/0", "/t/1", "/about"]),
        _ if path == "/about" => Reply::html("<html><body class=about><p>about</p></body></html>"),
        _ => Reply::status(404),
    }
}

/// Two sites with threads, one without, and a search that knows pages of all three.
fn start(answer: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Scripted {
    Scripted::start(move |host, path, times| match host {
        "search" if path == "/robots.txt" => Reply::text("User-agent: *\nDisallow: /\n"),
        "search" => answer(path, times),
        "one" | "two" => site(path),
        "poor" if path.starts_with("/p/") => Reply::links(&["/p/x", "/p/y"]),
        _ => Reply::status(404),
    })
}

fn config(server: &Scripted, queries: &[&str]) -> Config {
    let mut config = crawling::config(Vec::new());
    config.scope.hosts.clear();
    config.crawl.policy = PolicyKind::Xcrawl;
    config.policy.want = vec!["selector:article.post".to_owned()];
    config.search.url = vec![server.url("search", "/find?q={query}&format=json")];
    config.search.query = queries.iter().map(|query| (*query).to_owned()).collect();
    config
}

/// The paths of each site that were asked for, without robots.txt.
fn asked(server: &Scripted, host: &str) -> Vec<String> {
    server.paths(host).into_iter().filter(|path| path != "/robots.txt").collect()
}

fn found(server: &Scripted, crawled: &Crawled, host: &str) -> usize {
    let prefix = server.url(host, "/t/");
    crawled.urls("fetched").iter().filter(|url| url.starts_with(&prefix)).count()
}

/// A server whose search answers JSON with these results, once it is known where they are.
fn searching(results: fn(&Scripted) -> Vec<String>) -> Scripted {
    let urls: Arc<Mutex<Vec<String>>> = Arc::default();
    let known = Arc::clone(&urls);
    let server = start(move |_, _| {
        let results: Vec<_> = known.lock().iter().map(|url| json!({ "url": url })).collect();
        let body = json!({ "number_of_results": 12, "results": results }).to_string();
        Reply { headers: vec![("Content-Type", "application/json".to_owned())], ..Reply::text(body) }
    });
    *urls.lock() = results(&server);
    server
}

#[test]
fn a_crawl_from_a_query_crawls_the_sites_with_wanted_pages_and_no_others() {
    let server = searching(|server| {
        let url = |host, path| server.url(host, path);
        vec![url("one", "/t/3"), url("two", "/t/4"), url("poor", "/p/1"), url("gone", "/nothing")]
    });
    let crawled = crawling::crawl(config(&server, &["zoom lens"]));
    for host in ["one", "two"] {
        assert_eq!(found(&server, &crawled, host), THREADS, "{host}: {:?}", asked(&server, host));
    }
    assert_eq!(asked(&server, "poor"), ["/p/1"], "a site without a wanted page is left after its result");
    let queries = asked(&server, "search");
    assert_eq!(queries[0], "/find?q=zoom%20lens&format=json", "robots.txt does not hold for what a user names");
    // Then queries from the first wanted pages: single words, then combinations, of which none finds a new site.
    assert!((4..40).contains(&queries.len()), "{queries:?}");
    assert!(queries.iter().any(|query| query.contains("%20")), "{queries:?}");

    let explained = |url: String| {
        let program = env!("CARGO_BIN_EXE_harvestman");
        let output = Command::new(program).arg("explain").arg(crawled.out()).arg(url).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let result = explained(server.url("one", "/t/3"));
    assert!(result.contains("the answer of a search to the query `zoom lens`"), "{result}");
    assert!(result.contains("validator  accepts it (selector:article.post)"), "{result}");
    let query = explained(server.url("search", &queries[0]));
    assert!(query.contains("it is the answer of a search to the query `zoom lens`"), "{query}");
    let poor = explained(server.url("poor", "/p/1"));
    assert!(poor.contains("does not accept it"), "{poor}");

    let searches = crawled.report.searches.as_ref().unwrap();
    assert_eq!((searches.queries, searches.found), (queries.len() as u64, 2));
    let sites: Vec<_> = searches.sites.iter().map(|site| (site.site.clone(), site.wanted, site.left)).collect();
    let [one, two] = ["one", "two"].map(|host| server.url(host, ""));
    assert_eq!(
        sites.iter().map(|(site, _, left)| (site.clone(), *left)).collect::<BTreeMap<_, _>>(),
        [(one, false), (two, false)].into()
    );
    assert!(sites.iter().all(|(_, wanted, _)| *wanted >= THREADS as u64 - 1), "{sites:?}");
    assert!(crawled.report.to_string().contains("queries found 2 sites"), "{}", crawled.report);
}

#[test]
fn an_example_is_enough_to_begin_and_a_redirected_result_counts() {
    let place: Arc<Mutex<[String; 2]>> = Arc::default();
    let known = Arc::clone(&place);
    let server = Scripted::start(move |host, path, _| {
        let [old, new] = known.lock().clone();
        match host {
            "search" => Reply::links(&[&old, "/about"]),
            "old" if path == "/7" => Reply::redirect(301, new),
            "one" => site(path),
            _ => Reply::status(404),
        }
    });
    *place.lock() = [server.url("old", "/7"), server.url("one", "/t/7")];
    let dir = tempfile::tempdir().unwrap();
    let example = dir.path().join("example.html");
    std::fs::write(&example, thread(1).body).unwrap();
    let mut config = config(&server, &[]);
    config.policy.example.0 = vec![example.display().to_string()];
    let crawled = crawling::crawl(config);
    assert_eq!(found(&server, &crawled, "one"), THREADS);
}

#[test]
fn a_search_that_is_down_or_answers_nonsense_ends_the_crawl_soon() {
    let replies: [fn() -> Reply; 4] = [
        || Reply::status(404),
        || Reply::html("<html><body><h1>Are you a robot?</h1><form><input name=captcha></form></body></html>"),
        || Reply { headers: vec![("Content-Type", "application/json".to_owned())], ..Reply::text("{\"results\": [") },
        || Reply::redirect(302, "/consent"),
    ];
    for reply in replies {
        let server = start(move |_, _| reply());
        let mut config = config(&server, &["zoom", "lens", "sensor", "shoe", "flash"]);
        config.policy.example.0.clear();
        let crawled = crawling::crawl(config);
        let queries = asked(&server, "search").len();
        assert!((3..=6).contains(&queries), "{queries} of {:?}", crawled.report.fates);
        assert!(asked(&server, "one").is_empty());
    }
}
