//! One atomic change to the state of a crawl: it is persisted wholly or not at all.

use super::{Fate, FleetEffects, Lastmod, Ledger, ProgressRecord, RecrawlVisit, ScheduledUrl, Visit};
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
