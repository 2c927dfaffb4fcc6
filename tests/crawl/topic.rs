//! Crawls for the items of a topic, over real sockets, by the ground truth of a simulated photo site.

use std::collections::HashSet;
use std::process::Command;

use harvestman::config::{Config, PolicyKind};
use harvestman::sim::{Family, Server, ServerOptions, TruthRow, WorldOptions};

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
    // A server on loopback answers faster than anything can be learned; this keeps the crawl from running ahead.
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

fn explained(crawled: &Crawled, url: &str) -> String {
    let program = env!("CARGO_BIN_EXE_harvestman");
    let output = Command::new(program).arg("explain").arg(crawled.out()).arg(url).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn items_other_pages_and_waiting_links_are_explained_in_plain_words() {
    let server = photos();
    let tag = tag(&server);
    let crawled = crawl(budgeted(&server, PolicyKind::Topic, &tag));
    let fetched: HashSet<&str> = crawled.urls("fetched").into_iter().collect();
    let logged: HashSet<&str> = crawled.pages.iter().map(|page| page.url.as_str()).collect();
    let has_tag = |row: &TruthRow| row.tags.contains(&tag);
    let rows: Vec<TruthRow> = server.world().truth().filter(is_item).collect();
    let of = |wanted: bool| {
        let rows = rows.iter().filter(|row| has_tag(row) == wanted && fetched.contains(row.url.as_str()));
        // The last ones were fetched when the site was known.
        rows.max_by_key(|row| crawled.pages.iter().position(|page| page.url == row.url)).unwrap()
    };
    let item = explained(&crawled, &of(true).url);
    assert!(item.contains("an item of the topic, by the tag http://") && item.contains("a wanted page"), "{item}");
    assert!(item.contains("what stands around it") && item.contains("what its text added"), "{item}");
    let other = explained(&crawled, &of(false).url);
    assert!(other.contains("no item of the topic") && other.contains("no wanted page"), "{other}");
    let unseen = rows.iter().filter(|row| !logged.contains(row.url.as_str())).take(40);
    let waiting = unseen.map(|row| explained(&crawled, &row.url)).find(|text| text.contains("what is expected of it"));
    let waiting = waiting.expect("some links wait at the end of the budget");
    assert!(waiting.contains("discovered and accepted, but not fetched") && waiting.contains("found on"), "{waiting}");
}

#[test]
fn a_topic_that_no_page_has_ends_with_the_budget() {
    let server = photos();
    let crawled = crawl(budgeted(&server, PolicyKind::Topic, "zeppelin hangars"));
    assert_eq!(crawled.report.pages, BUDGET);
}
