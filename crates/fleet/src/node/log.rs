//! The log of a session: written by its crawler and its driver, read by others.
//!
//! An append is retried until it is acknowledged, so an entry may be in the log twice, and its second copy may come
//! after entries that were appended later. Entries are numbered; readers skip an entry whose number does not exceed the
//! last one.

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

/// A position in a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// The sequence number in the stream; 0: none yet.
    pub sequence: u64,
    /// The number among the session's entries, counted from 1.
    pub number: u64,
}

/// Writes of a session to the bus: entries of its log, in order, and links of other nodes' partitions.
pub struct SessionLog {
    client: Arc<BusClient>,
    session: SessionId,
    stream: Stream,
    /// The number of the next entry. Locked while an append is in flight, so that entries are appended one after the
    /// other.
    next: tokio::sync::Mutex<u64>,
    last: Mutex<LogPosition>,
    over: Signal,
    packer: Mutex<WireCodec>,
}

/// Returns the stream that holds a session's log.
pub fn log_stream(session: &SessionId, shards: u16) -> Stream {
    Stream::Log((xxhash_rust::xxh3::xxh3_64(session.0.as_bytes()) % u64::from(shards.max(1))) as u16)
}

/// Splits a message of a log into its number and its payload.
pub fn numbered(message: &Message) -> Option<(u64, &[u8])> {
    let (number, rest) = message.payload.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*number), rest))
}

impl SessionLog {
    /// Creates the log of a new session.
    pub fn new(client: Arc<BusClient>, session: SessionId, shards: u16) -> Self {
        let stream = log_stream(&session, shards);
        let (next, last, over) = (tokio::sync::Mutex::new(1), Mutex::default(), Signal::default());
        Self { client, session, stream, next, last, over, packer: Mutex::new(WireCodec::new()) }
    }

    /// Appends an entry and returns the position of its last message. Waits while the bus is unavailable.
    ///
    /// # Errors
    /// The session has ended; the entry may be in the log or not.
    pub async fn append(&self, entry: &LogEntry) -> Result<LogPosition, SessionEnded> {
        let messages = split_entry(entry, &mut self.packer.lock()).messages;
        let mut next = self.next.lock().await;
        for message in messages {
            // A number is never reused, even if the caller gives up: the entry may be in the log all the same.
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

    /// Publishes links to a shard of the exchange. Returns the sequence number of the last message, 0 without links.
    ///
    /// # Errors
    /// The session has ended; any prefix of the links may be published.
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

    /// Returns the position of the last acknowledged entry.
    pub fn last(&self) -> LogPosition {
        *self.last.lock()
    }

    /// Returns the stream of the log. Its subject is the session id.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// Ends the log: pending appends fail.
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

/// Reads the entries of a session's log from a position up to a sequence number, each once and in the order in which
/// they were first appended. Returns them and the position to continue from. Unreadable entries are logged and skipped.
///
/// # Errors
/// Any refusal of the bus.
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
            None => Err("it is truncated".to_owned()),
        };
        match entry {
            Ok(entry) => entries.push(entry),
            Err(error) => tracing::error!(
                "cannot read entry {} of the log of {session} ({error}): its content is lost unless other entries repeat it",
                message.sequence
            ),
        }
    }
    Ok((entries, reached))
}
