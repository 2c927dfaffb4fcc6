//! Policies and filters of one's own decide.

use std::collections::{HashSet, VecDeque};

use harvestman_library::{Link, Page, PageLink, Policy};
use parking_lot::Mutex;

use super::crawls::{Forum, lines};

/// Threads first, members last, no help.
struct ThreadsFirst;

impl Policy for ThreadsFirst {
    fn score(&self, link: &Link<'_>) -> Option<f64> {
        (!link.url().contains("/help/")).then(|| score(link.url()))
    }
}

fn score(url: &str) -> f64 {
    if url.contains("/threads/") {
        5.0
    } else if url.contains("/members/") {
        -3.0
    } else {
        1.0
    }
}

/// The number of pages whose links come too late for the next request.
const LAG: usize = 3;

#[test]
fn a_policy_of_ones_own_decides_the_order() {
    let forum = Forum::of(200);
    let crawl = forum.crawl().policy(ThreadsFirst).set("host.connections_per_host", 1).set("robots.sitemaps", false);
    // The trap guard puts URLs last whose forms bring nothing new, whatever the policy says.
    let crawl = crawl.set("host.delay", "20ms").set("filter.trap_guard", false);
    let mut crawl = crawl.start().unwrap();
    let mut pages = crawl.pages();
    let mut waiting: Vec<String> = Vec::new();
    // The next request is chosen while the pages before it are processed: their links come too late for it.
    let mut late: VecDeque<Vec<String>> = VecDeque::new();
    // A page may be delivered before the one that led to it.
    let mut delivered = HashSet::new();
    let (mut steps, mut best) = (0, 0);
    while let Some(page) = pages.next_blocking() {
        delivered.insert(page.url().to_owned());
        waiting.retain(|url| url != page.url());
        late.iter_mut().for_each(|links| links.retain(|url| url != page.url()));
        steps += 1;
        best += usize::from(waiting.iter().all(|other| score(other) <= score(page.url())));
        late.push_back(page.links().iter().filter(|link| link.is_new()).map(|link| link.url().to_owned()).collect());
        if late.len() > LAG {
            waiting.extend(late.pop_front().unwrap().into_iter().filter(|url| !delivered.contains(url)));
        }
    }
    let report = crawl.wait().unwrap();
    assert!(steps > 100 && best * 10 >= steps * 9, "{best} of {steps} were the best");
    assert!(report.fate("policy") > 0);
    assert!(lines(&forum.out()).iter().all(|line| !line["url"].as_str().unwrap().contains("/help/")));
}

#[test]
fn a_filter_is_asked_about_each_new_url_and_refuses_links_with_a_reason() {
    let forum = Forum::of(120);
    let crawl = forum.crawl().filter(|link: &Link<'_>| !link.url().contains("/members/"));
    let crawl = crawl.filter(|link: &Link<'_>| !link.url().contains("/help/") && link.found_on().starts_with("http"));
    let report = crawl.start().unwrap().wait().unwrap();
    let logged = forum.logged();
    assert!(logged.len() > 20 && !logged.iter().any(|url| url.contains("/members/") || url.contains("/help/")));
    let written: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(written["fates"]["policy"]["extension"].as_u64(), Some(report.fate("policy")));
    assert!(report.fate("policy") > 0);
}

/// A policy that learns from the pages.
#[derive(Default)]
struct Learns(Mutex<Vec<PageLink>>);

impl Policy for Learns {
    fn score(&self, _: &Link<'_>) -> Option<f64> {
        Some(0.0)
    }

    fn observe(&self, page: &Page) {
        self.0.lock().extend_from_slice(page.links());
        assert!(self.0.lock().len() < 1_000_000);
    }
}

#[test]
fn a_policy_that_refuses_nothing_finds_everything() {
    let forum = Forum::of(120);
    forum.crawl().policy(Learns::default()).start().unwrap().wait().unwrap();
    assert!(forum.is_complete());
}
