//! Hosts that die, ask to be left alone for ever, or do not exist: the others are crawled to the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::crawl::{Crawl, Outcome};
use super::site::{Site, Then, start_page};

fn healthy() -> Site {
    Site::with_links(&[], |_, peer| peer.page(""))
}

fn numbered(count: usize) -> String {
    (0..count).map(|n| format!("<a href=/n{n}>x</a>")).collect()
}

fn fates_at(outcome: &Outcome, site: &Site, fate: &str) -> usize {
    outcome.fates().iter().filter(|(url, is)| url.starts_with(&site.url("/")) && is.as_str() == fate).count()
}

#[test]
fn a_host_that_dies_in_mid_crawl_is_given_up_and_the_others_finish() {
    let dead = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&dead);
    let dying = Site::scripted(move |target, peer| match target {
        "/robots.txt" => peer.answer("404 Not Found", "", b""),
        "/" => peer.page(&numbered(60)),
        _ if counted.fetch_add(1, Ordering::SeqCst) < 10 => peer.page("<p>still here"),
        _ => Then::Reset,
    });
    let healthy = healthy();
    let outcome = Crawl::from([dying.url("/"), healthy.url("/")]).finish();
    outcome.assert_healthy(&healthy);
    assert_eq!(fates_at(&outcome, &dying, "fetched"), 11);
    let given_up = fates_at(&outcome, &dying, "failed: host_given_up");
    let broken = fates_at(&outcome, &dying, "failed: disconnected");
    assert_eq!(given_up + broken, 50, "{:#?}", outcome.fates());
    assert!(given_up > 20, "most of them without a request: {given_up}");
}

#[test]
fn a_host_that_stops_listening_is_given_up() {
    let site = Arc::new(parking_lot::Mutex::new(None::<Site>));
    let own = Arc::clone(&site);
    let dying = Site::scripted(move |target, peer| match target {
        "/robots.txt" => peer.answer("404 Not Found", "", b""),
        _ => {
            peer.page(&numbered(30));
            own.lock().as_ref().unwrap().close();
            Then::Close
        }
    });
    let url = dying.url("/");
    *site.lock() = Some(dying);
    let healthy = healthy();
    let outcome = Crawl::from([url.as_str(), &healthy.url("/")]).finish();
    outcome.assert_healthy(&healthy);
    assert_eq!(outcome.count("failed"), 30);
    let report = outcome.report();
    // Which URLs used up their tries before the host was given up depends on how fast it was noticed; why it was given
    // up does not.
    assert!(report["fates"]["failed"]["host_given_up"].as_u64() > Some(0), "{}", report["fates"]);
    assert_eq!(report["troubles"][0]["reason"], "connect", "{} {}", report["troubles"], report["errors"]);
}

/// A host that answers every page with `status` and asks for ten years of rest.
fn resting(status: &'static str) -> Site {
    let start = start_page(&[]);
    Site::scripted(move |target, peer| match target {
        "/robots.txt" => peer.answer("404 Not Found", "", b""),
        "/" => peer.page(&start),
        _ => peer.answer(status, "Retry-After: 315360000\r\n", b""),
    })
}

#[test]
fn a_rest_of_ten_years_is_cut_to_what_is_set_and_the_pages_fail() {
    let (later, busy, healthy) = (resting("429 Too Many Requests"), resting("503 Service Unavailable"), healthy());
    let outcome = Crawl::from([&later, &busy, &healthy].map(|site| site.url("/"))).finish();
    outcome.assert_healthy(&healthy);
    assert_eq!(fates_at(&outcome, &later, "failed: http_429"), 5);
    assert_eq!(fates_at(&outcome, &busy, "failed: http_503"), 5);
}

#[test]
fn hosts_that_are_left_alone_for_long_do_not_keep_the_crawl_beyond_its_time() {
    let (later, healthy) = (resting("429 Too Many Requests"), healthy());
    let crawl = Crawl::from([&later, &healthy].map(|site| site.url("/")));
    let outcome = crawl.set("host.retry_after_max=24h").arg("--time").arg("5s").run_whole();
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(outcome.report()["stop_reason"], "time_budget");
    outcome.assert_healthy(&healthy);
    assert_eq!(outcome.count("queued") + outcome.count("failed"), 5);
    assert!(outcome.took < Duration::from_secs(15), "{:?}", outcome.took);
}

#[test]
fn hosts_that_do_not_exist_cost_their_own_links_only() {
    let links = [
        "http://nowhere.invalid/1",
        "http://nowhere.invalid/2",
        "https://nowhere.invalid/",
        "http://-.invalid/",
        "http://127.0.0.1:1/",
        "https://127.0.0.1:1/",
        "http://xn--a.invalid/",
    ];
    let site = Site::with_links(&links, |_, peer| peer.page(""));
    let plain = Site::with_links(&[], |_, peer| peer.page(""));
    // TLS to a server that speaks none, and waits for the end of a head.
    let tls = format!("https://127.0.0.1:{}/", plain.port());
    let outcome = Crawl::from([site.url("/"), tls.clone()]).set("scope.mode=any").finish();
    outcome.assert_healthy(&site);
    let fates = outcome.fates();
    for url in ["http://nowhere.invalid/1", "http://nowhere.invalid/2", "https://nowhere.invalid/"] {
        assert_eq!(fates[url], "failed: dns");
    }
    assert_eq!(fates["http://127.0.0.1:1/"], "failed: connect");
    assert_eq!(fates["https://127.0.0.1:1/"], "failed: connect");
    assert_eq!(fates[&tls], "failed: tls_timeout");
}

#[test]
fn an_unreachable_seed_ends_the_crawl_soon_with_the_reason() {
    for (seed, reason) in [("http://127.0.0.1:1/", "connect"), ("http://nowhere.invalid/", "dns")] {
        let outcome = Crawl::from([seed]).run_whole();
        assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
        assert_eq!(outcome.count_of("failed", reason), 1, "{}", outcome.report());
        assert!(outcome.stdout.contains(reason), "the reason is named: {}", outcome.stdout);
        assert!(outcome.took < Duration::from_secs(20), "{:?}", outcome.took);
    }
}

/// URLs whose answers break the protocol are tried again behind the others of their host, and two of them open no
/// breaker.
#[test]
fn urls_with_broken_answers_do_not_hold_up_their_host() {
    let bad = ["/chunk-overflow", "/extensions"];
    let site = Site::with_links(&bad, |target, peer| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
        match target {
            "/chunk-overflow" => peer.raw(format!("{head}fffffffffffffffff\r\nx")),
            _ => peer.raw(format!("{head}5;{}\r\nhello\r\n", "x=y;".repeat(100_000))),
        }
    });
    let crawl = Crawl::of(&site).set("host.connections_per_host=1").set("host.breaker_pause=5m");
    let outcome = crawl.set("host.retries_max=3").set("host.breaker_failures=5").finish();
    outcome.assert_healthy(&site);
    outcome.assert_fates(&site, &bad.map(|path| (path, "fetched (disconnect)")));
    let asked: Vec<String> = site.requests().iter().map(|head| head.split(' ').nth(1).unwrap().to_owned()).collect();
    let last_healthy = asked.iter().rposition(|path| path.starts_with("/ok/")).unwrap();
    for path in bad {
        let tries: Vec<usize> = (0..asked.len()).filter(|at| asked[*at] == path).collect();
        assert_eq!(tries.len(), 4, "{asked:?}");
        assert!(tries[0] < last_healthy && tries[1] > last_healthy, "{asked:?}");
    }
}
