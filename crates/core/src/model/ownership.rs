//! Host ownership: which URLs belong to a node, and which go to others. All stages use it, on one machine as in a
//! fleet.

use std::sync::Arc;

use super::ScheduledUrl;
use crate::clock::Instant;
use crate::url::{Fingerprint, HostKey};

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
