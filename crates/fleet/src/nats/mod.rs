//! The bus on NATS JetStream, of version [`SERVER_VERSION_MIN`] or later; with replicas, of [`CLUSTER_VERSION_MIN`] or later.
//!
//! A crawl NAME has these on the servers, all in files, refusing what does not fit:
//!
//! * the streams `HM_NAME_X0`, `HM_NAME_X1`, … for the exchange, `HM_NAME_LOG0`, … for the sessions' logs and `HM_NAME_OBS` for what the policy
//!   is to see, with subjects below `hm.NAME.`,
//! * the key-value bucket `hm-NAME`, of which only the newest value of a key is kept,
//! * the object store `hm-NAME-objects`.
//!
//! With replicas, what is acknowledged stands on more than half of them. On a server that stands alone it stands in its files, which the
//! system has not written to the disk yet: the death of the server loses nothing, one of the machine may (unless it is told to sync always).
//!
//! Connections come back by themselves, for ever. While there is none, everything waits for as long as an answer may take and then says that
//! the bus is unreachable; nothing is sent later than that.

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

/// How many messages may wait for whoever reads a stream.
const READ_WAITING_MAX: usize = 64;

/// The bus of one crawl on NATS servers. Clones share the connection.
#[derive(Clone)]
pub struct NatsBus {
    connection: Arc<Connection>,
    names: Names,
    options: Arc<NatsOptions>,
}

impl NatsBus {
    /// Connects, and sees that the servers will do. Whether there is such a crawl is not asked yet.
    pub async fn connect(options: NatsOptions) -> Result<Self, NatsError> {
        let names = Names::of(&options.crawl).ok_or_else(|| NatsError::Name(options.crawl.clone()))?;
        let connection = Arc::new(connect::connect(&options).await?);
        Ok(Self { connection, names, options: Arc::new(options) })
    }

    /// Makes of the crawl what is not there yet, and says how it is kept: what is there stays as it is, whatever the options say.
    pub async fn create_crawl(&self) -> Result<CrawlStorage, NatsError> {
        crawl::create(self).await
    }

    /// Finds the crawl, and says how it is kept.
    pub async fn open_crawl(&self) -> Result<CrawlStorage, NatsError> {
        crawl::open(self).await
    }

    /// Takes all of the crawl away, for good.
    pub async fn remove_crawl(&self) -> Result<(), NatsError> {
        crawl::remove(self).await
    }

    /// Whether a server is connected, now and whenever that changes.
    pub fn connected(&self) -> tokio::sync::watch::Receiver<bool> {
        self.connection.watch()
    }

    /// What went over the wire so far.
    pub fn traffic(&self) -> &Traffic {
        self.connection.traffic()
    }

    /// The name and the version of the server that is connected, or was last.
    pub fn server(&self) -> (String, String) {
        let info = self.connection.client().server_info();
        (info.server_name, info.version)
    }

    /// Sends what is under way and closes the connection, of all clones. All that reads ends.
    pub async fn close(&self) {
        self.connection.close().await;
    }

    async fn read_from(&self, stream: Stream, subject: &str, from: u64) -> Result<Receiver<Message>, BusError> {
        let subject = self.names.subject(stream, subject, true)?;
        let source = Source { kind: stream.into(), stream: self.names.stream(stream), subject };
        let reader = Reader::begin(self.connection.clone(), source, Start::At(from)).await?;
        let (hand_on, handed_on) = mpsc::channel(READ_WAITING_MAX);
        tokio::spawn(hand_on_all(reader, hand_on));
        Ok(handed_on)
    }
}

/// ShardState messages on until nobody takes them or the stream is gone.
async fn hand_on_all(mut reader: Reader, to: Sender<Message>) {
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
                let why = format!("a message of {} bytes: at most {MESSAGE_MAX} are sent", payload.len());
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
            // To the server, below 0 is everything.
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
