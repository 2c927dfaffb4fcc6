//! What a fleet asks of its bus. NATS JetStream is one; the simulation has a model of it.
//!
//! Nothing here is answered exactly once: a write whose answer did not come ([`BusError::Unreachable`]) may have happened or not, a message
//! may stand in a stream twice. Keys alone are exact: a conditional write happens only to the revision that it names.

use bytes::Bytes;
use tokio::sync::mpsc::Receiver;

pub use futures_util::future::BoxFuture;

/// Why the bus did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// The key has another revision than the write named, or is there already.
    #[error("the key was changed by somebody else")]
    Conflict,
    /// No answer came: it may have happened or not.
    #[error("no answer from the bus: {0}")]
    Unreachable(String),
    /// There is no room: the stream or the server's storage is full. It did not happen.
    #[error("the bus is full: {0}")]
    Full(String),
    /// It was refused, and will be again: rights, a stream that is gone, a message that is too long.
    #[error("the bus refused: {0}")]
    Refused(String),
}

/// What a key held at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: String,
    /// The value; none where the key was deleted.
    pub value: Option<Bytes>,
    /// Grows with every change of any key.
    pub revision: u64,
}

/// One of the fleet's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// Links for the partitions of a shard.
    Exchange(u16),
    /// The log of a session, by the shard that its logs are in. The subject tells the sessions apart.
    Log(u16),
    /// What the policy is to see.
    Observations,
}

/// A message of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its place in the stream, counted from 1. Numbers may be missing.
    pub sequence: u64,
    /// What it says.
    pub payload: Bytes,
}

/// What comes of watching keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// A key has this value.
    Key(KeyValue),
    /// All keys that there were at the beginning have been told; from here on come changes.
    UpToDate,
}

/// Messages of one kind that went over the wire one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// What they are about, as a label of a metric.
    pub about: &'static str,
    /// `published` to be kept, `asked`, or `received`.
    pub way: &'static str,
    /// How many they were so far.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The longest payload of a message, in bytes: well below the servers' usual limit of 1 MiB.
pub const PAYLOAD_MAX: usize = 512 << 10;
/// The longest message that is appended, in bytes: a payload, and what numbers it.
pub const MESSAGE_MAX: usize = PAYLOAD_MAX + 8;

/// The bus of one crawl. What is read comes over channels with a bound; a channel that ends has lost its connection, or fell behind: ask anew.
pub trait Bus: Send + Sync {
    /// What a key holds now, as its leader knows it; none where it was never written or was deleted.
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<KeyValue>, BusError>>;
    /// Writes a key that is not there; its revision.
    fn create<'a>(&'a self, key: &'a str, value: Bytes) -> BoxFuture<'a, Result<u64, BusError>>;
    /// Writes a key that has this revision; its new one.
    fn update<'a>(&'a self, key: &'a str, value: Bytes, revision: u64) -> BoxFuture<'a, Result<u64, BusError>>;
    /// Deletes a key, whatever it holds.
    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), BusError>>;
    /// All keys, and then every change of them.
    fn watch(&self) -> BoxFuture<'_, Result<Receiver<WatchEvent>, BusError>>;

    /// Appends a message of at most [`MESSAGE_MAX`] bytes; its sequence number, once it is replicated.
    fn append<'a>(&'a self, stream: Stream, subject: &'a str, payload: Bytes) -> BoxFuture<'a, Result<u64, BusError>>;
    /// The messages of a subject from a sequence number on, in order, each once; then those that come, without end.
    fn read<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Receiver<Message>, BusError>>;
    /// The sequence number of the last message of a subject, as the stream's leader knows it; 0 where there is none.
    fn last<'a>(&'a self, stream: Stream, subject: &'a str) -> BoxFuture<'a, Result<u64, BusError>>;
    /// Removes the messages of a subject below a sequence number.
    fn trim<'a>(&'a self, stream: Stream, subject: &'a str, below: u64) -> BoxFuture<'a, Result<(), BusError>>;

    /// Writes an object, wholly or not at all, in place of what was there under the name.
    fn put_object<'a>(&'a self, name: &'a str, object: Bytes) -> BoxFuture<'a, Result<(), BusError>>;
    /// An object; none where there is none of that name. One that does not match its digest is [`BusError::Refused`].
    fn object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Bytes>, BusError>>;
    /// Removes an object, if it is there.
    fn remove_object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), BusError>>;

    /// What went over the wire so far, where that is counted.
    fn flows(&self) -> Vec<Flow> {
        Vec::new()
    }
}
