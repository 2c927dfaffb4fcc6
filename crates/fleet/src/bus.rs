//! The interface of the fleet's bus. Implemented by NATS JetStream and by a model in the simulation.
//!
//! No operation happens exactly once: a write without an answer ([`BusError::Unreachable`]) may have happened or not,
//! and a message may be in a stream twice. Only keys are exact: a conditional write succeeds only against the revision
//! that it names.

use bytes::Bytes;
use tokio::sync::mpsc::Receiver;

pub use futures_util::future::BoxFuture;

/// Why an operation of the bus failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// The key has another revision than the write named, or exists already.
    #[error("the key was changed by another writer")]
    Conflict,
    /// No answer came: the operation may have happened or not.
    #[error("no answer from the bus: {0}")]
    Unreachable(String),
    /// The stream or the storage of the servers is full. The operation did not happen.
    #[error("the bus is full: {0}")]
    Full(String),
    /// The bus refuses the operation and will refuse it again: missing permissions, a removed stream, a message that is
    /// too long.
    #[error("the bus refused the operation: {0}")]
    Refused(String),
}

/// A key and its value at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: String,
    /// The value; `None` if the key was deleted.
    pub value: Option<Bytes>,
    /// The revision, which grows with every change of any key.
    pub revision: u64,
}

/// A stream of the fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// Links for the partitions of a shard.
    Exchange(u16),
    /// The logs of the sessions of this log shard. The subject is the session.
    Log(u16),
    /// Observations for the policy.
    Observations,
}

/// A message of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its sequence number in the stream, counted from 1. There may be gaps.
    pub sequence: u64,
    /// Its payload.
    pub payload: Bytes,
}

/// An event of a watch on the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// A key has this value.
    Key(KeyValue),
    /// All keys that existed when the watch began have been delivered; changes follow.
    UpToDate,
}

/// The traffic of one kind in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// The kind, as a label of a metric.
    pub about: &'static str,
    /// `published` (to be stored), `asked` (requests) or `received`.
    pub way: &'static str,
    /// The number of messages so far.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The longest payload of a message in bytes: well below the servers' default limit of 1 MiB.
pub const PAYLOAD_MAX: usize = 512 << 10;
/// How much longer a message is when it is sealed: its mark, its nonce and its tag.
pub const SEAL_BYTES: usize = 4 + 12 + 16;
/// The longest message that is appended, in bytes: a payload and its number, sealed.
pub const MESSAGE_MAX: usize = PAYLOAD_MAX + 8 + SEAL_BYTES;

/// The bus of one crawl. Reads deliver over bounded channels. A channel that ends has lost its connection or fell
/// behind; the caller starts it again.
pub trait Bus: Send + Sync {
    /// Reads a key from its leader. `None` if it was never written or was deleted.
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<KeyValue>, BusError>>;
    /// Creates a key that does not exist. Returns its revision.
    fn create<'a>(&'a self, key: &'a str, value: Bytes) -> BoxFuture<'a, Result<u64, BusError>>;
    /// Writes a key that has this revision. Returns its new revision.
    fn update<'a>(&'a self, key: &'a str, value: Bytes, revision: u64) -> BoxFuture<'a, Result<u64, BusError>>;
    /// Deletes a key unconditionally.
    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), BusError>>;
    /// Delivers all keys, and then every change of them.
    fn watch(&self) -> BoxFuture<'_, Result<Receiver<WatchEvent>, BusError>>;

    /// Appends a message of at most [`MESSAGE_MAX`] bytes. Returns its sequence number once it is replicated.
    fn append<'a>(&'a self, stream: Stream, subject: &'a str, payload: Bytes) -> BoxFuture<'a, Result<u64, BusError>>;
    /// Delivers the messages of a subject from a sequence number on, in order and each once, then new ones without end.
    fn read<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Receiver<Message>, BusError>>;
    /// Reads the sequence number of the last message of a subject from the stream's leader; 0 if there is none.
    fn last<'a>(&'a self, stream: Stream, subject: &'a str) -> BoxFuture<'a, Result<u64, BusError>>;
    /// Removes the messages of a subject below a sequence number.
    fn trim<'a>(&'a self, stream: Stream, subject: &'a str, below: u64) -> BoxFuture<'a, Result<(), BusError>>;

    /// Writes an object atomically, replacing any object of that name.
    fn put_object<'a>(&'a self, name: &'a str, object: Bytes) -> BoxFuture<'a, Result<(), BusError>>;
    /// Reads an object; `None` if there is none of that name. An object that does not match its digest is
    /// [`BusError::Refused`].
    fn object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Bytes>, BusError>>;
    /// Removes an object if it exists.
    fn remove_object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), BusError>>;

    /// Returns the traffic so far, if it is counted.
    fn flows(&self) -> Vec<Flow> {
        Vec::new()
    }
}
