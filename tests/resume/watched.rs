//! A running crawl, watched and told through its live page's API.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use harvestman::sim::WorldOptions;
use serde_json::Value;

use super::runs::{Runs, output, serve, sums};

/// The live page of a crawl that runs.
struct Page {
    address: String,
    token: String,
}

impl Page {
    /// As `live.url` says, once it is there.
    fn of(runs: &Runs) -> Self {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let text = std::fs::read_to_string(runs.out().join("live.url")).unwrap_or_default();
            if let Some(page) = Self::named(&text) {
                return page;
            }
            assert!(Instant::now() < until, "no live page in time: {}", runs.stderr());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The address that stands in a text.
    fn named(text: &str) -> Option<Self> {
        let (address, token) = text.split_once("http://")?.1.split_once("/#token=")?;
        Some(Self { address: address.to_owned(), token: token.split_whitespace().next()?.to_owned() })
    }

    fn send(&self, request: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let head = format!(
            "{request} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    fn ask(&self, request: &str, body: &str) -> (String, String) {
        let mut answer = String::new();
        self.send(request, body).read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }

    fn view(&self) -> Value {
        let (status, body) = self.ask("GET /api/live", "");
        assert!(status.contains("200"), "{status}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn tell(&self, command: &str, arguments: &str) -> String {
        let (status, body) = self.ask(&format!("POST /api/{command}"), arguments);
        assert!(status.contains("200"), "{command} {arguments}: {status}: {body}");
        body
    }

    /// Gives a command about a cluster that is not `other`, and returns its number. What was fetched before may still
    /// be learned from: then the number is gone, and one of the next view is taken.
    fn tell_of_cluster(&self, command: &str, other: Option<u64>) -> u64 {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let cluster = clusters(&self.view()).into_iter().find(|cluster| Some(*cluster) != other).unwrap();
            let (status, why) = self.ask(&format!("POST /api/{command}"), &format!("[\"{cluster}\"]"));
            if status.contains("200") {
                return cluster;
            }
            assert!(status.contains("422") && Instant::now() < until, "{command} {cluster}: {status}: {why}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The first view of which this is true.
    fn until(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let view = self.view();
            if is_so(&view) {
                return view;
            }
            assert!(Instant::now() < until, "{what} did not come true: {view:#}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// A process that serves until it is ended.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn count(view: &Value, stage: &str) -> u64 {
    let stages = view["funnel"].as_array().unwrap();
    stages.iter().find(|each| each["stage"] == stage).unwrap()["count"].as_u64().unwrap()
}

/// The numbers of the clusters: not 0, which stands for the pages of before the templates, nor 1, the outliers.
fn clusters(view: &Value) -> Vec<u64> {
    let nodes = view["site"]["nodes"].as_array().unwrap().iter();
    nodes.map(|node| node["id"].as_u64().unwrap()).filter(|id| *id > 1).collect()
}

#[test]
fn a_crawl_shows_its_funnel_its_site_and_its_hosts_and_does_what_its_page_tells_it() {
    let server = serve(&WorldOptions { pages: 1_500, ..WorldOptions::default() }, Duration::from_millis(1));
    let settings = ["host.delay=4ms", "host.delay_factor=0", "crawl.policy=ucc", "metrics.listen=127.0.0.1:0"];
    let runs = Runs::of(&server, &settings);
    let mut running = runs.start(runs.crawl());
    let page = Page::of(&runs);

    // URLs that robots.txt excludes come early, but not always before the clusters.
    let view = page.until("clusters", |view| {
        let is_excluded = sums(&view["status"]["fates"]).contains_key("robots");
        is_excluded && clusters(view).len() >= 3
    });
    assert_eq!(view["site"]["kind"], "clusters");
    assert!(view["site"]["edges"].as_array().unwrap().iter().all(|edge| edge["share"].as_f64().unwrap() <= 1.0));
    assert!(!view["classes"]["rows"].as_array().unwrap().is_empty());
    assert!(view["hosts"]["rows"].as_array().unwrap().iter().any(|row| row["delay_seconds"] == 0.004));
    let fetches = view["fetches"].as_array().unwrap();
    assert!((1..=50).contains(&fetches.len()) && fetches[0]["url"].as_str().unwrap().starts_with("http://"));

    page.tell("pause", "");
    let view = page.until("rest", |view| view["status"]["paused"] == true && view["status"]["leased"] == 0);
    let status = &view["status"];
    assert_eq!(count(&view, "discovered"), status["discovered"]);
    assert_eq!(count(&view, "pages"), status["pages"]);
    // URLs that robots.txt excludes have a line in the page log and no records.
    assert!(sums(&status["fates"])["robots"] > 0, "{}", status["fates"]);
    let requests = status["requests"].as_u64().unwrap();
    assert!((count(&view, "pages")..=requests).contains(&count(&view, "archived")), "{view:#}");
    let fates = sums(&status["fates"]);
    assert_eq!(fates.values().sum::<u64>(), count(&view, "discovered"), "{fates:?}");
    let pages = view["history"]["pages"].as_array().unwrap();
    assert_eq!(pages.last(), Some(&status["pages"]));

    let pinned = page.tell_of_cluster("pin", None);
    let banned = page.tell_of_cluster("ban", Some(pinned));
    page.tell("set", "[\"budget.pages=5000\"]");
    let view = page
        .until("what was told", |view| view["status"]["in_force"]["banned"] == serde_json::json!([banned.to_string()]));
    assert_eq!(view["status"]["in_force"]["pinned"], serde_json::json!([pinned.to_string()]));
    let node =
        |id: u64| view["site"]["nodes"].as_array().unwrap().iter().find(|node| node["id"] == id).unwrap().clone();
    assert_eq!((&node(pinned)["pinned"], &node(banned)["banned"]), (&Value::Bool(true), &Value::Bool(true)));
    let (status, why) = page.ask("POST /api/ban", "[\"9999\"]");
    assert!(status.contains("422") && why.contains("there is no cluster 9999"), "{status}: {why}");

    let mut stream = BufReader::new(page.send("GET /api/events", ""));
    page.tell("unpause", "");
    page.tell("stop", "");
    let mut line = String::new();
    let mut last = String::new();
    while stream.read_line(&mut line).unwrap_or(0) > 0 {
        if line.contains("data: {\"reason\"") {
            last.clone_from(&line);
        }
        line.clear();
    }
    assert!(last.contains("interrupted"), "the end is told: {last}");
    assert_eq!(running.wait().unwrap().code(), Some(130), "{}", runs.stderr());
    assert!(!runs.out().join("live.url").exists());
    let journal = std::fs::read_to_string(runs.out().join("control.jsonl")).unwrap();
    for command in ["pause", "pin", "ban", "set", "unpause", "stop"] {
        assert!(journal.contains(&format!("\"command\":\"{command}\"")), "{journal}");
    }
    let config = std::fs::read_to_string(runs.out().join("config.toml")).unwrap();
    assert!(!config.contains(&page.token), "the token is nobody's business");
    let log = runs.stderr();
    assert!(!log.contains(&page.token) && log.contains("live.url"), "others may read a log: {log}");
}

#[test]
fn idle_clients_hinder_neither_the_crawl_nor_its_operator() {
    let server = serve(&WorldOptions { pages: 150, ..WorldOptions::default() }, Duration::from_millis(1));
    let runs = Runs::of(&server, &["host.delay=2ms", "host.delay_factor=0", "metrics.listen=127.0.0.1:0"]);
    let crawl = runs.crawl();
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 128 && exec \"$@\"", "sh"]).arg(crawl.get_program()).args(crawl.get_args());
    for (name, value) in crawl.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let mut running = runs.start(limited);
    let page = Page::of(&runs);
    page.tell("pause", "");
    let idle: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(&page.address).unwrap()).collect();
    assert!(page.ask("GET /metrics", "").1.contains("harvestman_crawl_pages_total"));
    assert!(page.ask("GET /", "").1.contains("<html"));
    page.tell("unpause", "");
    assert_eq!(running.wait().unwrap().code(), Some(0), "{}", runs.stderr());
    runs.check_complete(&server);
    drop(idle);
}

#[test]
fn a_page_that_is_opened_while_the_crawl_rests_shows_it_too() {
    let server = serve(&WorldOptions { pages: 300, ..WorldOptions::default() }, Duration::from_millis(1));
    let runs = Runs::of(&server, &["host.delay=2ms", "host.delay_factor=0", "metrics.listen=127.0.0.1:0"]);
    let mut running = runs.start(runs.crawl());
    let page = Page::of(&runs);
    runs.await_pages();
    page.tell("pause", "");
    let view = page.until("rest", |view| view["status"]["paused"] == true && view["status"]["leased"] == 0);
    assert_eq!(view["site"]["kind"], "forms");
    assert!(!view["site"]["nodes"].as_array().unwrap().is_empty());
    assert!(view["site"]["note"].as_str().unwrap().contains("`bfs`"), "{view:#}");
    page.tell("stop", "");
    assert_eq!(running.wait().unwrap().code(), Some(130), "{}", runs.stderr());
}

#[test]
fn a_crawl_that_was_started_without_a_page_gets_one_from_another_process() {
    let server = serve(&WorldOptions { pages: 300, ..WorldOptions::default() }, Duration::from_millis(1));
    let runs = Runs::of(&server, &["host.delay=20ms", "host.delay_factor=0"]);
    let none = output(runs.live());
    assert!(
        !none.status.success() && String::from_utf8_lossy(&none.stderr).contains("is not a crawl directory"),
        "{none:?}"
    );
    let mut first = runs.crawl();
    first.args(["--set", "metrics.listen=127.0.0.1:0"]);
    let mut killed = runs.start(first);
    Page::of(&runs);
    runs.await_pages();
    killed.kill().unwrap();
    killed.wait().unwrap();
    let mut again = runs.resume();
    again.args(["--set", "metrics.listen="]);
    let mut running = runs.start(again);
    runs.await_control();
    assert!(
        !runs.out().join("live.url").exists(),
        "where the crawl had a page before it was killed, there is none now"
    );
    let mut serving = Serving(runs.live().stderr(Stdio::piped()).spawn().unwrap());
    let mut said = String::new();
    BufReader::new(serving.0.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let page = Page::named(&said).unwrap();
    assert!(page.ask("GET /", "").1.contains("<html"));
    assert!(page.ask("GET /metrics", "").1.contains("harvestman_crawl_pages_total"));
    let view = page.until("pages", |view| count(view, "pages") > 3);
    assert_eq!(view["crawl"]["policy"], "bfs");
    let wrong = Page { address: page.address.clone(), token: "wrong".to_owned() };
    assert!(wrong.ask("POST /api/stop", "").0.contains("401"));
    let mut stream = BufReader::new(page.send("GET /api/events", ""));
    let mut line = String::new();
    while !line.contains("event: view") {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "a view comes");
    }
    page.tell("stop", "");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap_or_default();
    assert!(rest.contains("event: ended"), "{rest}");
    assert_eq!(running.wait().unwrap().code(), Some(130), "{}", runs.stderr());
    assert!(page.ask("GET /api/live", "").0.contains("502"), "the crawl is gone");
}
