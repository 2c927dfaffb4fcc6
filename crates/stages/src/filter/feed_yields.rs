//! Which of the feeds that pages announce are worth a request.
//!
//! A feed lists what is new on a site, so the first one or two bring links that a crawl would find late. A site that
//! has a feed for each thread, tag or user announces thousands, which list what the crawl has found already. So feeds
//! are judged by **class**: the host, the number of segments of the path, the last segment without its numbers, and the
//! names of the parameters. A feed is *fruitful* if a new link of it was accepted.
//!
//! * The first [`TRIES`] feeds of a class are followed; further ones as long as half of those read were fruitful, and
//!   [`TRIES`] at a time.
//! * On each host, at most [`SPARE`] feeds plus one per [`PAGES_PER_FEED`] pages may be fruitless, or not read yet. So
//!   whatever a site announces, fruitless feeds take [`SPARE`] requests per host and half a per cent of the pages.
//!
//! Pure. O(length of the URL) per feed, O(1) per page; memory is bounded by [`HOSTS_MAX`] and [`CLASSES_MAX`].

use foldhash::fast::FixedState;
use std::collections::HashMap;

use harvestman_core::url::origin_of;
use xxhash_rust::xxh3::xxh3_64;

/// The number of feeds of a class that are read before it is judged, and that are followed at a time.
const TRIES: u32 = 3;
/// The number of feeds per host that may be fruitless.
const SPARE: u64 = 2;
/// The number of pages for which one more may be.
const PAGES_PER_FEED: u64 = 200;
/// The maximum number of hosts whose feeds are followed, and of classes on one host.
const HOSTS_MAX: usize = 1 << 16;
const CLASSES_MAX: usize = 64;

/// The feeds that were followed, and what they brought.
#[derive(Debug, Default)]
pub struct FeedYields {
    hosts: HashMap<u64, HostFeeds, FixedState>,
}

#[derive(Debug, Default)]
struct HostFeeds {
    pages: u64,
    /// Feeds that brought nothing, and those that are not read yet.
    fruitless: u64,
    open: u64,
    classes: HashMap<u64, FeedClass, FixedState>,
}

#[derive(Debug, Clone, Copy, Default)]
struct FeedClass {
    open: u32,
    read: u32,
    fruitful: u32,
}

impl FeedClass {
    const fn is_worth_it(self) -> bool {
        let is_on_trial = self.open + self.read < TRIES;
        is_on_trial || self.open < TRIES && 2 * self.fruitful >= self.read && self.fruitful > 0
    }
}

impl FeedYields {
    /// Counts a page that was read.
    pub fn page(&mut self, url: &str) {
        if let Some(host) = self.hosts.get_mut(&host_of(url)) {
            host.pages += 1;
        }
    }

    /// Returns whether a feed that was not requested yet is worth a request.
    pub fn is_worth_a_request(&self, url: &str) -> bool {
        let Some(host) = self.hosts.get(&host_of(url)) else { return self.hosts.len() < HOSTS_MAX };
        let class = host.classes.get(&class_of(url));
        let is_class_worth_it = class.map_or(host.classes.len() < CLASSES_MAX, |class| class.is_worth_it());
        is_class_worth_it && host.fruitless + host.open < SPARE + host.pages / PAGES_PER_FEED
    }

    /// Records that a feed is going to be requested.
    pub fn follow(&mut self, url: &str) {
        let host = self.hosts.entry(host_of(url)).or_default();
        host.open += 1;
        host.classes.entry(class_of(url)).or_default().open += 1;
    }

    /// Records that a feed that was followed has ended, and how many new links of it were accepted.
    pub fn ended(&mut self, url: &str, new_links: usize) {
        // A resumed crawl does not know the feeds that its earlier run followed.
        let Some(host) = self.hosts.get_mut(&host_of(url)) else { return };
        let Some(class) = host.classes.get_mut(&class_of(url)) else { return };
        let is_fruitful = new_links > 0;
        host.open = host.open.saturating_sub(1);
        host.fruitless += u64::from(!is_fruitful);
        class.open = class.open.saturating_sub(1);
        class.read = class.read.saturating_add(1);
        class.fruitful = class.fruitful.saturating_add(u32::from(is_fruitful));
    }
}

fn host_of(url: &str) -> u64 {
    xxh3_64(origin_of(url).as_bytes())
}

/// Returns the class of a feed within its host, as a hash.
fn class_of(url: &str) -> u64 {
    let rest = url.get(origin_of(url).len()..).unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let mut class = format!("{}/{}", segments.len(), without_numbers(segments.last().unwrap_or(&"")));
    for parameter in query.split(['&', ';']) {
        class.push('&');
        class.push_str(parameter.split('=').next().unwrap_or_default());
    }
    xxh3_64(class.as_bytes())
}

/// Returns a text with each number replaced by one character.
fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }) {
        if c != '#' || !plain.ends_with('#') {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
#[path = "feed_yields_tests.rs"]
mod tests;
