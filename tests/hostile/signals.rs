//! SIGINT and SIGTERM in mid-crawl.

use std::path::Path;
use std::time::{Duration, Instant};

use super::crawl::{Crawl, Running};
use super::site::{Site, Then};

/// A site without end, each page of which takes a while.
fn endless() -> Site {
    Site::with_links(&["/n/0"], |target, peer| {
        std::thread::sleep(Duration::from_millis(20));
        let n: u64 = target.trim_start_matches("/n/").parse().unwrap();
        peer.page(&format!("<a href=/n/{}>a</a><a href=/n/{}>b</a>", 2 * n + 1, 2 * n + 2))
    })
}

/// Waits until so many lines are in the page log.
fn await_lines(out: &Path, count: usize) {
    let until = Instant::now() + Duration::from_secs(30);
    while std::fs::read_to_string(out.join("pages.jsonl")).unwrap_or_default().lines().count() < count {
        assert!(Instant::now() < until, "no {count} pages in time");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn under_way(site: &Site) -> Running {
    let running = Crawl::of(site).set("scope.trap_guard=false").start();
    await_lines(running.out(), 10);
    running
}

#[test]
fn the_first_signal_finishes_what_is_under_way_and_writes_everything() {
    for signal in ["INT", "TERM"] {
        let site = endless();
        let running = under_way(&site);
        running.signal(signal);
        let outcome = running.wait();
        assert_eq!(outcome.code, Some(130), "{signal}: {}", outcome.stderr);
        outcome.assert_whole();
        outcome.assert_accounted();
        let report = outcome.report();
        assert_eq!(report["stop_reason"], "interrupted");
        assert!(outcome.count("queued") > 0 && outcome.count("fetched") >= 10, "{report:#}");
        assert!(outcome.took < Duration::from_secs(30));
    }
}

#[test]
fn the_second_signal_ends_at_once() {
    // The pages stall, so that the crawl would wait for them for long.
    let site = Site::with_links(&["/stall/1", "/stall/2"], |_, peer| peer.stall());
    let crawl = Crawl::of(&site);
    let crawl = crawl.set("fetch.first_byte_timeout=60s").set("fetch.whole_timeout=60s");
    let running = crawl.start();
    await_lines(running.out(), 6);
    running.signal("INT");
    std::thread::sleep(Duration::from_millis(300));
    let second = Instant::now();
    running.signal("TERM");
    let outcome = running.wait();
    assert_eq!(outcome.code, Some(130));
    assert!(second.elapsed() < Duration::from_secs(10), "{:?}", second.elapsed());
    assert_eq!(outcome.lines().len(), 6, "the page log is whole");
}

#[test]
fn a_signal_while_the_only_host_is_left_alone_ends_at_once_too() {
    let site = Site::scripted(|_, peer| {
        peer.answer("503 Busy", "", b"");
        Then::Close
    });
    let crawl = Crawl::of(&site).set("robots.unavailable_retry=1h").set("robots.unavailable_retry_max=1h");
    let running = crawl.start();
    let until = Instant::now() + Duration::from_secs(20);
    while site.requests().is_empty() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(200));
    running.signal("INT");
    let outcome = running.wait();
    assert_eq!(outcome.code, Some(130));
    assert_eq!(outcome.count("queued"), 1);
    assert!(outcome.took < Duration::from_secs(25), "{:?}", outcome.took);
}
