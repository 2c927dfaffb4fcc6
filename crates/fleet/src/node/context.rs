//! State shared by the tasks of a node.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::bus_client::{BusClient, SwapOutcome};
use super::log::SessionLog;
use super::options::{End, NodeOptions};
use super::records::{self, Heartbeat, PartitionRecord, Seal, SessionRecord, SourceRecord, source_key};
use super::signal::Signal;
use super::view::FleetView;
use crate::budget::Spender;
use crate::bus::{BoxFuture, KeyValue};
use crate::engine::{Engine, FetchDeadline};
use crate::policy::PolicySession;
use crate::{Partition, SessionId};
use harvestman_core::clock::{Clock, Instant};

/// A partition that this session holds.
#[derive(Debug, Clone)]
pub(super) struct HeldPartition {
    /// The record that this session wrote last.
    pub(super) record: PartitionRecord,
    /// The revision of the record.
    pub(super) revision: u64,
    /// How far the previous holder had read the partition's shard of the exchange.
    pub(super) position: u64,
    /// Whether the links missed since `position` were offered to the crawler, and the log says so.
    pub(super) caught_up: bool,
}

/// Where the state of this session is persisted.
#[derive(Debug, Default)]
pub(super) struct CheckpointState {
    pub(super) record: SourceRecord,
    /// The size of each part in bytes.
    pub(super) sizes: Vec<u64>,
    pub(super) revision: u64,
    /// Numbers the parts; part of their names.
    pub(super) next: u64,
}

/// What a session is built from.
#[derive(Clone)]
pub(super) struct NodeServices {
    pub(super) options: NodeOptions,
    pub(super) client: Arc<BusClient>,
    pub(super) clock: Clock,
    pub(super) log: Arc<SessionLog>,
    pub(super) fetch_deadline: Arc<FetchDeadline>,
    pub(super) spender: Option<Arc<dyn Spender>>,
    pub(super) policy: Option<Arc<PolicySession>>,
}

/// State shared by the tasks of a node.
pub(super) struct NodeContext {
    pub(super) session: SessionId,
    pub(super) options: NodeOptions,
    pub(super) client: Arc<BusClient>,
    pub(super) clock: Clock,
    pub(super) engine: Arc<dyn Engine>,
    pub(super) log: Arc<SessionLog>,
    pub(super) fetch_deadline: Arc<FetchDeadline>,
    pub(super) policy: Option<Arc<PolicySession>>,
    pub(super) view: Mutex<FleetView>,
    /// Raised when the view changes.
    pub(super) view_changed: Signal,
    pub(super) held: Mutex<BTreeMap<Partition, HeldPartition>>,
    /// Raised when the held partitions change.
    pub(super) held_changed: Signal,
    /// The last token that this session wrote for each partition, held or not.
    pub(super) tokens: Mutex<BTreeMap<Partition, u64>>,
    pub(super) parts: tokio::sync::Mutex<CheckpointState>,
    /// Serialises the calls that tell the crawler which partitions it takes, has caught up with or releases.
    pub(super) handover: tokio::sync::Mutex<()>,
    /// The revision of the session's key.
    pub(super) lease_revision: AtomicU64,
    /// When the last acknowledged renewal was sent.
    pub(super) renewed: Mutex<Instant>,
    pub(super) leaving: AtomicBool,
    pub(super) spender: Option<Arc<dyn Spender>>,
    /// Locked while the spender's allowance changes.
    pub(super) spending: tokio::sync::Mutex<()>,
    activity: AtomicU64,
    end: Mutex<Option<End>>,
    ended: Signal,
}

impl NodeContext {
    pub(super) fn new(services: NodeServices, engine: Arc<dyn Engine>) -> Self {
        let NodeServices { options, client, clock, log, fetch_deadline, spender, policy } = services;
        Self {
            session: options.session.clone(),
            options,
            client,
            clock,
            engine,
            log,
            fetch_deadline,
            policy,
            view: Mutex::default(),
            view_changed: Signal::default(),
            held: Mutex::default(),
            held_changed: Signal::default(),
            tokens: Mutex::default(),
            parts: tokio::sync::Mutex::default(),
            handover: tokio::sync::Mutex::default(),
            lease_revision: AtomicU64::new(0),
            renewed: Mutex::new(Instant::EPOCH),
            leaving: AtomicBool::new(false),
            spender,
            spending: tokio::sync::Mutex::default(),
            activity: AtomicU64::new(0),
            end: Mutex::new(None),
            ended: Signal::default(),
        }
    }

