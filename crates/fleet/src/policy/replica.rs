//! The interface of a node's policy to its fleet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;

use super::{Outbox, RetentionLimits};
use crate::bus::BoxFuture;

/// The replica of the fleet's policy on a node. It learns while the node holds the policy, and always decides by the
/// latest publication.
pub trait PolicyReplica: Send + Sync {
    /// Starts learning, from an empty state: this node holds the policy now.
    fn start_leading(&self) -> BoxFuture<'_, ()>;
    /// Shows observations to the policy. All holders are shown the same observations in the same order.
    fn observe(&self, observations: Vec<Bytes>) -> BoxFuture<'_, ()>;
    /// Returns what was learned so far, or `None` if it is not available.
    fn publication(&self) -> BoxFuture<'_, Option<Bytes>>;
    /// Stops learning: this node no longer holds the policy.
    fn stop_leading(&self);
    /// Decides by this publication from now on. Versions only grow.
    ///
    /// # Errors
    /// The publication cannot be read.
    fn follow(&self, version: u64, publication: Bytes) -> BoxFuture<'_, Result<(), String>>;
}

/// The state shared by the policy tasks of a session.
pub struct PolicySession {
    /// The policy of this node.
    pub replica: Arc<dyn PolicyReplica>,
    /// The observations of this node.
    pub outbox: Arc<Outbox>,
    /// How many observations are persisted while it holds the policy.
    pub bounds: RetentionLimits,
    holds: AtomicBool,
    /// The position in the stream while it holds the policy.
    position: AtomicU64,
    followed: tokio::sync::Mutex<u64>,
}

impl PolicySession {
    /// Creates the state of a new session.
    pub fn new(replica: Arc<dyn PolicyReplica>, outbox: Arc<Outbox>, bounds: RetentionLimits) -> Arc<Self> {
        let (holds, position, followed) = Default::default();
        Arc::new(Self { replica, outbox, bounds, holds, position, followed })
    }

    /// Returns whether this session holds the policy, as far as it knows.
    pub fn holds(&self) -> bool {
        self.holds.load(Ordering::Acquire)
    }

    /// Sets whether this session holds the policy.
    pub(crate) fn set_holds(&self, holds: bool) {
        self.holds.store(holds, Ordering::Release);
    }

    /// Returns the position in the stream.
    pub(crate) fn position(&self) -> u64 {
        self.position.load(Ordering::Acquire)
    }

    pub(crate) fn set_position(&self, position: u64) {
        self.position.store(position, Ordering::Release);
    }

    /// Returns the version that the node decides by; 0: none.
    pub async fn followed(&self) -> u64 {
        *self.followed.lock().await
    }

    /// Follows a publication if it is newer than the current one.
    pub(crate) async fn follow(&self, version: u64, publication: Bytes) {
        let mut followed = self.followed.lock().await;
        if version <= *followed {
            return;
        }
        *followed = version;
        let read = self.replica.follow(version, publication).await;
        drop(followed);
        if let Err(error) = read {
            self.skip(version, &error).await;
        }
    }

    /// Skips a publication that cannot be read; reading it again would not help.
    pub(crate) async fn skip(&self, version: u64, error: &str) {
        let mut followed = self.followed.lock().await;
        *followed = version.max(*followed);
        tracing::error!("cannot read version {version} of the fleet's policy: {error}; keeping the previous version");
    }
}
