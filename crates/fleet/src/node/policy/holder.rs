//! Holds the policy: takes its key when nobody who lives has it, reads the stream, keeps segments of it and publishes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;

use super::TICK;
use super::replay::recall;
use crate::SessionId;
use crate::bus::{Message, Stream};
use crate::node::bus_client::SwapOutcome;
use crate::node::context::NodeContext;
use crate::node::records;
use crate::node::view::FleetView;
use crate::policy::{
    Candidate, LatestPublication, POLICY, PolicyRecord, PolicySession, SUBJECT, Segment, Senders, claim, spacing,
};
use crate::wire::{ObservationSegment, Observations, WireCodec, seal_publication};
use harvestman_core::clock::Instant;

/// Whoever goes on publishes nothing before it knows what was known, unless what is missing does not come for so long.
const PATIENCE: Duration = Duration::from_secs(30);
/// Publications that are left besides the newest, for those who are just loading them.
const LEFT: u64 = 2;

pub(in crate::node) async fn hold(context: Arc<NodeContext>, session_policy: Arc<PolicySession>) {
    let mut seen = 0;
    loop {
        seen = context.changed_or_timeout(&context.view_changed, seen).await;
        let is_leaving = context.leaving.load(Ordering::Acquire);
        let claimed = (context.is_lease_current() && !is_leaving)
            .then(|| claimed(&context.view.lock(), &context.session))
            .flatten();
        let Some((former, record, revision)) = claimed else { continue };
        let Some(revision) = swap(&context, &record, revision).await else { continue };
        tracing::info!(token = record.token, "this node holds the fleet's policy from here on");
        session_policy.set_holds(true);
        for object in former.unnamed() {
            // It may be there if the former holder died between two writes. What comes even later stays: it is one object.
            let _ = context.client.once(context.client.bus.remove_object(&object)).await;
        }
        PolicyHolder::new(&context, &session_policy, record, revision).work().await;
        session_policy.set_holds(false);
        if !context.leaving.load(Ordering::Acquire) {
            // Whoever leaves keeps what it has learnt, and may leave it in its directory.
            session_policy.replica.stop_leading();
        }
        tracing::info!("this node holds the fleet's policy no more");
    }
}

/// What is to be written to take the policy, and in place of what; none where it is not for this session.
fn claimed(view: &FleetView, me: &SessionId) -> Option<(PolicyRecord, PolicyRecord, Option<u64>)> {
    let (former, revision) = view.policy.clone().map_or_else(Default::default, |(record, at)| (record, Some(at)));
    let live = view.live().map(|(session, said)| Candidate { session, born: said.born, leaving: said.leaving });
    let record = claim(&former, me, &live.collect::<Vec<_>>())?;
    Some((former, record, revision))
}

/// Writes the key; its revision, or none where somebody else has written it.
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

/// What is not kept in a segment yet.
#[derive(Default)]
struct PendingSegment {
    batches: Vec<Bytes>,
    observations: u64,
    bytes: u64,
}

/// The policy, held.
pub(super) struct PolicyHolder<'a> {
    pub(super) context: &'a NodeContext,
    pub(super) session_policy: &'a PolicySession,
    pub(super) record: PolicyRecord,
    revision: u64,
    pub(super) senders: Senders,
    /// Everything of the stream up to here was shown.
    position: u64,
    unkept: PendingSegment,
    /// Observations that were shown since the last publication.
    unpublished: u64,
    /// Since when nothing has come of the stream though it was open; none while it is not.
    silent_since: Option<Instant>,
    /// When the next publication may come.
    next: Instant,
    pub(super) packer: WireCodec,
}

impl<'a> PolicyHolder<'a> {
    fn new(context: &'a NodeContext, session_policy: &'a PolicySession, record: PolicyRecord, revision: u64) -> Self {
        let (now, position) = (context.clock.now(), record.through);
        let (senders, unkept, packer) = (Senders::default(), PendingSegment::default(), WireCodec::new());
        Self {
            context,
            session_policy,
            record,
            revision,
            senders,
            position,
            unkept,
            unpublished: 0,
            silent_since: None,
            next: now,
            packer,
        }
    }

