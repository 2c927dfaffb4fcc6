//! Reads the messages of a stream in order, each once, across failures of servers.
//!
//! A consumer on the server is ephemeral: it lives in one server's memory. It is created again from the last position
//! when it stalls, skips a message or is lost. Nothing is acknowledged.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::{Message as Raw, StatusCode, Subscriber};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::connection::Connection;
use super::error::classify_api;
use super::traffic::TrafficKind;
use crate::bus::BusError;

/// The number of messages per pull request.
const BATCH: u32 = 64;
/// The most bytes of messages per pull request, which bounds what waits here for its reader.
const BATCH_BYTES_MAX: u32 = 4 << 20;
/// How long the server keeps a pull request.
const PULL_EXPIRES: Duration = Duration::from_secs(30);
/// The heartbeat interval of a consumer without messages.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// The longest silence of a consumer: servers were observed to forget one after confirming it.
const SILENCE_MAX: Duration = Duration::from_secs(5);
/// How long the server keeps a consumer that is not used.
const INACTIVE_THRESHOLD: Duration = Duration::from_secs(30);
/// The delay before a consumer is created again: first and longest.
const RECREATE_AFTER: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// How often a stream must be reported missing: servers that start report streams as missing that they have not loaded
/// yet.
const GONE_AFTER: u32 = 6;

/// The messages to read.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub kind: TrafficKind,
    pub stream: String,
    /// The subject, which may contain wildcards.
    pub subject: String,
}

/// Where reading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// At a sequence number, or the next that exists.
    At(u64),
    /// With the last message of each subject.
    LastOfEach,
}

/// A message with its position in the stream.
#[derive(Debug)]
pub(super) struct Delivery {
    pub sequence: u64,
    pub message: Raw,
}

/// Reads a stream.
pub(super) struct Reader {
    connection: Arc<Connection>,
    source: Source,
    start: Start,
    consumer: Option<Consumer>,
}

impl Reader {
    /// Begins to read.
    pub async fn begin(connection: Arc<Connection>, source: Source, start: Start) -> Result<Self, BusError> {
        let consumer = match Consumer::make(&connection, &source, start).await {
            Ok(consumer) => consumer,
            Err(ConsumerError::Gone) => {
                return Err(BusError::Refused(format!("the stream {} does not exist", source.stream)));
            }
            Err(ConsumerError::Bus(error)) => return Err(error),
        };
        Ok(Self { connection, source, start, consumer: Some(consumer) })
    }

    /// Returns the next message, or `None` if the stream is gone.
    pub async fn next(&mut self) -> Option<Delivery> {
        loop {
            if self.consumer.is_none() {
                self.consumer = Some(self.make_again().await?);
            }
            let Some(consumer) = &mut self.consumer else { continue };
            match consumer.next(&self.connection, &self.source).await {
                Ok(delivery) => {
                    self.start = Start::At(delivery.sequence + 1);
                    return Some(delivery);
                }
                Err(why) => {
                    tracing::debug!(stream = self.source.stream, why, "reading again from the last position");
                    self.consumer = None;
                }
            }
        }
    }

    async fn make_again(&self) -> Option<Consumer> {
        let (mut wait, longest) = RECREATE_AFTER;
        let mut gone = 0;
        loop {
            if self.connection.is_closed() {
                return None;
            }
            sleep(wait).await;
            wait = (wait * 2).min(longest);
            match Consumer::make(&self.connection, &self.source, self.start).await {
                Ok(consumer) => return Some(consumer),
                Err(ConsumerError::Gone) => gone += 1,
                Err(ConsumerError::Bus(error)) => {
                    tracing::debug!(stream = self.source.stream, %error, "cannot read the stream now");
                    gone = 0;
                }
            }
            if gone >= GONE_AFTER {
                tracing::warn!(stream = self.source.stream, "a stream of the fleet does not exist any more");
                return None;
            }
        }
    }
}

/// Why a consumer was not created.
enum ConsumerError {
    Gone,
    Bus(BusError),
}

impl From<BusError> for ConsumerError {
    fn from(error: BusError) -> Self {
        Self::Bus(error)
    }
}

/// A consumer on the server.
struct Consumer {
    name: String,
    address: String,
    inbox: Subscriber,
    /// The number of outstanding messages of the last pull request.
    wanted: u32,
    /// The number of messages delivered.
    delivered: u64,
}

#[derive(serde::Deserialize)]
struct CreatedConsumer {
    name: String,
}

impl Consumer {
    async fn make(connection: &Connection, source: &Source, start: Start) -> Result<Self, ConsumerError> {
        let (address, inbox) = connection.inbox().await?;
        let what = format!("CONSUMER.CREATE.{}", source.stream);
        let with = json!({"stream_name": source.stream, "config": config(&source.subject, start)});
        match connection.request_raw::<CreatedConsumer>(source.kind, &what, &with).await? {
            Ok(CreatedConsumer { name }) => Ok(Self { name, address, inbox, wanted: 0, delivered: 0 }),
            Err(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => Err(ConsumerError::Gone),
            Err(error) => Err(classify_api(&error).into()),
        }
    }

    /// Returns the next message, or why the consumer delivers no more.
    async fn next(&mut self, connection: &Connection, source: &Source) -> Result<Delivery, &'static str> {
        loop {
            if self.wanted == 0 {
                let what = format!("CONSUMER.MSG.NEXT.{}.{}", source.stream, self.name);
                connection
                    .pull(source.kind, &what, &self.address, &pull_request())
                    .await
                    .map_err(|_| "cannot send a pull request")?;
                self.wanted = BATCH;
            }
            let message = tokio::select! {
                message = timeout(SILENCE_MAX, self.inbox.next()) => message,
                () = connection.lost() => return Err("the connection was lost"),
            };
            let message = message.map_err(|_| "the consumer stalled")?.ok_or("the connection was closed")?;
            connection.traffic().received(source.kind, message.length);
            match meaning(message.status, message.description.as_deref()) {
                Meaning::Message => return self.deliver(message),
                Meaning::Alive => (),
                Meaning::AskAgain => self.wanted = 0,
                Meaning::Lost => return Err("the consumer was lost"),
            }
        }
    }

