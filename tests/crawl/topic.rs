//! Crawls for the items of a topic, over real sockets, by the ground truth of a simulated photo site.

use std::collections::HashSet;

use harvestman::config::{Config, PolicyKind};
use harvestman::lab::sim::{Family, Server, ServerOptions, TruthRow, WorldOptions};

use crate::crawling::{Crawled, config, crawl, serve};

/// Requests of each crawl.
const BUDGET: u64 = 240;

fn photos() -> Server {
    let families = vec![Family::Media];
    let world = WorldOptions { pages: 1_600, hosts: 1, families, page_bytes: 400, ..WorldOptions::default() };
    serve(&world, ServerOptions { keep: 0, ..ServerOptions::default() })
}

fn is_item(row: &TruthRow) -> bool {
    row.status == 200 && row.duplicate_of.is_none() && !row.tags.is_empty()
}

/// The most frequent tag; of several, the first in alphabetical order.
fn tag(server: &Server) -> String {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    server
        .world()
        .truth()
        .filter(is_item)
        .flat_map(|row| row.tags)
        .for_each(|tag| *counts.entry(tag).or_default() += 1);
    counts.into_iter().rev().max_by_key(|(_, items)| *items).unwrap().0
}

fn budgeted(server: &Server, policy: PolicyKind, topic: &str) -> Config {
    let mut config = config(server.world().seeds());
    config.crawl.policy = policy;
    if policy == PolicyKind::Topic {
        config.policy.topic = vec![topic.to_owned()];
    }
    config.budget.pages = BUDGET;
    // What the sitemaps list would hide where the links lead.
    config.robots.sitemaps = false;
    // A server on loopback answers faster than anything can be learnt; this keeps the crawl from running ahead.
    config.frontier.in_flight_max = 8;
    config
}

/// The number of fetched items with this tag.
fn found(server: &Server, crawled: &Crawled, tag: &str) -> usize {
    let has_tag = |row: &TruthRow| is_item(row) && row.tags.iter().any(|other| other == tag);
    let wanted: HashSet<String> = server.world().truth().filter(has_tag).map(|row| row.url).collect();
    crawled.urls("fetched").into_iter().filter(|url| wanted.contains(*url)).count()
}

#[test]
fn a_crawl_for_a_topic_finds_several_times_as_many_of_its_items_as_breadth_first() {
    let server = photos();
    let tag = tag(&server);
    let breadth_first = found(&server, &crawl(budgeted(&server, PolicyKind::Bfs, &tag)), &tag);
    let crawled = crawl(budgeted(&server, PolicyKind::Topic, &tag));
    let for_topic = found(&server, &crawled, &tag);
    assert!(for_topic >= 3 * breadth_first.max(4), "{for_topic} items of `{tag}`, and {breadth_first} breadth-first");
}

#[test]
fn a_topic_that_no_page_has_ends_with_the_budget() {
    let server = photos();
    let crawled = crawl(budgeted(&server, PolicyKind::Topic, "zeppelin hangars"));
    assert_eq!(crawled.report.pages, BUDGET);
}
