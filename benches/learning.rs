//! What learning costs, relative to a breadth-first crawl in the same run.
//!
//! A static site (pages of about 29 KB with 84 links, two of them to the lists of their tags) is served by another
//! process and crawled in turn by `bfs` and by each policy, each with its archive and its state on disk. Printed are
//! the processor and the wall time of each crawl, and the processor time of a request by each policy relative to `bfs`,
//! pair by pair.
//!
//! `cargo bench --bench learning` takes some minutes. Variables of the environment change what it does:
//!
//! * `HARVESTMAN_BENCH_PAGES`: the number of pages (50,000), without the lists of tags: one for every 31 pages;
//! * `HARVESTMAN_BENCH_ROUNDS`: how often each policy is measured (3);
//! * `HARVESTMAN_BENCH_POLICIES`: the policies, of `ucc`, `topic`, `xcrawl` and `bfs` (`ucc,topic,xcrawl`);
//! * `HARVESTMAN_BENCH_WANT`: the validator of `xcrawl` (`selector:p.message`, which all pages but the lists have; no
//!   page is rejected by a name that it lacks). `words` learns from two pages of the site.
#![expect(clippy::print_stdout, reason = "a bench's result is what it prints")]

mod static_site;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use harvestman::clock::Stopwatch;
use harvestman::config::{Config, PolicyKind};
use harvestman::report::{Hooks, Report};
use static_site::{Coding, Site, cpu_seconds, median, number};

/// Number of tags of the site.
const TAGS: u64 = 50;
/// The topic of `topic`: a tag that one in 25 pages has.
const TOPIC: &str = "t3";
/// The default validator of `xcrawl`.
const WANT: &str = "selector:p.message";

fn main() {
    let pages = number("HARVESTMAN_BENCH_PAGES", 50_000);
    let rounds = number("HARVESTMAN_BENCH_ROUNDS", 3);
    let policies = policies();
    let mut site = Site::start(pages, TAGS, Coding::Identity);
    println!(
        "{pages} static pages and the lists of {TAGS} tags, {rounds} rounds: processor seconds, seconds, requests"
    );
    for policy in policies {
        let mut ratios = [const { Vec::new() }; 2];
        for round in 1..=rounds {
            let [bfs, learning] = [PolicyKind::Bfs, policy].map(|policy| crawl(&site.seed, pages, policy));
            let row =
                [learning.cpu_of_request() / bfs.cpu_of_request(), learning.time_of_request() / bfs.time_of_request()];
            println!("{round}: bfs {bfs}, {} {learning}: [{:.2}] and [{:.2}]", policy.name(), row[0], row[1]);
            ratios.iter_mut().zip(row).for_each(|(ratios, ratio)| ratios.push(ratio));
        }
        let [by_cpu, by_time] = ratios.each_mut().map(|ratios| median(ratios));
        println!("{}: median ratio of a request: processor time {by_cpu:.2}, time {by_time:.2}", policy.name());
    }
    site.stop();
}

/// The policies to measure.
fn policies() -> Vec<PolicyKind> {
    let named = std::env::var("HARVESTMAN_BENCH_POLICIES").unwrap_or_else(|_| "ucc,topic,xcrawl".to_owned());
    let known = [PolicyKind::Bfs, PolicyKind::Ucc, PolicyKind::Topic, PolicyKind::Xcrawl];
    let of_name = |name: &str| known.into_iter().find(|kind| kind.name() == name.trim());
    named.split(',').map(|name| of_name(name).unwrap_or_else(|| panic!("`{name}` is none of the policies"))).collect()
}

/// What a crawl took.
struct Taken {
    cpu_seconds: f64,
    seconds: f64,
    requests: u64,
}

impl Taken {
    fn cpu_of_request(&self) -> f64 {
        self.cpu_seconds / self.requests as f64
    }

    fn time_of_request(&self) -> f64 {
        self.seconds / self.requests as f64
    }
}

impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} and {:.2} for {}", self.cpu_seconds, self.seconds, self.requests)
    }
}

/// Crawls the site.
fn crawl(seed: &str, pages: u64, policy: PolicyKind) -> Taken {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut config = static_site::config(seed, directory.path());
    config.crawl.policy = policy;
    set_goal(&mut config, seed, directory.path());
    let mut report: Option<Report> = None;
    let mut watch = Stopwatch::start();
    let cpu_seconds = cpu_seconds(|| {
        let system = harvestman::pipeline::runtime(&config);
        report = Some(system.block_on(harvestman::pipeline::run(&config, Hooks::none())).expect("the crawl runs"));
    });
    let seconds = watch.lap().as_secs_f64();
    let report = report.expect("it ran");
    assert!(report.pages >= pages, "only {} pages were fetched", report.pages);
    Taken { cpu_seconds, seconds, requests: report.requests }
}

/// Sets what `topic` and `xcrawl` look for.
fn set_goal(config: &mut Config, seed: &str, directory: &Path) {
    match config.crawl.policy {
        PolicyKind::Topic => config.policy.topic = vec![TOPIC.to_owned()],
        PolicyKind::Xcrawl => {
            let want = std::env::var("HARVESTMAN_BENCH_WANT").unwrap_or_else(|_| WANT.to_owned());
            if want.starts_with("words") {
                config.policy.example.0 = [5, 6].map(|number| example(seed, number, directory)).into();
            }
            config.policy.want = vec![want];
        }
        _ => {}
    }
}

/// Writes a page of the site into a file. Returns its name.
fn example(seed: &str, number: u64, directory: &Path) -> String {
    let address = seed.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).expect("the site answers");
    write!(stream, "GET /thread/{number}.html HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
        .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers in text");
    let (_, page) = answer.split_once("\r\n\r\n").expect("a body");
    let file = directory.join(format!("{number}.html"));
    std::fs::write(&file, page).expect("a file");
    file.display().to_string()
}