    /// Until somebody else has the key, or it is let go.
    async fn work(&mut self) {
        self.session_policy.replica.start_leading().await;
        self.session_policy.set_position(0);
        recall(self).await;
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
            if !self.turn().await {
                return;
            }
            self.context.client.pause(attempt).await;
            attempt += 1;
        }
    }

    /// Reads until the channel ends. False: the policy is held no more.
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
                self.take_in(message).await;
            }
            if !self.turn().await {
                return false;
            }
        }
    }

    /// Does what is due. False: the policy is held no more.
    async fn turn(&mut self) -> bool {
        let is_others = |(record, _): &(PolicyRecord, u64)| record.token > self.record.token;
        if self.context.view.lock().policy.as_ref().is_some_and(is_others) {
            return false;
        }
        let PendingSegment { observations, bytes, .. } = self.unkept;
        if self.session_policy.bounds.is_full(observations, bytes) && !self.keep().await {
            return false;
        }
        let leaves = self.context.leaving.load(Ordering::Acquire) && self.session_policy.outbox.pending() == 0;
        if leaves {
            let record = PolicyRecord { token: self.record.token + 1, holder: None, ..self.record.clone() };
            swap(self.context, &record, Some(self.revision)).await;
            return false;
        }
        !self.is_due() || self.publish().await
    }

    async fn take_in(&mut self, message: Message) {
        self.position = message.sequence;
        match Observations::read(&message.payload, &mut self.packer) {
            Ok(batch) => {
                if self.senders.is_new(&batch.sender, batch.number) {
                    let count = batch.observations.len() as u64;
                    self.unkept.observations += count;
                    self.unkept.bytes += message.payload.len() as u64;
                    self.unkept.batches.push(message.payload);
                    self.unpublished += count;
                    self.session_policy.replica.observe(batch.observations).await;
                }
            }
            Err(error) => tracing::error!("message {} of the observations: {error}", message.sequence),
        }
        self.session_policy.set_position(self.position);
        self.silent_since = Some(self.context.clock.now());
    }

    /// Keeps what was shown since the last segment, and trims the stream behind it.
    async fn keep(&mut self) -> bool {
        let PendingSegment { batches, observations, .. } = std::mem::take(&mut self.unkept);
        let object = ObservationSegment { senders: self.senders.all(), batches }.encode(&mut self.packer);
        let name = self.record.segment();
        let (client, bytes) = (&self.context.client, object.len() as u64);
        client.retry_until_ok(&name, || client.bus.put_object(&name, object.clone())).await;
        let mut record = PolicyRecord { through: self.position, next: self.record.next + 1, ..self.record.clone() };
        record.segments.push(Segment { object: name, observations, bytes });
        let mut left_out = Vec::new();
        while let Some(at) = self.session_policy.bounds.to_drop(&record.segments) {
            left_out.push(record.segments.remove(at).object);
            record.is_thinned = true;
        }
        if !self.write(record).await {
            return false;
        }
        // Whether these happen changes nothing but how much there is.
        let _ = client.once(client.bus.trim(Stream::Observations, SUBJECT, self.position + 1)).await;
        for name in left_out {
            let _ = client.once(client.bus.remove_object(&name)).await;
        }
        true
    }

    async fn write(&mut self, record: PolicyRecord) -> bool {
        let Some(revision) = swap(self.context, &record, Some(self.revision)).await else { return false };
        (self.record, self.revision) = (record, revision);
        true
    }

    /// Whether something new is to be published, and it knows what was known when something was published last.
    fn is_due(&self) -> bool {
        let now = self.context.clock.now();
        let published = self.record.newest.as_ref().map_or(0, |newest| newest.seen);
        let is_silent = |since: Instant| now.since(since) >= PATIENCE;
        let knows = self.position >= published || self.silent_since.is_some_and(is_silent);
        self.unpublished > 0 && knows && now >= self.next
    }

    /// How long after a publication of so many bytes the next one comes at the soonest.
    fn spacing(&self, bytes: u64) -> Duration {
        let kept: u64 = self.record.segments.iter().map(|segment| segment.observations).sum();
        let nodes = self.context.view.lock().live().count() as u64;
        spacing(kept + self.unkept.observations, bytes, nodes)
    }

    async fn publish(&mut self) -> bool {
        let now = self.context.clock.now();
        self.unpublished = 0;
        let Some(publication) = self.session_policy.replica.publication().await else {
            self.next = now + self.spacing(0);
            return true;
        };
        let object = seal_publication(&publication, &mut self.packer);
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
        self.session_policy.follow(version, publication).await;
        self.clear(version, former).await;
        true
    }

    /// Removes the publication that nobody loads any more. A former holder's last one goes with the first of this one.
    async fn clear(&self, version: u64, former: Option<LatestPublication>) {
        let bus = &self.context.client.bus;
        let own = version.saturating_sub(LEFT);
        let own = (own > 0).then(|| self.record.publication(own));
        let others = former.map(|former| former.object).filter(|name| *name != self.record.publication(version - 1));
        for name in own.into_iter().chain(others) {
            let _ = self.context.client.once(bus.remove_object(&name)).await;
        }
    }
}
