//! No two requests to a host closer than its delay.

use std::time::Duration;

use harvestman::config::Period;
use harvestman::sim::{Server, ServerOptions, WorldOptions};

use super::{blogs, by_host, check_waits, most_in_flight};
use crate::crawling::{Crawled, config, crawl, serve};

const DELAY: Duration = Duration::from_millis(100);

/// 64 hosts, asked as fast as politeness allows.
fn under_load(per_ip: u32, world: WorldOptions) -> (Server, Crawled) {
    let options = ServerOptions {
        latency: Duration::from_millis(20),
        jitter: Duration::from_millis(15),
        ..ServerOptions::default()
    };
    let server = serve(&world, options);
    let mut config = config(server.world().seeds());
    config.host.delay = Period::millis(100);
    config.host.delay_max = Period::secs(5);
    config.host.connections_per_ip = per_ip;
    config.budget.time = Period::secs(15);
    let crawled = crawl(config);
    crawled.check_requests(&server);
    (server, crawled)
}

#[test]
fn sixty_four_hosts_at_once_are_each_left_alone_for_their_delay() {
    let (server, crawled) = under_load(256, blogs(64, 800));
    assert_eq!(crawled.report.hosts, 64);
    let pairs = check_waits(&server, DELAY, |_| true);
    assert!(pairs > 500, "{pairs}");
    assert!(server.log().most_in_flight().values().all(|most| *most == 1));
}

#[test]
fn hosts_of_one_address_share_its_connections_and_keep_their_delays() {
    let (server, crawled) = under_load(4, blogs(64, 800));
    assert_eq!(crawled.report.hosts, 64);
    assert!(check_waits(&server, DELAY, |_| true) > 500);
    let most = most_in_flight(&server);
    assert!((2..=4).contains(&most), "{most} requests in flight to one address");
}

#[test]
fn a_longer_crawl_delay_of_robots_txt_is_kept_from_robots_txt_itself_on() {
    let crawl_delay = Duration::from_millis(600);
    let world = WorldOptions { crawl_delay: Some(crawl_delay), ..blogs(24, 200) };
    let (server, crawled) = under_load(256, world);
    assert_eq!(crawled.report.hosts, 24);
    for (host, entries) in by_host(&server) {
        assert_eq!(&*entries[0].path, "/robots.txt", "{host}");
    }
    assert!(check_waits(&server, crawl_delay, |_| true) > 60);
}

#[test]
fn a_crawl_delay_holds_where_no_delay_is_set() {
    let crawl_delay = Duration::from_millis(300);
    let world = WorldOptions { crawl_delay: Some(crawl_delay), ..blogs(12, 100) };
    let server = serve(&world, ServerOptions::default());
    let mut config = config(server.world().seeds());
    config.budget.time = Period::secs(6);
    let crawled = crawl(config);
    crawled.check_requests(&server);
    assert!(check_waits(&server, crawl_delay, |_| true) > 30);
}

#[test]
fn a_host_that_answers_slowly_is_asked_less_often_than_the_delay_alone_would_have_it() {
    let latency = Duration::from_millis(120);
    let server = serve(&blogs(4, 60), ServerOptions { latency, ..ServerOptions::default() });
    let mut config = config(server.world().seeds());
    (config.host.delay, config.host.delay_factor) = (Period::millis(10), 2.0);
    config.host.delay_max = Period::secs(5);
    config.robots.sitemaps = false;
    config.budget.time = Period::secs(6);
    let crawled = crawl(config);
    crawled.check_requests(&server);
    // The usual response time is at least the server's.
    let pairs = check_waits(&server, latency * 2, |_| true);
    assert!(pairs > 8, "{pairs}");
}
