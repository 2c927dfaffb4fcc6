//! The pages that workers read: one that takes long is named, and a crawl that ends does not wait for it for ever.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;

use harvestman_core::clock::Instant;

/// The time from which a page is named: every reader is bounded, and takes a second or two of any page.
const LONG: Duration = Duration::from_secs(10);
/// The time from which a crawl that is to end does not wait for a page.
const ENDLESS: Duration = Duration::from_secs(15);

/// The pages that workers read.
#[derive(Default)]
pub(crate) struct Readings(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    next: u64,
    read: BTreeMap<u64, Reading>,
}

struct Reading {
    url: Box<str>,
    since: Instant,
    is_named: bool,
}

/// A page that is read, to tell its end.
#[must_use]
pub(crate) struct ReadingId(u64);

impl Readings {
    /// Records that the reading of a page begins.
    pub(crate) fn begin(&self, url: &str, since: Instant) -> ReadingId {
        let mut pages = self.0.lock();
        let id = pages.next;
        pages.next += 1;
        pages.read.insert(id, Reading { url: url.into(), since, is_named: false });
        ReadingId(id)
    }

    /// Records that it has ended.
    pub(crate) fn end(&self, ReadingId(id): ReadingId) {
        self.0.lock().read.remove(&id);
    }

    /// Returns the pages that have become long since the last call.
    pub(crate) fn newly_long(&self, now: Instant) -> Vec<Box<str>> {
        let mut pages = self.0.lock();
        let long = pages.read.values_mut().filter(|page| !page.is_named && now.since(page.since) >= LONG);
        let name = |page: &mut Reading| {
            page.is_named = true;
            page.url.clone()
        };
        long.map(name).collect()
    }

    /// Returns a page that a crawl that is to end does not wait for, if there is one.
    pub(crate) fn endless(&self, now: Instant) -> Option<Box<str>> {
        let pages = self.0.lock();
        pages.read.values().find(|page| now.since(page.since) >= ENDLESS).map(|page| page.url.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_takes_long_is_named_once_and_one_that_ended_never() {
        let readings = Readings::default();
        let at = |seconds: u64| Instant::EPOCH + Duration::from_secs(seconds);
        let short = readings.begin("http://h.test/short", at(0));
        let long = readings.begin("http://h.test/long", at(1));
        assert!(readings.newly_long(at(9)).is_empty());
        readings.end(short);
        assert_eq!(readings.newly_long(at(11)), ["http://h.test/long".into()]);
        assert!(readings.newly_long(at(12)).is_empty() && readings.endless(at(15)).is_none());
        assert_eq!(readings.endless(at(16)).as_deref(), Some("http://h.test/long"));
        readings.end(long);
        assert!(readings.endless(at(99)).is_none());
    }
}
