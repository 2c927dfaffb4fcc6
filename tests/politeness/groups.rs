//! Hosts that are one server: groups of names, and addresses that many hosts share. All hosts of the simulated site
//! live at one address.

use std::time::Duration;

use harvestman::config::{Config, Period};
use harvestman::sim::{Entry, RateLimit, Server, ServerOptions, WorldOptions};

use super::{blogs, by, check_waits_of, most_in_flight};
use crate::crawling::{Crawled, config, crawl, crawl_with, retrying_all, serve};

const DELAY: Duration = Duration::from_millis(25);

const ALL: &str = "localhost *.localhost";

/// Crawls all of a site of a dozen hosts or so.
fn crawled(world: &WorldOptions, change: impl FnOnce(&mut Config)) -> (Server, Crawled) {
    let options = ServerOptions {
        latency: Duration::from_millis(4),
        jitter: Duration::from_millis(4),
        ..ServerOptions::default()
    };
    let server = serve(world, options);
    let mut config = config(server.world().seeds());
    change(&mut config);
    let crawled = crawl(config);
    (server, crawled)
}

/// Every request to the site kept this wait after the one before, whichever hosts they were to. Returns the number of
/// pairs.
fn check_all(server: &Server, wait: Duration, after: impl Fn(&Entry) -> bool) -> usize {
    check_waits_of(by(server, |_| Some("all".to_owned())), wait, after)
}

/// How often a request was to another host than the one before.
fn changes_of_host(server: &Server) -> usize {
    let entries = by(server, |_| Some(String::new())).remove("").unwrap();
    entries.windows(2).filter(|pair| pair[0].host != pair[1].host).count()
}

#[test]
fn hosts_of_a_group_keep_one_delay_together_take_turns_and_are_crawled_to_the_end() {
    let (server, crawled) = crawled(&blogs(10, 90), |config| {
        config.host.delay = Period(DELAY);
        config.host.groups = vec![ALL.to_owned()];
    });
    crawled.check_complete(&server);
    assert_eq!(crawled.report.hosts, 10);
    let pairs = check_all(&server, DELAY, |_| true);
    assert!(pairs >= 90, "{pairs}");
    assert_eq!(most_in_flight(&server), 1);
    assert!(changes_of_host(&server) > pairs / 2, "they take turns");
}

#[test]
fn hosts_at_one_address_keep_its_delay_together_and_are_crawled_to_the_end() {
    let (server, crawled) = crawled(&blogs(10, 90), |config| config.host.delay_per_ip = Period(DELAY));
    crawled.check_complete(&server);
    let pairs = check_all(&server, DELAY, |_| true);
    assert!(pairs >= 90, "{pairs}");
    assert_eq!(most_in_flight(&server), 1);
}

#[test]
fn hosts_of_other_groups_and_of_none_are_not_held_up() {
    let world = blogs(12, 240);
    let server = serve(&world, ServerOptions { latency: Duration::from_millis(10), ..ServerOptions::default() });
    let mut names: Vec<String> = server.world().seeds();
    names.sort();
    let mut config = config(names);
    config.host.delay = Period(DELAY);
    // Half of the hosts, by the first letter of the hash of their names; whatever they are called.
    let grouped = |host: &str| host.bytes().map(u32::from).sum::<u32>() % 2 == 0;
    crawl(config.clone());
    let hosts: std::collections::BTreeSet<String> =
        server.log().entries().iter().map(|entry| entry.host.to_string()).collect();
    let group: Vec<&str> = hosts.iter().map(|host| &**host).filter(|host| grouped(host)).collect();
    assert!((2..hosts.len() - 1).contains(&group.len()), "{group:?}");
    config.host.groups = vec![group.join(" ")];
    let before = server.log().entries().len();
    crawl(config);
    let mut entries = server.log().entries().split_off(before);
    entries.sort_by_key(|entry| entry.us);
    let in_group = |entry: &Entry| grouped(&entry.host);
    let (ours, others): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(in_group);
    assert!(ours.len() > 50 && others.len() > 50);
    let pairs = check_waits_of([("group".to_owned(), ours)].into(), DELAY, |_| true);
    assert!(pairs > 50);
    let close = others.windows(2).filter(|pair| pair[1].us - pair[0].us < DELAY.as_micros() as u64).count();
    assert!(close > others.len() / 4, "{close} of {} came soon after another host's", others.len());
}

#[test]
fn without_a_delay_the_connections_of_a_host_are_those_of_its_group() {
    let (server, crawled) = crawled(&blogs(16, 400), |config| {
        config.host.connections_per_host = 3;
        config.host.groups = vec![ALL.to_owned()];
    });
    crawled.check_complete(&server);
    let most = most_in_flight(&server);
    assert!((2..=3).contains(&most), "{most} in flight");
}

#[test]
fn the_crawl_delay_that_one_host_asks_for_holds_for_its_group() {
    let crawl_delay = Duration::from_millis(200);
    let world = WorldOptions { crawl_delay: Some(crawl_delay), ..blogs(6, 40) };
    let (server, crawled) = crawled(&world, |config| {
        config.host.delay = Period::millis(1);
        config.host.groups = vec![ALL.to_owned()];
        config.budget.time = Period::secs(8);
    });
    crawled.check_requests(&server);
    let pairs = check_all(&server, crawl_delay, |_| true);
    assert!(pairs > 20, "{pairs}");
}

#[test]
fn errors_and_refusals_never_make_a_group_faster_and_a_refusal_pauses_all_of_it() {
    let world = WorldOptions { error_rate: 0.2, errors_in_a_row: 2, ..blogs(8, 120) };
    let limit = RateLimit { burst: 6, retry_after: Duration::from_secs(1), ..RateLimit::per_second(6.0) };
    let server = serve(&world, ServerOptions { rate_limit: Some(limit), ..ServerOptions::default() });
    let mut config = config(server.world().seeds());
    config.host.delay = Period(DELAY);
    (config.host.backoff_start, config.host.backoff_max) = (Period::millis(100), Period::millis(400));
    config.host.groups = vec![ALL.to_owned()];
    config.budget.time = Period::secs(12);
    crawl_with(config, retrying_all()).check_requests(&server);
    assert!(check_all(&server, DELAY, |_| true) > 50);
    let overloaded = |entry: &Entry| matches!(entry.status, 429 | 503);
    assert!(check_all(&server, Duration::from_millis(100), overloaded) > 0);
}
