//! Hosts that are waited for in vain: the crawl ends, says so, and another run goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::crawl::{Crawl, Outcome, harvestman};
use super::site::{Site, start_page};

/// The crawl ended long before its hosts would have answered.
fn assert_soon(outcome: &Outcome) {
    assert!(outcome.took < Duration::from_secs(20), "{:?}: {}", outcome.took, outcome.stderr);
    assert!(outcome.stderr.contains("`budget.wait` says how long to wait"), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("harvestman resume"), "{}", outcome.stdout);
}

#[test]
fn a_url_that_always_fails_does_not_keep_a_crawl_and_a_further_run_goes_on_with_it() {
    let repaired = Arc::new(AtomicBool::new(false));
    let is_repaired = Arc::clone(&repaired);
    let site = Site::with_links(&["/bad"], move |_, peer| match is_repaired.load(Ordering::SeqCst) {
        true => peer.page("<p>fine</p>"),
        false => peer.answer("500 Internal Server Error", "", b""),
    });
    let crawl = Crawl::of(&site).set("host.retries_max=20").set("host.backoff_start=1s").set("host.backoff_max=1h");
    let outcome = crawl.set("budget.wait=2s").finish();
    outcome.assert_healthy(&site);
    outcome.assert_fates(&site, &[("/bad", "failed: wait_over")]);
    assert_soon(&outcome);
    repaired.store(true, Ordering::SeqCst);
    let resumed = harvestman().arg("resume").arg(&outcome.out).args(["--set", "budget.wait=1m"]).output().unwrap();
    assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
    let report = outcome.report();
    assert_eq!(report["fates"], serde_json::json!({"fetched": 7}), "{report:#}");
    assert_eq!(report["discovered"], 7);
}

#[test]
fn a_pause_of_a_day_does_not_keep_a_crawl() {
    for status in ["429 Too Many Requests", "503 Service Unavailable"] {
        let start = start_page(&[]);
        let site = Site::scripted(move |target, peer| match target {
            "/robots.txt" => peer.answer("404 Not Found", "", b""),
            "/" => peer.page(&start),
            _ => peer.answer(status, "Retry-After: 86400\r\n", b""),
        });
        let outcome = Crawl::of(&site).set("host.retry_after_max=24h").set("budget.wait=1s").finish();
        assert_eq!(
            (outcome.count("fetched"), outcome.count_of("failed", "wait_over")),
            (1, 5),
            "{:?}",
            outcome.fates()
        );
        assert_soon(&outcome);
    }
}

#[test]
fn a_host_without_a_robots_txt_for_a_day_does_not_keep_a_crawl_of_others() {
    let closed = Site::scripted(|_, peer| peer.answer("503 Service Unavailable", "Retry-After: 86400\r\n", b""));
    let site = Site::with_links(&[], |_, peer| peer.page(""));
    let crawl = Crawl::from([&closed, &site].map(|site| site.url("/"))).set("robots.unavailable_retry=24h");
    let crawl = crawl.set("robots.unavailable_retry_max=24h").set("host.retry_after_max=24h").set("budget.wait=1s");
    let outcome = crawl.finish();
    outcome.assert_healthy(&site);
    outcome.assert_fates(&closed, &[("/", "failed: wait_over")]);
    assert_soon(&outcome);
}
