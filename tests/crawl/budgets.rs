//! What ends a crawl before everything is found: no budget of pages or requests is overshot (BUD-1), and what was left
//! is counted.

use std::sync::Arc;
use std::time::Duration;

use harvestman::config::{ByteSize, Config, Period};
use harvestman::report::{Hooks, StopFlag, StopReason};
use harvestman::sim::{Family, Server, ServerOptions, WorldOptions};

use crate::crawling::{Crawled, config, crawl, crawl_with, serve};

/// Many small hosts, found early: their robots.txt and sitemaps are asked for while pages are under way.
fn world() -> (Server, Config) {
    let world = WorldOptions {
        pages: 2_000,
        hosts: 40,
        families: vec![Family::Blogs],
        page_bytes: 300,
        links: 30,
        ..WorldOptions::default()
    };
    let server = serve(&world, ServerOptions { latency: Duration::from_millis(5), ..ServerOptions::default() });
    let config = config(server.world().seeds());
    (server, config)
}

/// Answers of 200 to requests for pages, by the server's own log.
fn pages_served(server: &Server) -> u64 {
    let entries = server.log().entries();
    let errand = |path: &str| path == "/robots.txt" || path.starts_with("/sitemap");
    entries.iter().filter(|entry| entry.status == 200 && !errand(&entry.path)).count() as u64
}

fn check(crawled: &Crawled, server: &Server, reason: StopReason) {
    assert_eq!(crawled.report.stop_reason, reason);
    crawled.check_requests(server);
    assert_eq!(pages_served(server), crawled.report.pages);
}

#[test]
fn a_budget_of_pages_is_used_up_to_the_last_page_and_never_overshot() {
    for budget in [1, 7, 100] {
        let (server, mut config) = world();
        config.budget.pages = budget;
        let crawled = crawl(config);
        check(&crawled, &server, StopReason::PagesBudget);
        assert_eq!(crawled.report.pages, budget);
        assert!(crawled.fate("queued") > 0);
    }
}

#[test]
fn a_budget_of_requests_counts_errands_and_is_never_overshot() {
    for budget in [1, 2, 3, 30, 100, 333] {
        let (server, mut config) = world();
        config.budget.requests = budget;
        let crawled = crawl(config);
        check(&crawled, &server, StopReason::RequestsBudget);
        assert_eq!(server.log().requests(), budget);
        assert!(crawled.fate("queued") > 0);
    }
}

#[test]
fn a_budget_of_requests_counts_tries_that_fail() {
    let world = WorldOptions { pages: 500, hosts: 9, error_rate: 0.3, page_bytes: 200, ..WorldOptions::default() };
    let server = serve(&world, ServerOptions::default());
    let mut config = config(server.world().seeds());
    config.budget.requests = 150;
    let crawled = crawl(config);
    check(&crawled, &server, StopReason::RequestsBudget);
    assert_eq!(server.log().requests(), 150);
}

#[test]
fn a_budget_of_bytes_ends_the_crawl() {
    let (server, mut config) = world();
    config.budget.bytes = ByteSize::kib(100);
    config.frontier.in_flight_max = 4;
    let crawled = crawl(config);
    check(&crawled, &server, StopReason::BytesBudget);
    // Overdrawn by no more than what was under way: four pages, and a robots.txt or sitemap a host.
    assert!((102_400..200_000).contains(&crawled.report.bytes), "{}", crawled.report.bytes);
    assert!(crawled.fate("queued") > 0);
}

#[test]
fn a_budget_of_time_ends_the_crawl_even_while_every_host_waits() {
    let (server, mut config) = world();
    config.budget.time = Period::millis(1_500);
    config.host.delay = Period::secs(600);
    let crawled = crawl(config);
    check(&crawled, &server, StopReason::TimeBudget);
    assert!(crawled.report.wall >= Duration::from_millis(1_500));
    assert_eq!(crawled.fate("queued"), 1, "the seed waits for its delay after robots.txt");
}

#[test]
fn a_stop_in_the_middle_finishes_what_is_under_way_and_loses_no_line() {
    let (server, config) = world();
    let stop = StopFlag::new();
    let raise = stop.clone();
    let on_status = Arc::new(move |status: &harvestman::report::CrawlStatus| {
        if status.pages >= 50 {
            raise.request();
        }
    });
    let mut config = config;
    // Slow enough that the crawl cannot be over before it is told to stop.
    config.frontier.in_flight_max = 2;
    let crawled = crawl_with(config, Hooks { stop, on_status, ..Hooks::none() });
    check(&crawled, &server, StopReason::Interrupted);
    assert!(crawled.report.pages >= 50 && crawled.fate("queued") > 0, "{:?}", crawled.report.fates);
    assert!(!server.log().statuses().contains_key(&0), "a request was broken off");
}

#[test]
fn a_stop_before_the_first_request_ends_with_everything_waiting() {
    let (server, config) = world();
    let stop = StopFlag::new();
    stop.request();
    let crawled = crawl_with(config, Hooks { stop, ..Hooks::none() });
    check(&crawled, &server, StopReason::Interrupted);
    assert_eq!((crawled.fate("queued"), crawled.report.discovered), (1, 1));
}

#[test]
fn a_limit_on_what_waits_leaves_links_out_and_counts_them() {
    let (server, mut config) = world();
    config.frontier.queued_max = 20;
    let crawled = crawl(config);
    check(&crawled, &server, StopReason::FrontierEmpty);
    assert!(crawled.fate("over_budget") > 0 && crawled.fate("queued") == 0, "{:?}", crawled.report.fates);
}
