//! Accepted URLs that wait to be fetched, and which node of a fleet they belong to.

use std::sync::Arc;

use super::{Apath, LinkClass, Priority, QueueKey, Statement};
use crate::clock::Instant;
use crate::url::{CanonicalUrl, Fingerprint, HostKey};

/// A URL that passed scope, filter and dedup and is to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledUrl {
    /// The URL.
    pub url: CanonicalUrl,
    /// The class of the link it was discovered by.
    pub class: LinkClass,
    /// Its priority among all that wait.
    pub priority: Priority,
    /// Links between a seed and this URL; a redirect adds none.
    pub depth: u16,
    /// Number of consecutive redirects that led here.
    pub redirects: u8,
    /// Number of requests already sent for it.
    pub attempts: u8,
    /// The page (or sitemap, or redirect) it was discovered on; `None` for a seed.
    pub via: Option<Arc<str>>,
}

impl ScheduledUrl {
    /// A URL of this class with normal priority at depth 0, not yet tried, discovered on no page.
    pub const fn found(url: CanonicalUrl, class: LinkClass) -> Self {
        Self { url, class, priority: Priority::Normal, depth: 0, redirects: 0, attempts: 0, via: None }
    }

    /// The queue of its host that it waits in.
    pub const fn queue(&self) -> QueueKey {
        QueueKey { class: self.class, priority: self.priority }
    }

    /// Moves it to another queue of its host.
    pub const fn move_to(&mut self, queue: QueueKey) {
        (self.class, self.priority) = (queue.class, queue.priority);
    }

    /// Creates an errand: a request that the crawl makes for itself (robots.txt, a sitemap), which was discovered
    /// nowhere and is never queued.
    pub fn errand(url: CanonicalUrl) -> Self {
        Self { attempts: 1, ..Self::found(url, LinkClass::unclassified(Apath::SEED)) }
    }
}

/// A number of attempts that no URL has; it marks a sitemap among the URLs sent to another node.
const SITEMAP: u8 = u8::MAX;

impl ScheduledUrl {
    /// Creates a sitemap that the node with its host is to read, below `nesting` indexes.
    pub fn sitemap(url: CanonicalUrl, nesting: u8) -> Self {
        let class = LinkClass::unclassified(Apath::SITEMAP);
        Self { redirects: nesting, attempts: SITEMAP, ..Self::found(url, class) }
    }

    /// Returns the number of indexes above it, if it is a sitemap.
    pub fn as_sitemap(&self) -> Option<u32> {
        (self.attempts == SITEMAP).then_some(u32::from(self.redirects))
    }
}

/// Identifies a lease; unique within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseId(pub u64);

/// A URL that is leased for fetching. The number of leases is bounded (`frontier.in_flight_max`), and a lease ends when
/// its outcome is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Lease {
    /// Its identifier.
    pub id: LeaseId,
    /// The URL to fetch.
    pub item: ScheduledUrl,
    /// The reason why it was this URL's turn; `None` if the policy does not learn.
    pub decision: Option<Decision>,
    /// What the host states about the use of the page, as of the moment at which it was requested or refused.
    pub statements: Vec<Statement>,
}

/// The basis on which a URL was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// The score of its link class at that moment.
    pub score: f64,
    /// The version of the policy's snapshot that gave the score.
    pub snapshot: u64,
}

/// The hosts of a node, as the stages of a crawl see them.
pub trait HostOwnership: Send + Sync {
    /// Returns whether URLs of this origin are processed here; otherwise they are handed over.
    fn holds(&self, origin: &str) -> bool;

    /// Returns whether requests may be sent to the host now.
    fn may_fetch(&self, host: &HostKey, now: Instant) -> bool;

    /// Records that a URL is handed over. Returns whether it was not handed over recently. Old records are overwritten,
    /// in which case a URL is sent again; a new URL is never taken for a known one.
    fn record_handover(&self, url: Fingerprint) -> bool;

    /// Records that a URL that was accepted here is handed over after all, so that it is accepted if it comes back.
    fn allow_return(&self, url: &ScheduledUrl);
}

/// The host ownership of a crawl on one machine: it holds everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct SingleNode;

impl SingleNode {
    /// Returns a shareable instance.
    pub fn shared() -> Arc<dyn HostOwnership> {
        Arc::new(Self)
    }
}

impl HostOwnership for SingleNode {
    fn holds(&self, _: &str) -> bool {
        true
    }

    fn may_fetch(&self, _: &HostKey, _: Instant) -> bool {
        true
    }

    fn record_handover(&self, _: Fingerprint) -> bool {
        false
    }

    fn allow_return(&self, _: &ScheduledUrl) {}
}
