//! What the tasks of a node share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use super::bus_client::{BusClient, SwapOutcome};
use super::log::SessionLog;
use super::records::{self, Heartbeat, PartitionRecord, Seal, SessionRecord, SourceRecord, source_key};
use super::signal::Signal;
use super::view::FleetView;
use super::{End, Node, NodeOptions};
use crate::budget::Spender;
use crate::bus::{BoxFuture, KeyValue};
use crate::engine::{Engine, FetchDeadline};
use crate::policy::PolicySession;
use crate::{Partition, SessionId};
use harvestman_core::clock::{Clock, Instant};

/// A partition that this session holds.
#[derive(Debug, Clone)]
pub(super) struct HeldPartition {
    /// What this session wrote last.
    pub(super) record: PartitionRecord,
    /// At which revision.
    pub(super) revision: u64,
    /// How far of its shard its source had read.
    pub(super) position: u64,
    /// What it had missed was offered, and the log says so.
    pub(super) caught_up: bool,
}

/// Where this session keeps what it knows.
#[derive(Debug, Default)]
pub(super) struct CheckpointState {
    pub(super) record: SourceRecord,
    /// How large each part is.
    pub(super) sizes: Vec<u64>,
    pub(super) revision: u64,
    /// Names parts.
    pub(super) next: u64,
}

/// What the tasks of a node share.
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
    /// The view has changed.
    pub(super) view_changed: Signal,
    pub(super) held: Mutex<BTreeMap<Partition, HeldPartition>>,
    /// What is held has changed.
    pub(super) held_changed: Signal,
    /// The last token that this session wrote for a partition, held or not.
    pub(super) tokens: Mutex<BTreeMap<Partition, u64>>,
    pub(super) parts: tokio::sync::Mutex<CheckpointState>,
    /// The crawler is told of what it takes, has caught up with and lets go one after the other.
    pub(super) handover: tokio::sync::Mutex<()>,
    /// The revision of the session's key.
    pub(super) lease_revision: AtomicU64,
    /// When the last renewal that was acknowledged was sent.
    pub(super) renewed: Mutex<Instant>,
    pub(super) leaving: AtomicBool,
    pub(super) spender: Option<Arc<dyn Spender>>,
    /// Held while what it may spend is changed.
    pub(super) spending: tokio::sync::Mutex<()>,
    activity: AtomicU64,
    end: Mutex<Option<End>>,
    ended: Signal,
}

impl NodeContext {
    pub(super) fn new(node: &Node, engine: Arc<dyn Engine>) -> Self {
        Self {
            session: node.options.session.clone(),
            options: node.options.clone(),
            client: Arc::clone(&node.client),
            clock: node.clock.clone(),
            engine,
            log: Arc::clone(&node.log),
            fetch_deadline: Arc::clone(&node.fetch_deadline),
            policy: node.policy.clone(),
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
            spender: node.spender.clone(),
            spending: tokio::sync::Mutex::default(),
            activity: AtomicU64::new(0),
            end: Mutex::new(None),
            ended: Signal::default(),
        }
    }

    /// Makes the session's keys: first where it keeps what it knows, so that whatever a session leaves behind is found by it.
    pub(super) async fn begin(&self) -> Result<(), End> {
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

    /// A renewal was acknowledged that was sent then.
    pub(super) fn renewed(&self, sent: Instant, revision: u64) {
        self.lease_revision.store(revision, Ordering::Release);
        let mut renewed = self.renewed.lock();
        *renewed = sent.max(*renewed);
        self.fetch_deadline.extend(self.options.terms.fetch_deadline(sent));
    }

    /// What this session says now.
    pub(super) fn heartbeat(&self, beat: u64) -> Heartbeat {
        let status = self.engine.status();
        let held = self.held.lock();
        let caught_up = held.iter().filter(|(_, holding)| holding.caught_up).map(|(partition, _)| *partition);
        let known = |partition: Partition| status.known.get(usize::from(partition.0)).copied().unwrap_or(0);
        Heartbeat {
            beat,
            born: 0,
            leaving: self.leaving.load(Ordering::Acquire),
            known: caught_up.clone().map(|partition| records::rounded(known(partition))).collect(),
            held: caught_up.collect(),
            weight: self.options.weight,
            waiting: status.waiting,
            under_way: status.under_way + super::policy::pending(self.policy.as_ref()),
            activity: status.activity + self.activity.load(Ordering::Acquire),
            positions: status.positions,
            discovered: status.ledger.discovered(),
            pages: status.ledger.pages(),
            requests: status.ledger.requests(),
            bytes: status.ledger.bytes(),
        }
    }

    /// Whether it lets its partitions go.
    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Acquire)
    }

    /// What is held has changed.
    pub(super) fn held_partitions_changed(&self) {
        self.activity.fetch_add(1, Ordering::AcqRel);
        self.held_changed.raise();
    }

    /// This session wrote a key: it is seen at once.
    pub(super) fn wrote(&self, key: String, value: bytes::Bytes, revision: u64) {
        // What was written here can be read.
        let _ = self.view.lock().apply(KeyValue { key, value: Some(value), revision });
        self.view_changed.raise();
    }

    /// Whether this session may act: it is sure of itself.
    pub(super) fn is_lease_current(&self) -> bool {
        let now = self.clock.now();
        now < self.fetch_deadline.until()
            && self.options.terms.can_judge_others(*self.renewed.lock(), now)
            && self.view.lock().up_to_date
    }

    /// Waits for a change, but no longer than things are left unlooked at.
    pub(super) async fn changed_or_timeout(&self, signal: &Signal, seen: u64) -> u64 {
        tokio::select! {
            biased;
            count = signal.after(seen) => count,
            () = self.clock.sleep(self.options.look) => signal.count(),
        }
    }

    /// The session is about to end in this way: whatever its end looks like to others, it is that.
    pub(super) fn is_to_end(&self, end: End) {
        self.end.lock().get_or_insert(end);
    }

    /// The session has ended. The first to say so is right.
    pub(super) fn end(&self, end: End) {
        if end != End::Over {
            self.fetch_deadline.end();
        }
        self.end.lock().get_or_insert(end);
        self.ended.raise();
    }

    pub(super) async fn until_ended(&self, leave: BoxFuture<'static, ()>) -> End {
        let told = async {
            leave.await;
            self.leaving.store(true, Ordering::Release);
            self.view_changed.raise();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            biased;
            _ = self.ended.after(0) => {}
            () = told => {}
        }
        self.end.lock().clone().unwrap_or(End::Lost)
    }
}
