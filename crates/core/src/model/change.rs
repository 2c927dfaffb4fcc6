//! What one event changed in a crawl: what must be kept wholly or not at all.

use super::{Fate, FleetEffects, Ledger, Note, ScheduledUrl, Sighting, Visit};
use crate::url::{Fingerprint, HostKey};

/// What one event (the end of a lease, seeds, a sitemap, a lesson) changed in the frontier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// URLs that wait from now on, or go on waiting with other values, each with its number: the order of discovery.
    pub waiting: Vec<(u64, ScheduledUrl)>,
    /// URLs whose fate is settled.
    pub ended: Vec<Ended>,
    /// What is to be kept in mind besides.
    pub notes: Vec<Note>,
    /// What was learnt of a page that was visited.
    pub visit: Option<Box<Visit>>,
    /// What that visit saw of other pages, in a recrawl.
    pub sighting: Option<Box<Sighting>>,
    /// What it means to the fleet; none where the crawl is on one machine, or nothing.
    pub fleet_effects: Option<Box<FleetEffects>>,
    /// Leases that end with it, as soon as it is kept.
    pub leases: u32,
    /// The account as it stands after it.
    pub ledger: Ledger,
}

/// A URL that was accepted and will not be fetched any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its number; none where it never waited.
    pub number: Option<u64>,
    /// The URL.
    pub url: Fingerprint,
    /// Its host.
    pub host: HostKey,
    /// What became of it.
    pub fate: Fate,
}

impl Change {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
            && self.ended.is_empty()
            && self.notes.is_empty()
            && self.fleet_effects.is_none()
            && self.leases == 0
    }
}
