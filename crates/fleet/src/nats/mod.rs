//! The bus on NATS JetStream, version [`SERVER_VERSION_MIN`] or later; with replicas, [`CLUSTER_VERSION_MIN`] or later.
//!
//! A crawl NAME has the following on the servers, all stored in files, and refusing what does not fit:
//!
//! * the streams `HM_NAME_X0`, `HM_NAME_X1`, … of the exchange, `HM_NAME_LOG0`, … of the session logs and `HM_NAME_OBS`
//!   of the observations, with subjects below `hm.NAME.`,
//! * the key-value bucket `hm-NAME`, with the latest value of each key,
//! * the object store `hm-NAME-objects`.
//!
//! With replicas, an acknowledged write is on more than half of them. A single server acknowledges a write that is in
//! its files but not yet synced to disk: a crash of the server loses nothing, a crash of its machine may (unless the
//! server is configured to sync always).
//!
//! The client reconnects without limit. While there is no connection, each call waits for the request timeout and then
//! returns that the bus is unreachable; nothing is sent after that.

mod connect;
mod connection;
mod crawl;
mod error;
mod keys;
mod names;
mod objects;
mod options;
mod read;
mod traffic;
mod watch;

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc::{self, Receiver, Sender};

use self::connection::Connection;
use self::names::Names;
use self::read::{Reader, Source, Start};
use super::bus::{BoxFuture, Bus, BusError, Flow, KeyValue, MESSAGE_MAX, Message, Stream, WatchEvent};

pub use self::connect::{CLUSTER_VERSION_MIN, SERVER_VERSION_MIN};
pub use self::crawl::CrawlStorage;
pub use self::error::NatsError;
pub use self::names::CRAWL_NAME_MAX;
pub use self::options::{NatsOptions, Secret};
pub use self::traffic::{Counts, Traffic, TrafficKind};

/// The most messages that wait for the reader of a stream.
const READ_WAITING_MAX: usize = 64;

/// The bus of one crawl on NATS servers. Clones share the connection.
#[derive(Clone)]
pub struct NatsBus {
    connection: Arc<Connection>,
    names: Names,
    options: Arc<NatsOptions>,
}

impl NatsBus {
    /// Connects, and checks that the servers meet the requirements. Does not check whether the crawl exists.
    pub async fn connect(options: NatsOptions) -> Result<Self, NatsError> {
        let names = Names::of(&options.crawl).ok_or_else(|| NatsError::Name(options.crawl.clone()))?;
        let connection = Arc::new(connect::connect(&options).await?);
        Ok(Self { connection, names, options: Arc::new(options) })
    }

    /// Creates what is missing of the crawl, and returns how it is stored: the options do not change what exists.
    pub async fn create_crawl(&self) -> Result<CrawlStorage, NatsError> {
        crawl::create(self).await
    }

    /// Finds the crawl, and returns how it is stored.
    pub async fn open_crawl(&self) -> Result<CrawlStorage, NatsError> {
        crawl::open(self).await
    }

    /// Removes everything of the crawl, for good.
    pub async fn remove_crawl(&self) -> Result<(), NatsError> {
        crawl::remove(self).await
    }

    /// Watches whether a server is connected.
    pub fn connected(&self) -> tokio::sync::watch::Receiver<bool> {
        self.connection.watch()
    }

    /// Returns the counters of the traffic so far.
    pub fn traffic(&self) -> &Traffic {
        self.connection.traffic()
    }

    /// Returns the name and the version of the current server, or of the last one.
    pub fn server(&self) -> (String, String) {
        let info = self.connection.client().server_info();
        (info.server_name, info.version)
    }

    /// Flushes what is in flight and closes the connection of all clones. All reads end.
    pub async fn close(&self) {
        self.connection.close().await;
    }

    async fn read_from(&self, stream: Stream, subject: &str, from: u64) -> Result<Receiver<Message>, BusError> {
        let subject = self.names.subject(stream, subject, true)?;
        let source = Source { kind: stream.into(), stream: self.names.stream(stream), subject };
        let reader = Reader::begin(self.connection.clone(), source, Start::At(from)).await?;
        let (sender, receiver) = mpsc::channel(READ_WAITING_MAX);
        tokio::spawn(forward(reader, sender));
        Ok(receiver)
    }
}

/// Forwards messages until the receiver is dropped or the stream is gone.
async fn forward(mut reader: Reader, to: Sender<Message>) {
    loop {
        let next = tokio::select! {
            next = reader.next() => next,
            () = to.closed() => None,
        };
        let Some(delivery) = next else { return };
        let message = Message { sequence: delivery.sequence, payload: delivery.message.payload };
        if to.send(message).await.is_err() {
            return;
        }
    }
}

impl Bus for NatsBus {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<KeyValue>, BusError>> {
        Box::pin(async move { Ok(keys::entry(self, key).await?.filter(|entry| entry.value.is_some())) })
    }

    fn create<'a>(&'a self, key: &'a str, value: Bytes) -> BoxFuture<'a, Result<u64, BusError>> {
        Box::pin(keys::create(self, key, value))
    }

    fn update<'a>(&'a self, key: &'a str, value: Bytes, revision: u64) -> BoxFuture<'a, Result<u64, BusError>> {
        Box::pin(keys::write(self, key, value, revision))
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        Box::pin(keys::delete(self, key))
    }

    fn watch(&self) -> BoxFuture<'_, Result<Receiver<WatchEvent>, BusError>> {
        Box::pin(watch::watch(self))
    }

    fn append<'a>(&'a self, stream: Stream, subject: &'a str, payload: Bytes) -> BoxFuture<'a, Result<u64, BusError>> {
        Box::pin(async move {
            if payload.len() > MESSAGE_MAX {
                let why = format!("a message of {} bytes exceeds the limit of {MESSAGE_MAX}", payload.len());
                return Err(BusError::Refused(why));
            }
            let subject = self.names.subject(stream, subject, false)?;
            self.connection.publish(stream.into(), &self.names.stream(stream), subject, None, payload).await
        })
    }

    fn read<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Receiver<Message>, BusError>> {
        Box::pin(self.read_from(stream, subject, from))
    }

    fn last<'a>(&'a self, stream: Stream, subject: &'a str) -> BoxFuture<'a, Result<u64, BusError>> {
        Box::pin(async move {
            let subject = self.names.subject(stream, subject, true)?;
            let kept = self.connection.last(stream.into(), &self.names.stream(stream), &subject).await?;
            Ok(kept.map_or(0, |kept| kept.sequence))
        })
    }

    fn trim<'a>(&'a self, stream: Stream, subject: &'a str, below: u64) -> BoxFuture<'a, Result<(), BusError>> {
        Box::pin(async move {
            let subject = self.names.subject(stream, subject, true)?;
            // To the server, below 0 means everything.
            if below <= 1 {
                return Ok(());
            }
            self.connection.purge(stream.into(), &self.names.stream(stream), &subject, Some(below)).await
        })
    }

    fn put_object<'a>(&'a self, name: &'a str, object: Bytes) -> BoxFuture<'a, Result<(), BusError>> {
        Box::pin(objects::put(self, name, object))
    }

    fn object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Bytes>, BusError>> {
        Box::pin(objects::get(self, name))
    }

    fn remove_object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        Box::pin(objects::remove(self, name))
    }

    fn flows(&self) -> Vec<Flow> {
        self.traffic().flows()
    }
}
