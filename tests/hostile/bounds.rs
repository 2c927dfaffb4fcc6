//! Every bound at its least: what waits for room must get it, whatever the hosts do, or the crawl would never end.

use super::crawl::{Crawl, Outcome};
use super::site::{Site, Then, start_page};

const LEAST: &[&str] = &[
    "frontier.in_flight_max=1",
    "crawl.threads=1",
    "crawl.io_threads=1",
    "host.connections_per_host=1",
    "host.connections_per_ip=1",
    "fetch.large_bodies=1",
    "archive.file_size_max=1",
    "archive.revisit_memory=0",
];

/// Sites of every kind, with one start page each; of those in front all pages are healthy.
fn all_kinds() -> (Vec<Site>, Vec<Site>) {
    let healthy = (0..3).map(|_| Site::with_links(&[], |_, peer| peer.page(""))).collect();
    let with = |robots: &'static str, page: &'static str| {
        let start = start_page(&[]);
        Site::scripted(move |target, peer| match (target, if target == "/robots.txt" { robots } else { page }) {
            ("/", _) if page != "all reset" => peer.page(&start),
            (_, "none") => peer.answer("404 Not Found", "", b""),
            (_, "reset" | "all reset") => Then::Reset,
            (_, "stall") => peer.stall(),
            (_, "all") => peer.answer("200 OK", "", b"User-agent: *\nDisallow: /\n"),
            (_, "pages") => peer.answer("200 OK", "", b"User-agent: *\nDisallow: /ok\n"),
            (_, status) => peer.answer(status, "Retry-After: 1\r\n", b""),
        })
    };
    let hostile = vec![
        with("none", "reset"),
        with("none", "all reset"),
        with("none", "500 Broken"),
        with("none", "429 Later"),
        with("reset", "none"),
        with("stall", "none"),
        with("503 Busy", "none"),
        with("all", "none"),
        with("pages", "none"),
    ];
    (healthy, hostile)
}

fn crawl(settings: &[&str]) -> Outcome {
    let (healthy, hostile) = all_kinds();
    let mut crawl = Crawl::from(healthy.iter().chain(&hostile).map(|site| site.url("/")));
    for setting in settings {
        crawl = crawl.set(setting);
    }
    let outcome = crawl.finish();
    healthy.iter().for_each(|site| outcome.assert_healthy(site));
    let report = outcome.report();
    assert_eq!(report["hosts"], 12, "{report:#}");
    assert_eq!(outcome.count("queued"), 0, "{report:#}");
    // Of the hostile sites, one resets its start page too, three have no robots.txt to be had, one forbids all, one all
    // but that.
    assert_eq!(outcome.count_of("robots", "disallowed"), 1 + 5, "{report:#}");
    assert_eq!(outcome.count("fetched"), 3 * 6 + 4, "{report:#}");
    outcome
}

#[test]
fn a_crawl_with_every_bound_at_its_least_ends_and_loses_nothing() {
    crawl(LEAST);
}

#[test]
fn each_bound_alone_at_its_least_changes_nothing() {
    for settings in LEAST.chunks(4) {
        crawl(settings);
    }
}

#[test]
fn a_delay_holds_for_all_these_hosts_at_once() {
    crawl(&["host.delay=150ms", "host.connections_per_ip=2"]);
}

#[test]
fn large_bodies_wait_for_their_place_and_not_in_memory() {
    let links: Vec<String> = (0..24).map(|n| format!("/large/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let site = Site::with_links(&links, |_, peer| {
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
        peer.flood([b'x'; 65_536])
    });
    let crawl = Crawl::of(&site).set("fetch.body_max=8MiB").set("fetch.large_bodies=1").set("fetch.whole_timeout=60s");
    // The bodies alone are 192 MiB; a program that is not optimized takes a third of this before it fetches anything.
    let crawl = crawl.set("host.connections_per_host=24").memory_max_mib(170);
    let outcome = crawl.finish();
    outcome.assert_healthy(&site);
    let whole = outcome.fates().values().filter(|fate| *fate == "fetched (length)").count();
    assert_eq!(whole, 24, "{:#?}", outcome.fates());
}

#[test]
fn a_budget_of_requests_is_overdrawn_by_the_errands_under_way_at_most() {
    let (healthy, hostile) = all_kinds();
    let sites: Vec<&Site> = healthy.iter().chain(&hostile).collect();
    let outcome = Crawl::from(sites.iter().map(|site| site.url("/"))).arg("--requests").arg("30").run_whole();
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let report = outcome.report();
    assert_eq!(report["stop_reason"], "requests_budget");
    let sent: usize = sites.iter().map(|site| site.requests().len()).sum();
    // Each host may be asking for its robots.txt when the budget is spent.
    assert!((30..=30 + 12).contains(&sent), "{sent} requests");
    assert!(report["requests"].as_u64().unwrap() <= sent as u64, "{report:#}");
}

#[test]
fn a_proxy_that_is_not_there_is_waited_for_as_long_as_the_crawl_may_take_and_nothing_is_lost() {
    let site = Site::with_links(&[], |_, peer| peer.page(""));
    let outcome = Crawl::of(&site).arg("--proxy").arg("http://127.0.0.1:1").arg("--time").arg("1s").run_whole();
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert_eq!(outcome.report()["stop_reason"], "time_budget");
    assert_eq!((outcome.count("queued"), outcome.count("failed")), (1, 0));
    assert!(outcome.took < std::time::Duration::from_secs(20), "{:?}", outcome.took);
    assert_eq!(site.connections(), 0, "nothing goes round the proxy");
}
