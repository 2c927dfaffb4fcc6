//! The log of a session: what its crawler and its driver append, and what others read of it.
//!
//! An append is repeated until it is acknowledged, so that an entry may stand in the log twice, and the second time *late*: behind entries
//! that were appended after it. Each is numbered; whoever reads leaves out what does not count on.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::bus_client::BusClient;
use super::signal::Signal;
use crate::bus::{BusError, Message, Stream};
use crate::engine::SessionEnded;
use crate::wire::{Batch, WireCodec, decode_entry, split_entry};
use crate::{LogEntry, SessionId};
use harvestman_core::model::ScheduledUrl;

/// The subject of links in their shard of the exchange.
pub const EXCHANGE: &str = "links";

/// Where an entry ended up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// Its sequence number in the log; 0: none yet.
    pub sequence: u64,
    /// Its number among the session's entries, from 1.
    pub number: u64,
}

/// What a session writes to the bus: entries of its log, in order, and links of others' partitions.
pub struct SessionLog {
    client: Arc<BusClient>,
    session: SessionId,
    stream: Stream,
    /// Held while an entry is under way, so that one comes after the other.
    next: tokio::sync::Mutex<u64>,
    last: Mutex<LogPosition>,
    over: Signal,
    packer: Mutex<WireCodec>,
}

/// The stream that a session's log is in.
pub fn log_stream(session: &SessionId, shards: u16) -> Stream {
    Stream::Log((xxhash_rust::xxh3::xxh3_64(session.0.as_bytes()) % u64::from(shards.max(1))) as u16)
}

/// Takes the number off a message of a log.
pub fn numbered(message: &Message) -> Option<(u64, &[u8])> {
    let (number, rest) = message.payload.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*number), rest))
}

impl SessionLog {
    /// The log of a session that begins.
    pub fn new(client: Arc<BusClient>, session: SessionId, shards: u16) -> Self {
        let stream = log_stream(&session, shards);
        let (next, last, over) = (tokio::sync::Mutex::new(1), Mutex::default(), Signal::default());
        Self { client, session, stream, next, last, over, packer: Mutex::new(WireCodec::new()) }
    }

    /// Appends an entry; where its last message is. Waits as long as the bus is away.
    ///
    /// # Errors
    /// Where the session has ended: then nobody knows whether it is there.
    pub async fn append(&self, entry: &LogEntry) -> Result<LogPosition, SessionEnded> {
        let messages = split_entry(entry, &mut self.packer.lock()).messages;
        let mut next = self.next.lock().await;
        for message in messages {
            // Never again for another one, even if whoever appends gives up: it may be there all the same.
            let number = *next;
            *next += 1;
            let payload: Bytes = [&number.to_le_bytes(), &*message].concat().into();
            let bytes = payload.len() as u64;
            let sequence = self.until_over(self.stream, &self.session.0, payload).await?;
            self.client.metrics.log_entries.inc();
            self.client.metrics.log_bytes.add(bytes);
            *self.last.lock() = LogPosition { sequence, number };
        }
        Ok(self.last())
    }

    /// Publishes links to a shard of the exchange; the sequence number of the last message, 0 without links.
    ///
    /// # Errors
    /// Where the session has ended: then nobody knows how much of it is there.
    pub async fn publish(&self, shard: u16, links: &[ScheduledUrl], generation: u64) -> Result<u64, SessionEnded> {
        let messages = Batch::split(links, generation, &mut self.packer.lock()).messages;
        let mut last = 0;
        for message in messages {
            let bytes = message.len() as u64;
            last = self.until_over(Stream::Exchange(shard), EXCHANGE, message).await?;
            self.client.metrics.batches.by("published").inc();
            self.client.metrics.batch_bytes.by("published").add(bytes);
        }
        self.client.metrics.foreign.by("sent").add(links.len() as u64);
        Ok(last)
    }

    /// The last entry that was acknowledged.
    pub fn last(&self) -> LogPosition {
        *self.last.lock()
    }

    /// The stream that it is in; its subject is the session.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// The session is over.
    pub fn end(&self) {
        self.over.raise();
    }

    async fn until_over(&self, stream: Stream, subject: &str, payload: Bytes) -> Result<u64, SessionEnded> {
        let append =
            self.client.retry_until_ok("an append", || self.client.bus.append(stream, subject, payload.clone()));
        tokio::select! {
            biased;
            _ = self.over.after(0) => Err(SessionEnded),
            sequence = append => Ok(sequence),
        }
    }
}

/// The entries of a session's log from a place on up to a sequence number, each once and in the order in which they were appended first; and
/// where it goes on. An entry that cannot be read is reported and left out.
///
/// # Errors
/// What the bus refuses.
pub async fn entries(
    client: &BusClient,
    session: &SessionId,
    stream: Stream,
    from: LogPosition,
    to: u64,
) -> Result<(Vec<LogEntry>, LogPosition), BusError> {
    let (mut entries, mut packer, mut reached) = (Vec::new(), WireCodec::new(), from);
    for message in client.read_range(stream, &session.0, from.sequence, to).await? {
        reached.sequence = message.sequence + 1;
        let entry = match numbered(&message) {
            Some((number, _)) if number < reached.number => continue,
            Some((number, payload)) => {
                reached.number = number + 1;
                decode_entry(payload, &mut packer).map_err(|error| error.to_string())
            }
            None => Err("it is cut off".to_owned()),
        };
        match entry {
            Ok(entry) => entries.push(entry),
            Err(error) => tracing::error!(
                "entry {} of the log of {session} cannot be read ({error}): what it alone says is lost",
                message.sequence
            ),
        }
    }
    Ok((entries, reached))
}
