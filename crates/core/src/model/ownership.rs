//! Which URLs are a node's own, and which go to others: asked by every stage, on one machine as in a fleet.

use std::sync::Arc;

use super::ScheduledUrl;
use crate::clock::Instant;
use crate::url::{Fingerprint, HostKey};

/// What is a node's own, as the stages of a crawl see it.
pub trait HostOwnership: Send + Sync {
    /// Whether URLs of this origin are taken in here. Where not, they are handed over.
    fn holds(&self, origin: &str) -> bool;

    /// Whether requests may be sent to the host now.
    fn may_fetch(&self, host: &HostKey, now: Instant) -> bool;

    /// Whether a URL that is to be handed over was not handed over lately. From now on it was. It forgets, and then a URL goes over the wire
    /// again; it never takes a new one for a known one.
    fn record_handover(&self, url: Fingerprint) -> bool;

    /// A URL that was taken in here is handed over after all: it may come back.
    fn allow_return(&self, url: &ScheduledUrl);
}

/// The borders of a crawl on one machine: everything is its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct SingleNode;

impl SingleNode {
    /// Ready to be shared.
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
