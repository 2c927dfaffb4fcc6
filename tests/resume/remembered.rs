//! What a crawl that goes on does not do again.

use std::time::Duration;

use harvestman::model::PageRecord;
use harvestman::sim::{Family, Server, WorldOptions};

use super::runs::{Runs, serve};

fn forum(pages: u64) -> Server {
    let families = vec![Family::Forum];
    let world = WorldOptions { pages, hosts: 1, families, page_bytes: 400, ..WorldOptions::default() };
    serve(&world, Duration::from_millis(2))
}

fn fetched(runs: &Runs) -> Vec<PageRecord> {
    runs.lines().into_iter().filter(|line| line.fate == "fetched").collect()
}

/// Runs until so many more pages are fetched, and kills.
fn run_and_kill(runs: &Runs, command: std::process::Command, more: usize) {
    let wanted = fetched(runs).len() + more;
    let mut child = runs.start(command);
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while fetched(runs).len() < wanted {
        assert!(std::time::Instant::now() < until, "no pages in time: {}", runs.stderr());
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn robots_and_sitemaps_are_fetched_once_however_often_the_crawl_is_killed() {
    let server = forum(400);
    let runs = Runs::of(&server, &["host.delay=5ms", "host.delay_factor=0"]);
    run_and_kill(&runs, runs.crawl(), 40);
    run_and_kill(&runs, runs.resume(), 40);
    run_and_kill(&runs, runs.resume(), 40);
    let mut last = runs.start(runs.resume());
    assert_eq!(last.wait().unwrap().code(), Some(0), "{}", runs.stderr());
    runs.check_complete(&server);
    let mut errands: Vec<String> =
        server.log().entries().iter().map(|entry| format!("{}{}", entry.host, entry.path)).collect();
    errands.retain(|path| path.ends_with("/robots.txt") || path.contains("sitemap"));
    let asked = errands.len();
    errands.sort();
    errands.dedup();
    assert_eq!(errands.len(), 3, "robots.txt, an index of sitemaps, and a sitemap: {errands:?}");
    assert_eq!(asked, errands.len(), "each was asked for once: {errands:?}");
}

#[test]
fn a_sitemap_that_was_not_read_yet_is_read_by_the_next_run() {
    let server = forum(300);
    let runs = Runs::of(&server, &["host.delay=250ms", "host.delay_factor=0"]);
    let mut child = runs.start(runs.crawl());
    let has_index = || server.log().entries().iter().any(|entry| entry.path.contains("sitemap"));
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while !has_index() {
        assert!(std::time::Instant::now() < until, "no sitemap in time: {}", runs.stderr());
        std::thread::sleep(Duration::from_millis(2));
    }
    // The index may be read, and what it names is not.
    std::thread::sleep(Duration::from_millis(180));
    child.kill().unwrap();
    child.wait().unwrap();
    let mut resume = runs.resume();
    resume.args(["--delay", "0s"]);
    assert_eq!(runs.start(resume).wait().unwrap().code(), Some(0), "{}", runs.stderr());
    let index = server.log().entries().iter().filter(|entry| entry.path.contains("sitemap")).count();
    assert!(index >= 2, "what the index names was read");
    runs.check_complete(&server);
}

#[test]
fn a_budget_of_pages_of_a_host_counts_the_whole_crawl() {
    let server = forum(400);
    let settings = ["host.delay=3ms", "host.delay_factor=0", "robots.sitemaps=false", "budget.pages_per_host=120"];
    let runs = Runs::of(&server, &settings);
    run_and_kill(&runs, runs.crawl(), 40);
    run_and_kill(&runs, runs.resume(), 40);
    let mut last = runs.start(runs.resume());
    assert_eq!(last.wait().unwrap().code(), Some(0), "{}", runs.stderr());
    let mut urls: Vec<String> =
        runs.lines().into_iter().map(|line| line.url).filter(|url| !url.contains("//portal")).collect();
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), 120, "{}", runs.report()["fates"]);
    assert!(runs.report()["fates"]["over_budget"]["host_pages"].as_u64().unwrap() > 0);
}
