//! Options of a node's session, and how a session ends.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::bus_client::CallOptions;
use super::records::Origin;
use crate::assignment::Weight;
use crate::bus::BoxFuture;
use crate::lease::LeaseTerms;
use crate::{Partitions, SessionId};
use harvestman_core::model::ScheduledUrl;

/// Options of a node's session.
#[derive(Debug, Clone)]
pub struct NodeOptions {
    /// The session. An id must never be used twice.
    pub session: SessionId,
    /// The node's share of the work relative to other nodes.
    pub weight: Weight,
    /// How hosts are divided into partitions.
    pub partitions: Partitions,
    /// The number of streams that hold session logs.
    pub log_shards: u16,
    /// Duration and renewal interval of leases.
    pub terms: LeaseTerms,
    /// Timeouts and back-off of calls to the bus.
    pub calls: CallOptions,
    /// The interval between checkpoints.
    pub checkpoint: Duration,
    /// The number of checkpoint parts above which parts are merged.
    pub parts_max: usize,
    /// The most partitions that are taken or released in one step.
    pub batch: usize,
    /// The polling interval of tasks that were not notified of a change.
    pub look: Duration,
    /// The interval at which the leader checks the balance of the load. Zero: only on request.
    pub balance: Duration,
    /// How long the keys, parts and log of a dead session are retained after nothing references them any more. Must
    /// exceed the longest time that a write may be in flight.
    pub clear_after: Duration,
    /// The format that this node reads and writes, and its version.
    pub origin: Origin,
    /// The seeds, which the leader publishes when the crawl begins.
    pub seeds: Vec<ScheduledUrl>,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The crawl is complete.
    Over,
    /// The node was asked to leave and has released all its partitions.
    Left,
    /// Other nodes evicted the session. Work that its crawler did not log will be repeated. Continue with a new session
    /// and a new crawler.
    Lost,
    /// The node cannot join: a different crawl has this name.
    Refused(String),
}

/// Called with the value of the orders key when it changes.
pub type OnOrders = Arc<dyn Fn(&Bytes) + Send + Sync>;

/// Wraps each task of a node before it is spawned. The simulation uses it to suspend whole nodes.
pub type Wrap = Arc<dyn Fn(BoxFuture<'static, ()>) -> BoxFuture<'static, ()> + Send + Sync>;