    /// Creates the session's keys. The source key comes first: whatever a session leaves behind is found through it.
    pub(super) async fn create_keys(&self) -> Result<(), End> {
        let lost = |_| End::Lost;
        let source = SourceRecord { parts: Vec::new(), log_from: 1, number: 1, seal: Seal::None };
        let revision = self.create(&source_key(&self.session), &source).await.map_err(lost)?;
        *self.parts.lock().await = CheckpointState { sizes: Vec::new(), record: source, revision, next: 0 };
        let sent = self.clock.now();
        let lease = self.create(&records::session_key(&self.session), &SessionRecord::Live(self.heartbeat(0))).await;
        self.renewed(sent, lease.map_err(lost)?);
        Ok(())
    }

    async fn create<T: serde::Serialize>(&self, key: &str, record: &T) -> Result<u64, ()> {
        match self.client.swap(key, &records::written(record), None).await {
            SwapOutcome::Done(revision) => Ok(revision),
            SwapOutcome::Conflict(_) => Err(()),
        }
    }

    /// Records that a renewal sent at `sent` was acknowledged.
    pub(super) fn renewed(&self, sent: Instant, revision: u64) {
        self.lease_revision.store(revision, Ordering::Release);
        let mut renewed = self.renewed.lock();
        *renewed = sent.max(*renewed);
        self.fetch_deadline.extend(self.options.terms.fetch_deadline(sent));
    }

    /// Builds the heartbeat that describes this session now.
    pub(super) fn heartbeat(&self, beat: u64) -> Heartbeat {
        // Read first: what the policy proposes for what it was shown is in the status, or has changed its activity.
        let shown = self.policy.as_ref().map_or(0, |policy| policy.position());
        let status = self.engine.status();
        let held = self.held.lock();
        let caught_up = held.iter().filter(|(_, held)| held.caught_up).map(|(partition, _)| *partition);
        let known = |partition: Partition| status.known.get(usize::from(partition.0)).copied().unwrap_or(0);
        Heartbeat {
            beat,
            born: 0,
            leaving: self.leaving.load(Ordering::Acquire),
            known: caught_up.clone().map(|partition| records::rounded(known(partition))).collect(),
            held: caught_up.collect(),
            weight: self.options.weight,
            waiting: status.waiting,
            under_way: status.under_way + self.policy.as_ref().map_or(0, |policy| policy.outbox.pending()),
            activity: status.activity + self.activity.load(Ordering::Acquire),
            positions: status.positions,
            shown,
            discovered: status.ledger.discovered(),
            pages: status.ledger.pages(),
            requests: status.ledger.requests(),
            bytes: status.ledger.bytes(),
        }
    }

    /// Returns whether the session is releasing its partitions.
    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Acquire)
    }

    /// Signals that the held partitions changed.
    pub(super) fn held_partitions_changed(&self) {
        self.activity.fetch_add(1, Ordering::AcqRel);
        self.held_changed.raise();
    }

    /// Applies a write of this session to its view without waiting for the watch.
    pub(super) fn wrote(&self, key: String, value: bytes::Bytes, revision: u64) {
        // A value that this session wrote can be read.
        let _ = self.view.lock().apply(KeyValue { key, value: Some(value), revision });
        self.view_changed.raise();
    }

    /// Returns whether this session may act on the fleet: its lease is valid and its view is up to date.
    pub(super) fn may_act(&self) -> bool {
        let now = self.clock.now();
        now < self.fetch_deadline.until()
            && self.options.terms.can_judge_others(*self.renewed.lock(), now)
            && self.view.lock().up_to_date
    }

    /// Waits for a change, at most for the polling interval. Returns the count of changes by then.
    pub(super) async fn changed_or_timeout(&self, signal: &Signal, seen: u64) -> u64 {
        tokio::select! {
            biased;
            count = signal.after(seen) => count,
            () = self.clock.sleep(self.options.look) => signal.count(),
        }
    }

    /// Fixes how the session ends, before a write that other tasks could mistake for another reason. The first reason
    /// wins.
    pub(super) fn decide_end(&self, end: End) {
        self.end.lock().get_or_insert(end);
    }

    /// Ends the session. The first reason wins.
    pub(super) fn end(&self, end: End) {
        if end != End::Over {
            self.fetch_deadline.end();
        }
        self.end.lock().get_or_insert(end);
        self.ended.raise();
    }

    pub(super) async fn until_ended(&self, leave: BoxFuture<'static, ()>) -> End {
        let leaving = async {
            leave.await;
            self.leaving.store(true, Ordering::Release);
            self.view_changed.raise();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            _ = self.ended.after(0) => {}
            () = leaving => {}
        }
        self.end.lock().clone().unwrap_or(End::Lost)
    }
}
