//! Reads the exchange: one task per shard, which offers messages to the crawler in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc::Receiver;

use super::context::NodeContext;
use super::log::EXCHANGE;
use crate::Partition;
use crate::bus::{Message, Stream};
use crate::wire::{Batch, WireCodec};
use harvestman_core::model::ScheduledUrl;

/// The reader of a shard.
struct Reader {
    context: Arc<NodeContext>,
    shard: u16,
    /// Everything up to this sequence number was offered.
    at: u64,
    channel: Option<Receiver<Message>>,
    attempt: u32,
}

/// The state of a shard's held partitions.
#[derive(Default)]
struct ShardState {
    any_caught_up: bool,
    /// Partitions that have not caught up: their tokens and positions.
    new: BTreeMap<Partition, (u64, u64)>,
}

impl ShardState {
    /// Returns the sequence number up to which no partition that is catching up has missed anything.
    fn first(&self) -> u64 {
        self.new.values().map(|(_, position)| *position).min().unwrap_or(0)
    }
}

pub(super) async fn read(context: Arc<NodeContext>, shard: u16) {
    let mut reader = Reader { context, shard, at: 0, channel: None, attempt: 0 };
    loop {
        let seen = reader.context.held_changed.count();
        let state = reader.state();
        if !state.new.is_empty() {
            reader.catch_up(&state).await;
        } else if state.any_caught_up {
            reader.read_next(seen).await;
        } else {
            reader.channel = None;
            reader.context.held_changed.after(seen).await;
        }
    }
}

impl Reader {
    fn stream(&self) -> Stream {
        Stream::Exchange(self.shard)
    }

    fn state(&self) -> ShardState {
        let mut state = ShardState::default();
        let partitions = &self.context.options.partitions;
        for (partition, held) in &*self.context.held.lock() {
            if partitions.shard(*partition) != self.shard {
                continue;
            }
            if held.caught_up {
                state.any_caught_up = true;
            } else {
                state.new.insert(*partition, (held.record.token, held.position));
            }
        }
        state
    }

    /// Offers the next message. Returns early if the held partitions change or the channel ends.
    async fn read_next(&mut self, seen: u64) {
        let context = Arc::clone(&self.context);
        let Some(mut channel) = self.open().await else { return };
        let message = tokio::select! {
            biased;
            _ = context.held_changed.after(seen) => {
                self.channel = Some(channel);
                return;
            }
            message = channel.recv() => message,
            () = context.clock.sleep(context.options.look * 5) => return self.check_silence(channel).await,
        };
        let Some(message) = message else { return };
        self.channel = Some(channel);
        self.attempt = 0;
        self.offer(&message, false).await;
        self.at = message.sequence;
    }

    async fn open(&mut self) -> Option<Receiver<Message>> {
        if let Some(channel) = self.channel.take() {
            return Some(channel);
        }
        if self.attempt > 0 {
            self.context.client.pause(self.attempt).await;
        }
        self.attempt += 1;
        self.context.client.once(self.context.client.bus.read(self.stream(), EXCHANGE, self.at + 1)).await.ok()
    }

    /// Checks whether a long silence means that the stream has no more messages.
    async fn check_silence(&mut self, channel: Receiver<Message>) {
        let last = self.context.client.once(self.context.client.bus.last(self.stream(), EXCHANGE)).await;
        if last.is_ok_and(|last| last <= self.at) {
            self.channel = Some(channel);
        }
    }

    /// Reads again what newly taken partitions have missed.
    async fn catch_up(&mut self, state: &ShardState) {
        let from = state.first();
        if !state.any_caught_up && from > self.at && !self.jump(from).await {
            return;
        }
        if from < self.at {
            let client = &self.context.client;
            match client.read_range(self.stream(), EXCHANGE, from + 1, self.at).await {
                Ok(messages) => {
                    for message in messages {
                        self.offer(&message, true).await;
                    }
                }
                Err(error) => {
                    tracing::error!("cannot read shard {} of the exchange: {error}; retrying", self.shard);
                    return client.pause(5).await;
                }
            }
        }
        let _turn = self.context.handover.lock().await;
        // Some may have been released meanwhile.
        let still = |partition: &Partition| {
            let held = self.context.held.lock();
            held.get(partition).map(|held| held.record.token) == state.new.get(partition).map(|(token, _)| *token)
        };
        let caught_up: Vec<Partition> = state.new.keys().copied().filter(still).collect();
        self.context.engine.caught_up(&caught_up).await;
        for partition in caught_up {
            if let Some(held) = self.context.held.lock().get_mut(&partition) {
                held.caught_up = true;
            }
        }
        self.context.held_partitions_changed();
    }

    /// Skips to the position before which no held partition has missed anything, and reports it to the crawler, so that
    /// its position advances even if no message follows. Does not skip while partitions of the shard are being
    /// released: until the log says so, its position counts for them too. Returns false if the held partitions changed.
    async fn jump(&mut self, to: u64) -> bool {
        let context = Arc::clone(&self.context);
        let _turn = context.handover.lock().await;
        let state = self.state();
        if state.any_caught_up || state.new.is_empty() || state.first() != to {
            return false;
        }
        self.at = to;
        self.channel = None;
        context.engine.offer(self.shard, to, Vec::new(), false).await;
        true
    }

    async fn offer(&self, message: &Message, catching_up: bool) {
        let metrics = &self.context.client.metrics;
        metrics.batches.by("read").inc();
        metrics.batch_bytes.by("read").add(message.payload.len() as u64);
        let links: Vec<ScheduledUrl> = match Batch::read(&message.payload, &mut WireCodec::new()) {
            Ok(batch) => batch.links,
            Err(error) => {
                let (sequence, shard) = (message.sequence, self.shard);
                tracing::error!("cannot read batch {sequence} of shard {shard} ({error}): its links are lost");
                Vec::new()
            }
        };
        self.context.engine.offer(self.shard, message.sequence, links, catching_up).await;
    }
}
