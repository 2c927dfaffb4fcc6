//! Holds the fleet's policy: takes its key when no live session holds it, reads the stream of observations, persists
//! segments of it and publishes what the policy has learned.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;

use super::TICK;
use super::replay::replay;
use crate::SessionId;
use crate::bus::{Message, Stream};
use crate::node::bus_client::SwapOutcome;
use crate::node::context::NodeContext;
use crate::node::records;
use crate::node::view::FleetView;
use crate::policy::{
    Candidate, LatestPublication, POLICY, PolicyRecord, PolicySession, SUBJECT, Segment, Senders, claim, spacing,
};
use crate::wire::{ObservationSegment, Observations, WireCodec, encode_publication};
use harvestman_core::clock::Instant;

/// The longest time that a new holder waits to catch up with its predecessor before it publishes, counted from the last
/// message read.
const CATCH_UP_MAX: Duration = Duration::from_secs(30);
/// The number of superseded publications that are retained for nodes that are still loading them.
const SUPERSEDED_KEPT: u64 = 2;

pub(in crate::node) async fn hold(context: Arc<NodeContext>, policy: Arc<PolicySession>) {
    let mut seen = 0;
    loop {
        seen = context.changed_or_timeout(&context.view_changed, seen).await;
        let is_leaving = context.leaving.load(Ordering::Acquire);
        let claimed =
            (context.may_act() && !is_leaving).then(|| claimed(&context.view.lock(), &context.session)).flatten();
        let Some(Claim { former, record, revision }) = claimed else { continue };
        let Some(revision) = swap(&context, &record, revision).await else { continue };
        tracing::info!(token = record.token, "this node now holds the fleet's policy");
        policy.set_holds(true);
        for object in former.unnamed() {
            // The object may exist if the former holder died between two writes. If it is written even later it stays:
            // at most one object.
            let _ = context.client.once(context.client.bus.remove_object(&object)).await;
        }
        PolicyHolder::new(&context, &policy, record, revision).run().await;
        policy.set_holds(false);
        if !context.leaving.load(Ordering::Acquire) {
            // A node that leaves keeps what it has learned, and may write it to its directory.
            policy.replica.stop_leading();
        }
        tracing::info!("this node no longer holds the fleet's policy");
    }
}

/// A record that takes the policy, and what it replaces.
struct Claim {
    former: PolicyRecord,
    record: PolicyRecord,
    revision: Option<u64>,
}

/// Returns the record that takes the policy, or `None` if this session must not take it.
fn claimed(view: &FleetView, me: &SessionId) -> Option<Claim> {
    let (former, revision) = view.policy.clone().map_or_else(Default::default, |(record, at)| (record, Some(at)));
    let live = view.live().map(|(session, said)| Candidate { session, born: said.born, leaving: said.leaving });
    let record = claim(&former, me, &live.collect::<Vec<_>>())?;
    Some(Claim { former, record, revision })
}

/// Writes the key. Returns its revision, or `None` if another session was first.
async fn swap(context: &NodeContext, record: &PolicyRecord, revision: Option<u64>) -> Option<u64> {
    let value = records::written(record);
    match context.client.swap(POLICY, &value, revision).await {
        SwapOutcome::Done(revision) => {
            context.wrote(POLICY.to_owned(), value, revision);
            Some(revision)
        }
        SwapOutcome::Conflict(held) => {
            if let Some(Err(error)) = held.map(|held| context.view.lock().apply(held)) {
                tracing::error!("{error}");
            }
            None
        }
    }
}

/// Batches that are not yet persisted in a segment.
#[derive(Default)]
struct PendingSegment {
    batches: Vec<Bytes>,
    observations: u64,
    bytes: u64,
}

/// The state of a session that holds the policy.
struct PolicyHolder<'a> {
    context: &'a NodeContext,
    policy: &'a PolicySession,
    record: PolicyRecord,
    revision: u64,
    senders: Senders,
    /// Everything in the stream up to this sequence number was shown to the policy.
    position: u64,
    pending: PendingSegment,
    /// The number of observations shown since the last publication.
    unpublished: u64,
    /// Since when the open stream has delivered nothing; `None` while it is not open.
    silent_since: Option<Instant>,
    /// The earliest time of the next publication.
    next: Instant,
    codec: WireCodec,
}

impl<'a> PolicyHolder<'a> {
    fn new(context: &'a NodeContext, policy: &'a PolicySession, record: PolicyRecord, revision: u64) -> Self {
        let (now, position) = (context.clock.now(), record.through);
        let (senders, pending, codec) = (Senders::default(), PendingSegment::default(), WireCodec::new());
        Self {
            context,
            policy,
            record,
            revision,
            senders,
            position,
            pending,
            unpublished: 0,
            silent_since: None,
            next: now,
            codec,
        }
    }

    /// Runs until another session takes the key or this one releases it.
    async fn run(&mut self) {
        self.policy.replica.start_leading().await;
        self.policy.set_position(0);
        self.senders = replay(self.context, self.policy, &self.record.segments, &mut self.codec).await;
        self.policy.set_position(self.position);
        self.unpublished = 1;
        let mut attempt = 0;
        loop {
            let read = self.context.client.bus.read(Stream::Observations, SUBJECT, self.position + 1);
            if let Ok(mut channel) = self.context.client.once(read).await {
                attempt = 0;
                self.silent_since = Some(self.context.clock.now());
                if !self.read(&mut channel).await {
                    return;
                }
            }
            self.silent_since = None;
            if !self.do_due_work().await {
                return;
            }
            self.context.client.pause(attempt).await;
            attempt += 1;
        }
    }

