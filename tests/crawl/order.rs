//! The order of a crawl, and hosts that sleep between their turns.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use harvestman::config::Period;
use harvestman::host::HostLimits;
use harvestman::report::{CrawlStatus, Hooks};
use harvestman::sim::{Family, ServerOptions, WorldOptions};

use crate::crawling::{config, crawl, crawl_with, hooks_within, serve};
use crate::scripted::{Reply, Scripted};

/// With one host, one request at a time and one worker nothing depends on time. (With several hosts the order also
/// depends on which of them answers first.)
#[test]
fn the_same_crawl_of_a_host_one_request_at_a_time_has_the_same_order() {
    let world = WorldOptions {
        pages: 250,
        hosts: 1,
        families: vec![Family::Forum],
        page_bytes: 200,
        ..WorldOptions::default()
    };
    let server = serve(&world, ServerOptions::default());
    let order = || {
        let mut config = config(server.world().seeds());
        (config.crawl.threads, config.frontier.in_flight_max) = (1, 1);
        config.robots.sitemaps = false;
        crawl(config).pages.into_iter().map(|page| (page.url, page.via, page.depth)).collect::<Vec<_>>()
    };
    let first = order();
    assert!(first.len() >= 250);
    assert_eq!(first, order());
    assert!(first.is_sorted_by_key(|(_, _, depth)| *depth), "not breadth first");
}

/// Hooks of a crawl whose hosts go to sleep after this time.
fn asleep_after(sleep_after: Duration) -> Hooks {
    hooks_within(HostLimits { sleep_after, ..HostLimits::default() })
}

/// Breadth first brings a host's links bit by bit: its actor has ended when the next ones come.
#[test]
fn hosts_go_to_sleep_and_keep_their_clocks() {
    let delay = Duration::from_millis(700);
    let world = WorldOptions {
        pages: 400,
        hosts: 200,
        families: vec![Family::Blogs],
        page_bytes: 200,
        ..WorldOptions::default()
    };
    let server = serve(&world, ServerOptions::default());
    let mut config = config(server.world().seeds());
    config.host.delay = Period::millis(delay.as_millis() as u64);
    config.host.connections_per_ip = 512;
    config.frontier.in_flight_max = 512;
    config.budget.time = Period::secs(12);
    config.robots.sitemaps = false;
    let hooks = asleep_after(Duration::from_millis(50));
    let crawled = crawl_with(config, hooks.clone());
    crawled.check_requests(&server);
    assert_eq!(crawled.report.hosts, 200);
    assert!(crawled.report.pages >= 200);
    assert!(hooks.metrics.host.awake.get() < 200, "all hosts are awake");
    let mut last = std::collections::HashMap::new();
    let mut entries = server.log().entries();
    entries.sort_by_key(|entry| entry.us);
    for entry in entries {
        let before = last.insert(entry.host.clone(), entry.us);
        let gap = before.map_or(u64::MAX / 2, |before| entry.us - before);
        // A millisecond, as the clocks of server and crawler start apart.
        assert!(gap + 1_000 >= delay.as_micros() as u64, "{gap} µs between two requests to {}", entry.host);
    }
}

/// A host whose only page is fetched sleeps; a link that is found later wakes it, and it still knows its robots.txt and
/// when it was last asked.
#[test]
fn a_host_that_is_woken_remembers_its_robots_txt_and_its_delay() {
    let port = Arc::new(OnceLock::<String>::new());
    let known = Arc::clone(&port);
    let server = Scripted::start(move |host, path, _| {
        let to_b = |path: &str| format!("//b.localhost:{}{path}", known.get().unwrap());
        match (host, path) {
            (_, "/robots.txt") => Reply::status(404),
            ("a", "/") => Reply::links(&[&to_b("/first"), "/slow"]),
            ("a", "/slow") => {
                std::thread::sleep(Duration::from_millis(2_500));
                Reply::links(&[&to_b("/second"), &to_b("/third")])
            }
            _ => Reply::html("a page"),
        }
    });
    let url = server.url("a", "/");
    port.set(url.trim_end_matches('/').rsplit(':').next().unwrap().to_owned()).unwrap();
    let mut config = config(vec![url]);
    let delay = Duration::from_millis(900);
    config.host.delay = Period::millis(900);
    config.host.delay_factor = 0.0;
    let least_awake = Arc::new(AtomicI64::new(i64::MAX));
    let (least, none) = (Arc::clone(&least_awake), asleep_after(Duration::from_millis(50)));
    let metrics = none.metrics.clone();
    let on_status = Arc::new(move |status: &CrawlStatus| {
        if status.hosts == 2 {
            least.fetch_min(metrics.host.awake.get(), Ordering::SeqCst);
        }
    });
    let crawled = crawl_with(config, Hooks { on_status, ..none });
    assert_eq!(crawled.report.pages, 5);
    assert_eq!(server.paths("b"), ["/robots.txt", "/first", "/second", "/third"]);
    let at: Vec<_> = server.log().iter().filter(|asked| asked.host == "b").map(|asked| asked.at).collect();
    assert!(at.windows(2).all(|pair| pair[1] - pair[0] + Duration::from_millis(1) >= delay), "{at:?}");
    assert!(least_awake.load(Ordering::SeqCst) <= 1, "b never slept");
}
