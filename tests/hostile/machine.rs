//! A machine that lacks something for requests: no host is blamed for it.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::crawl::{Crawl, harvestman};
use super::site::{Site, start_page};

const HOSTS: usize = 400;

#[test]
fn more_hosts_than_open_files_cost_no_host_its_page() {
    let links: String = (0..HOSTS).map(|n| format!("<a href=http://n{n}.h.test/>x</a>")).collect();
    let site = Site::scripted(move |target, peer| match target {
        "/robots.txt" => peer.answer("404 Not Found", "", b""),
        _ if peer.head.contains("Host: n0.h.test") => peer.page(&links),
        _ => peer.page("<p>fine</p>"),
    });
    let crawl = Crawl::from(["http://n0.h.test/"]).after("ulimit -n 256").set("frontier.in_flight_max=256");
    let crawl = crawl.arg("--resolve").arg(&format!("*.h.test:127.0.0.1:{}", site.port()));
    let crawl = crawl.set("scope.mode=any").set("fetch.private_addresses=true").set("host.connections_per_ip=0");
    let outcome = crawl.finish();
    assert_eq!((outcome.count("fetched"), outcome.count("failed")), (HOSTS as u64, 0), "{}", outcome.stderr);
}

fn await_true(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "{what} did not come true");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_crawl_waits_for_a_proxy_that_is_down_and_goes_on_when_it_is_back() {
    // Nobody listens there any more, and no other test will.
    let address = TcpListener::bind("127.0.7.1:0").unwrap().local_addr().unwrap();
    let crawl = Crawl::from(["http://site.test/"]).arg("--proxy").arg(&format!("http://{address}"));
    let running = crawl.after("ulimit -S -n 128").set("host.breaker_failures=1").start();
    let out = running.out().to_owned();
    let says = |text: &str| {
        let status = harvestman().arg("ctl").arg(&out).arg("status").output().unwrap();
        String::from_utf8_lossy(&status.stdout).contains(text)
    };
    await_true("a status that names the proxy", || says("stalled: the proxy cannot be reached"));
    // The limit that the shell lowered was raised again.
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", running.id())).unwrap();
    let files: Vec<_> = limits.lines().find(|line| line.starts_with("Max open files")).unwrap().split(' ').collect();
    assert!(!files.contains(&"128"), "{files:?}");
    let start = start_page(&[]);
    let proxy = Site::at(TcpListener::bind(address).unwrap(), move |target, peer| match target {
        "http://site.test/robots.txt" => peer.answer("404 Not Found", "", b""),
        "http://site.test/" => peer.page(&start),
        _ => peer.page("<p>fine</p>"),
    });
    let outcome = running.wait();
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome.assert_accounted();
    assert_eq!((outcome.count("fetched"), outcome.count("failed")), (6, 0), "{:?}", outcome.fates());
    assert_eq!(
        outcome.stderr.matches("requests wait for it, and no host is given up").count(),
        1,
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.report()["errors"], serde_json::json!({"http_404": 1}));
    assert!(proxy.requests().len() >= 7);
}