    /// Reads until the channel ends. Returns false when the policy is no longer held.
    async fn read(&mut self, channel: &mut tokio::sync::mpsc::Receiver<Message>) -> bool {
        loop {
            let message = tokio::select! {
                biased;
                message = channel.recv() => match message {
                    Some(message) => Some(message),
                    None => return true,
                },
                () = self.context.clock.sleep(TICK) => None,
            };
            if let Some(message) = message {
                self.handle(message).await;
            }
            if !self.do_due_work().await {
                return false;
            }
        }
    }

    /// Performs what is due. Returns false when the policy is no longer held.
    async fn do_due_work(&mut self) -> bool {
        let is_others = |(record, _): &(PolicyRecord, u64)| record.token > self.record.token;
        if self.context.view.lock().policy.as_ref().is_some_and(is_others) {
            return false;
        }
        let PendingSegment { observations, bytes, .. } = self.pending;
        if self.policy.bounds.is_full(observations, bytes) && !self.persist_segment().await {
            return false;
        }
        let leaves = self.context.leaving.load(Ordering::Acquire) && self.policy.outbox.pending() == 0;
        if leaves {
            let record = PolicyRecord { token: self.record.token + 1, holder: None, ..self.record.clone() };
            swap(self.context, &record, Some(self.revision)).await;
            return false;
        }
        !self.is_due() || self.publish().await
    }

    async fn handle(&mut self, message: Message) {
        self.position = message.sequence;
        match Observations::read(&message.payload, &mut self.codec) {
            Ok(batch) => {
                if self.senders.is_new(&batch.sender, batch.number) {
                    let count = batch.observations.len() as u64;
                    self.pending.observations += count;
                    self.pending.bytes += message.payload.len() as u64;
                    self.pending.batches.push(message.payload);
                    self.unpublished += count;
                    self.policy.replica.observe(batch.observations).await;
                }
            }
            Err(error) => tracing::error!("cannot read message {} of the observations: {error}", message.sequence),
        }
        self.policy.set_position(self.position);
        self.silent_since = Some(self.context.clock.now());
    }

    /// Persists the observations shown since the last segment, and trims the stream up to them.
    async fn persist_segment(&mut self) -> bool {
        let PendingSegment { batches, observations, .. } = std::mem::take(&mut self.pending);
        let object = ObservationSegment { senders: self.senders.all(), batches }.encode(&mut self.codec);
        let name = self.record.segment();
        let (client, bytes) = (&self.context.client, object.len() as u64);
        client.retry_until_ok(&name, || client.bus.put_object(&name, object.clone())).await;
        let mut record = PolicyRecord { through: self.position, next: self.record.next + 1, ..self.record.clone() };
        record.segments.push(Segment { object: name, observations, bytes });
        let mut dropped = Vec::new();
        while let Some(at) = self.policy.bounds.to_drop(&record.segments) {
            dropped.push(record.segments.remove(at).object);
            record.is_thinned = true;
        }
        if !self.write(record).await {
            return false;
        }
        // Failure of these only costs storage.
        let _ = client.once(client.bus.trim(Stream::Observations, SUBJECT, self.position + 1)).await;
        for name in dropped {
            let _ = client.once(client.bus.remove_object(&name)).await;
        }
        true
    }

    async fn write(&mut self, record: PolicyRecord) -> bool {
        let Some(revision) = swap(self.context, &record, Some(self.revision)).await else { return false };
        (self.record, self.revision) = (record, revision);
        true
    }

    /// Returns whether there is something new to publish, and the policy has seen at least what the last publication
    /// had seen.
    fn is_due(&self) -> bool {
        let now = self.context.clock.now();
        let published = self.record.newest.as_ref().map_or(0, |newest| newest.seen);
        let is_silent = |since: Instant| now.since(since) >= CATCH_UP_MAX;
        let knows = self.position >= published || self.silent_since.is_some_and(is_silent);
        self.unpublished > 0 && knows && now >= self.next
    }

    /// Returns the minimum interval after a publication of this size.
    fn spacing(&self, bytes: u64) -> Duration {
        let kept: u64 = self.record.segments.iter().map(|segment| segment.observations).sum();
        let nodes = self.context.view.lock().live().count() as u64;
        spacing(kept + self.pending.observations, bytes, nodes)
    }

    async fn publish(&mut self) -> bool {
        let now = self.context.clock.now();
        self.unpublished = 0;
        let Some(publication) = self.policy.replica.publication().await else {
            self.next = now + self.spacing(0);
            return true;
        };
        let object = encode_publication(&publication, &mut self.codec);
        self.next = now + self.spacing(object.len() as u64);
        let version = self.record.next_version();
        let name = self.record.publication(version);
        let client = &self.context.client;
        client.retry_until_ok(&name, || client.bus.put_object(&name, object.clone())).await;
        let newest = Some(LatestPublication { version, object: name, seen: self.position });
        let former = self.record.newest.clone();
        if !self.write(PolicyRecord { newest, ..self.record.clone() }).await {
            return false;
        }
        self.policy.follow(version, publication).await;
        self.remove_superseded(version, former).await;
        true
    }

    /// Removes the publication that no node loads any more. The last one of a former holder is removed with the first
    /// of this one.
    async fn remove_superseded(&self, version: u64, former: Option<LatestPublication>) {
        let bus = &self.context.client.bus;
        let own = version.saturating_sub(SUPERSEDED_KEPT);
        let own = (own > 0).then(|| self.record.publication(own));
        let others = former.map(|former| former.object).filter(|name| *name != self.record.publication(version - 1));
        for name in own.into_iter().chain(others) {
            let _ = self.context.client.once(bus.remove_object(&name)).await;
        }
    }
}
