//! What a fleet asks of whoever learns and decides on a node.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;

use super::{Outbox, RetentionLimits};
use crate::bus::BoxFuture;

/// The policy of a node: while it holds that of its fleet, the learner; always, who decides by what is published.
pub trait PolicyReplica: Send + Sync {
    /// This node holds the policy from here on: it learns, from nothing.
    fn start_leading(&self) -> BoxFuture<'_, ()>;
    /// Shows what was observed, in the order in which all who ever hold the policy are shown it.
    fn observe(&self, observations: Vec<Bytes>) -> BoxFuture<'_, ()>;
    /// What was learnt until now; none where it cannot be told.
    fn publication(&self) -> BoxFuture<'_, Option<Bytes>>;
    /// It holds the policy no more.
    fn stop_leading(&self);
    /// Decides by this from here on. Versions only grow.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn follow(&self, version: u64, publication: Bytes) -> BoxFuture<'_, Result<(), String>>;
}

/// What the tasks of a node share for its policy.
pub struct PolicySession {
    /// Who learns and decides.
    pub replica: Arc<dyn PolicyReplica>,
    /// What this node has observed.
    pub outbox: Arc<Outbox>,
    /// How much its observations take while it holds the policy.
    pub bounds: RetentionLimits,
    holds: AtomicBool,
    /// How far it has read the stream, while it holds the policy.
    position: AtomicU64,
    followed: tokio::sync::Mutex<u64>,
}

impl PolicySession {
    /// For a session that begins.
    pub fn new(replica: Arc<dyn PolicyReplica>, outbox: Arc<Outbox>, bounds: RetentionLimits) -> Arc<Self> {
        let (holds, position, followed) = Default::default();
        Arc::new(Self { replica, outbox, bounds, holds, position, followed })
    }

    /// Whether this session holds the policy, as far as it knows.
    pub fn holds(&self) -> bool {
        self.holds.load(Ordering::Acquire)
    }

    /// It does, or does no more.
    pub(crate) fn set_holds(&self, holds: bool) {
        self.holds.store(holds, Ordering::Release);
    }

    /// How far the stream was read.
    pub(crate) fn position(&self) -> u64 {
        self.position.load(Ordering::Acquire)
    }

    pub(crate) fn set_position(&self, position: u64) {
        self.position.store(position, Ordering::Release);
    }

    /// The version that is decided by; 0: none.
    pub async fn followed(&self) -> u64 {
        *self.followed.lock().await
    }

    /// Decides by this publication, if it is newer than what is decided by.
    pub(crate) async fn follow(&self, version: u64, publication: Bytes) {
        let mut followed = self.followed.lock().await;
        if version <= *followed {
            return;
        }
        *followed = version;
        let read = self.replica.follow(version, publication).await;
        drop(followed);
        if let Err(error) = read {
            self.pass_over(version, &error).await;
        }
    }

    /// Leaves out a publication that cannot be read: what cannot be read once cannot be read ever.
    pub(crate) async fn pass_over(&self, version: u64, error: &str) {
        let mut followed = self.followed.lock().await;
        *followed = version.max(*followed);
        tracing::error!("version {version} of the fleet's policy cannot be read: {error}; the one before holds");
    }
}