    fn deliver(&mut self, message: Raw) -> Result<Delivery, &'static str> {
        let place = message.reply.as_deref().and_then(place).ok_or("unexpected message from the consumer")?;
        if place.delivered != self.delivered + 1 {
            return Err("a message was skipped");
        }
        self.delivered = place.delivered;
        self.wanted -= 1;
        Ok(Delivery { sequence: place.sequence, message })
    }
}

fn config(subject: &str, start: Start) -> Value {
    let mut config = json!({
        "description": "harvestman",
        "ack_policy": "none",
        "max_deliver": 1,
        "replay_policy": "instant",
        "filter_subject": subject,
        "num_replicas": 1,
        "mem_storage": true,
        "inactive_threshold": nanos(INACTIVE_THRESHOLD),
    });
    match start {
        // Sequence numbers are counted from 1.
        Start::At(sequence) => {
            config["deliver_policy"] = "by_start_sequence".into();
            config["opt_start_seq"] = sequence.max(1).into();
        }
        Start::LastOfEach => config["deliver_policy"] = "last_per_subject".into(),
    }
    config
}

fn pull_request() -> Value {
    json!({
        "batch": BATCH,
        "max_bytes": BATCH_BYTES_MAX,
        "expires": nanos(PULL_EXPIRES),
        "idle_heartbeat": nanos(HEARTBEAT),
    })
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The meaning of a message from a consumer.
#[derive(Debug, PartialEq, Eq)]
enum Meaning {
    Message,
    Alive,
    AskAgain,
    Lost,
}

fn meaning(status: Option<StatusCode>, description: Option<&str>) -> Meaning {
    match status {
        None | Some(StatusCode::OK) => Meaning::Message,
        Some(StatusCode::IDLE_HEARTBEAT) => Meaning::Alive,
        Some(StatusCode::NOT_FOUND | StatusCode::TIMEOUT) => Meaning::AskAgain,
        // The request was fulfilled up to its limit of bytes.
        Some(StatusCode::REQUEST_TERMINATED) if description.is_some_and(|text| text.contains("MaxBytes")) => {
            Meaning::AskAgain
        }
        Some(_) => Meaning::Lost,
    }
}

/// The position of a message in its stream, and among those delivered.
#[derive(Debug, PartialEq, Eq)]
struct DeliveryInfo {
    sequence: u64,
    delivered: u64,
}

/// Parses `$JS.ACK.STREAM.CONSUMER.TIMES.SEQUENCE.DELIVERED.TIME.PENDING`, to which newer servers prepend a domain and
/// an account.
fn place(reply: &str) -> Option<DeliveryInfo> {
    let parts: Vec<&str> = reply.strip_prefix("$JS.ACK.")?.split('.').collect();
    let from = match parts.len() {
        7 => 3,
        9.. => 5,
        _ => return None,
    };
    Some(DeliveryInfo { sequence: parts.get(from)?.parse().ok()?, delivered: parts.get(from + 1)?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_in_both_of_its_forms() {
        let expected = Some(DeliveryInfo { sequence: 42, delivered: 7 });
        assert_eq!(place("$JS.ACK.HM_c_X0.cons.1.42.7.1700000000000000000.5"), expected);
        assert_eq!(place("$JS.ACK._.hash.HM_c_X0.cons.1.42.7.1700000000000000000.5.rnd"), expected);
        assert_eq!(place("$JS.ACK._.hash.HM_c_X0.cons.1.42.7.1700000000000000000.5"), expected);
        for bad in ["", "$JS.ACK.", "$JS.ACK.s.c.1.x.7.0.5", "$JS.ACK.s.c.1.42.7.0", "_INBOX.a.b.c.d.1.42.7.0.5"] {
            assert_eq!(place(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_a_consumer_says_beside_messages_is_understood() {
        assert_eq!(meaning(None, None), Meaning::Message);
        assert_eq!(meaning(Some(StatusCode::IDLE_HEARTBEAT), Some("Idle Heartbeat")), Meaning::Alive);
        assert_eq!(meaning(Some(StatusCode::TIMEOUT), Some("Request Timeout")), Meaning::AskAgain);
        let ended = Some(StatusCode::REQUEST_TERMINATED);
        assert_eq!(meaning(ended, Some("Message Size Exceeds MaxBytes")), Meaning::AskAgain);
        assert_eq!(meaning(ended, Some("Consumer Deleted")), Meaning::Lost);
        assert_eq!(meaning(ended, Some("Leadership Change")), Meaning::Lost);
        assert_eq!(meaning(Some(StatusCode::NO_RESPONDERS), None), Meaning::Lost);
    }

    #[test]
    fn reading_from_zero_is_reading_from_the_first() {
        assert_eq!(config("s", Start::At(0))["opt_start_seq"], 1);
        assert_eq!(config("s", Start::At(9))["opt_start_seq"], 9);
        assert!(config("s", Start::LastOfEach).get("opt_start_seq").is_none());
    }
}
