//! Policies: what a crawl wants. A policy publishes immutable [`PolicySnapshot`]s, which every stage reads without a lock.

mod bfs;

use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::config::PolicyKind;
use crate::page::{ClassOrder, LinkClass, PolicyRefusal};

pub use bfs::BreadthFirst;

/// A policy's state of knowledge at one moment. A decision names the [`PolicySnapshot::version`] that it came from.
pub trait PolicySnapshot: ClassOrder {
    /// Grows by one with each published snapshot.
    fn version(&self) -> u64;

    /// Whether links of this class are wanted at all. Asked once for all links of a page at one Apath, before they are resolved.
    fn refusal(&self, class: LinkClass) -> Option<PolicyRefusal>;
}

/// Where stages find the snapshot that holds now.
pub type CurrentPolicy = Arc<ArcSwap<Arc<dyn PolicySnapshot>>>;

/// The first snapshot of a policy.
pub fn first_snapshot(kind: PolicyKind) -> Arc<dyn PolicySnapshot> {
    match kind {
        PolicyKind::Bfs => Arc::new(BreadthFirst),
    }
}

/// A snapshot as the frontier's order.
pub fn order(snapshot: Arc<dyn PolicySnapshot>) -> Arc<dyn ClassOrder> {
    snapshot
}
