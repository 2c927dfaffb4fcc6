//! One atomic change to the state of a crawl: it is persisted wholly or not at all. Its parts that are not URLs and
//! fates: effects on a fleet, progress, modification times from sitemaps, visits of a recrawl.

use serde::{Deserialize, Serialize};

use super::{Difference, Fate, Ledger, ScheduledUrl, Visit};
use crate::clock::Instant;
use crate::url::{Fingerprint, HostKey};

/// What one event (the end of a lease, seeds, a sitemap, a model update) changed in the frontier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// URLs that wait from now on, or wait with changed values, each with its number: the order of discovery.
    pub waiting: Vec<(u64, ScheduledUrl)>,
    /// URLs whose fate is settled.
    pub ended: Vec<Ended>,
    /// Progress besides the URLs.
    pub progress: Vec<ProgressRecord>,
    /// What was learned of a page that was visited.
    pub visit: Option<Box<Visit>>,
    /// What that visit saw of other pages, in a recrawl.
    pub recrawl_visit: Option<Box<RecrawlVisit>>,
    /// What a sitemap states about pages.
    pub lastmods: Vec<Lastmod>,
    /// What it means to the fleet; `None` for a crawl on one machine, and where it concerns no other node.
    pub fleet_effects: Option<Box<FleetEffects>>,
    /// Leases that end with the change, as soon as it is persisted.
    pub leases: u32,
    /// The ledger after the change.
    pub ledger: Ledger,
}

/// A URL that was accepted and is not going to be fetched any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its number; `None` if it never waited.
    pub number: Option<u64>,
    /// The URL.
    pub url: Fingerprint,
    /// Its host.
    pub host: HostKey,
    /// Its fate.
    pub fate: Fate,
}

impl Change {
    /// Returns whether there is nothing to persist.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
            && self.ended.is_empty()
            && self.progress.is_empty()
            && self.lastmods.is_empty()
            && self.fleet_effects.is_none()
            && self.leases == 0
    }
}

/// The effects of an event on the fleet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetEffects {
    /// URLs that other nodes hold: they are sent before the event counts as committed.
    pub foreign: Vec<ScheduledUrl>,
    /// A batch from other nodes that is processed with this event.
    pub arrived: Option<Arrival>,
    /// Partitions that are held, without gaps, from this event on.
    pub taken: Vec<u16>,
    /// Partitions that are released with this event.
    pub released: Vec<u16>,
    /// Numbers of URLs that waited here and from now on wait at another node.
    pub dropped: Vec<u64>,
    /// Whether the URLs that wait from now on waited at another node before, whose state of them is already persisted.
    pub imported: bool,
}

/// A batch of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Its shard.
    pub shard: u16,
    /// Its position in the shard.
    pub sequence: u64,
    /// Whether all earlier batches were processed too. This is not so while partitions that were taken later catch up.
    pub in_order: bool,
}

/// What a sitemap states about a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lastmod {
    /// The page.
    pub page: Fingerprint,
    /// When the page was modified last, according to the sitemap, in seconds since 1970; at most `read`.
    pub modified: u64,
    /// When the sitemap was read, in seconds since 1970.
    pub read: u64,
}

impl Lastmod {
    /// Creates what a sitemap that was read at `read` states. A time after that counts as that: it cannot be right, and
    /// it must not make a page look modified for ever.
    pub fn new(page: Fingerprint, modified: u64, read: u64) -> Self {
        Self { page, modified: modified.min(read), read }
    }
}

/// One piece of progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgressRecord {
    /// The number of URLs of the host that were ever accepted.
    Admitted(HostKey, u64),
    /// A sitemap that an index named, with the number of indexes above it.
    SitemapFound(String, u32),
    /// A sitemap that was requested and whose entries are known.
    SitemapRead(String),
    /// A host's robots.txt, as a record.
    Robots(HostKey, Vec<u8>),
}

/// How a row of a list differs from the visit before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RowChange {
    /// The row of the visit before is not known.
    Unknown,
    /// The link was not there.
    Fresh,
    /// Nothing differs.
    Same,
    /// What stands behind the link differs.
    Behind,
    /// What stands before the link differs.
    Before,
    /// Both differ.
    Both,
}

/// One visit of a recrawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecrawlVisit {
    /// The page.
    pub page: Fingerprint,
    /// The number of the recrawl.
    pub round: u32,
    /// The time of the visit.
    pub at: Instant,
    /// How the page differed from the visit before; `None` for the first visit to it.
    pub difference: Option<Difference>,
    /// Seconds since the visit before.
    pub waited: u64,
    /// Whether the page was gone.
    pub gone: bool,
    /// The links on the page, by place.
    pub places: Vec<ApathLinks>,
}

/// The links at one Apath of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApathLinks {
    /// The Apath.
    pub apath: u64,
    /// The page behind each link, by its [`short_id`], and the change of its row; in page order.
    pub links: Vec<(u32, RowChange)>,
}

/// Returns a page's identifier in four bytes. Among a million pages one in four thousand is taken for another, which
/// costs a wrong guess and no more.
pub const fn short_id(page: Fingerprint) -> u32 {
    page.0 as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_after_the_sitemap_was_read_counts_as_that() {
        assert_eq!(Lastmod::new(Fingerprint(1), 9, 7), Lastmod { page: Fingerprint(1), modified: 7, read: 7 });
        assert_eq!(Lastmod::new(Fingerprint(1), 5, 7).modified, 5);
    }
}
