//! Politeness under load, judged only by what the server has seen: its log of when each request came and was answered.
//!
//! All comparisons are between times of one clock, the server's. A request is logged as its head has been parsed, and
//! as answered before the first byte of its answer is written, so that on the way to the client and back both can only
//! be seen later, never earlier: whatever the load, a crawler that keeps its waits is seen to keep them. The one
//! tolerance is a millisecond for the granularity of the clocks on both sides (and for their rates, which differ by
//! less than that over these few seconds).
#![allow(clippy::unwrap_used, reason = "the shared parts of a test may panic as the tests themselves may")]
#![allow(clippy::disallowed_methods, reason = "a test of a real server may look at the clock")]

#[allow(dead_code, reason = "these crawls need not be complete")]
#[path = "../crawl/crawling.rs"]
mod crawling;
mod delays;
mod groups;
mod parallel;
mod refusals;

use std::collections::BTreeMap;
use std::time::Duration;

use harvestman::sim::{Entry, Family, Server, WorldOptions};

/// The tolerance, in microseconds.
const GRANULARITY: u64 = 1_000;

/// Blogs: the portal names all of them, so that they are crawled at once.
fn blogs(hosts: u64, pages: u64) -> WorldOptions {
    WorldOptions { pages, hosts, families: vec![Family::Blogs], page_bytes: 200, ..WorldOptions::default() }
}

/// The requests of each host, errands included, as they arrived.
fn by_host(server: &Server) -> BTreeMap<String, Vec<Entry>> {
    by(server, |entry| Some(entry.host.to_string()))
}

/// The requests of all that have one name, as they arrived; those without a name are left out.
fn by(server: &Server, name: impl Fn(&Entry) -> Option<String>) -> BTreeMap<String, Vec<Entry>> {
    let mut named: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for entry in server.log().entries() {
        if let Some(name) = name(&entry) {
            named.entry(name).or_default().push(entry);
        }
    }
    for entries in named.values_mut() {
        entries.sort_by_key(|entry| entry.us);
    }
    named
}

fn answered(entry: &Entry) -> u64 {
    entry.us + entry.took_us
}

/// Every request came at least `wait` after the one before it to the same host was answered, where `after` says so of
/// that one. Returns how many pairs were looked at.
fn check_waits(server: &Server, wait: Duration, after: impl Fn(&Entry) -> bool) -> usize {
    check_waits_of(by_host(server), wait, after)
}

/// The same of requests that should keep it together.
fn check_waits_of(requests: BTreeMap<String, Vec<Entry>>, wait: Duration, after: impl Fn(&Entry) -> bool) -> usize {
    let mut pairs = 0;
    for (host, entries) in requests {
        for pair in entries.windows(2).filter(|pair| after(&pair[0])) {
            let waited = pair[1].us.saturating_sub(answered(&pair[0])) + GRANULARITY;
            assert!(
                waited >= wait.as_micros() as u64,
                "{host}: {} came {} µs after {} was answered by {}, which is less than {wait:?}",
                pair[1].path,
                waited - GRANULARITY,
                pair[0].path,
                pair[0].status
            );
            pairs += 1;
        }
    }
    pairs
}

/// The most requests that were in flight at one time, over all hosts.
fn most_in_flight(server: &Server) -> i64 {
    let entries = server.log().entries();
    // Of what happens in one microsecond, ends come first: one request may start as another has ended.
    let mut events: Vec<(u64, i64)> = entries.iter().flat_map(|e| [(e.us, 1), (answered(e), -1)]).collect();
    events.sort_unstable();
    let (mut now, mut most) = (0, 0);
    for (_, change) in events {
        now += change;
        most = most.max(now);
    }
    most
}
