//! A connection: sends requests, counts traffic, and tracks whether a server is connected.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{Client, HeaderMap, Message, Request, Subscriber};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use super::error::{classify_api, classify_request};
use super::traffic::{Traffic, TrafficKind};
use crate::bus::BusError;

/// The prefix of the subjects of JetStream's API.
const API: &str = "$JS.API.";

pub(super) struct Connection {
    client: Client,
    connected: watch::Sender<bool>,
    closed: AtomicBool,
    timeout_after: Duration,
    traffic: Traffic,
}

/// A message that was requested by itself.
#[derive(serde::Deserialize)]
pub(super) struct StoredMessage {
    #[serde(rename = "seq")]
    pub sequence: u64,
    #[serde(default)]
    data: String,
    #[serde(default, rename = "hdrs")]
    headers: String,
}

#[derive(serde::Deserialize)]
struct StoredMessageAnswer {
    message: StoredMessage,
}

impl StoredMessage {
    /// Returns the payload.
    pub fn payload(&self) -> Result<Bytes, BusError> {
        decoded(&self.data).map(Bytes::from)
    }

    /// Returns the headers, one per line.
    pub fn headers(&self) -> Result<String, BusError> {
        decoded(&self.headers).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn decoded(base64: &str) -> Result<Vec<u8>, BusError> {
    let wrong = |_| BusError::Refused("cannot decode the server's answer".into());
    data_encoding::BASE64.decode(base64.as_bytes()).map_err(wrong)
}

impl Connection {
    pub fn new(client: Client, connected: watch::Sender<bool>, timeout_after: Duration) -> Self {
        Self { client, connected, closed: AtomicBool::new(false), timeout_after, traffic: Traffic::default() }
    }

    pub const fn client(&self) -> &Client {
        &self.client
    }

    pub const fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Watches whether there is a connection.
    pub fn watch(&self) -> watch::Receiver<bool> {
        self.connected.subscribe()
    }

    /// Closes the connection for good.
    pub async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        // The connection is closed whether draining succeeds or not.
        let _ = self.client.drain().await;
    }

    /// Returns whether the connection was closed for good.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Waits for a connection, at most for the request timeout. A message sent without one would be delivered later,
    /// when no caller waits for it any more.
    async fn ready(&self) -> Result<(), BusError> {
        let mut connected = self.connected.subscribe();
        if self.is_closed() {
            return Err(BusError::Refused("the connection is closed".into()));
        }
        if timeout(self.timeout_after, connected.wait_for(|connected| *connected)).await.is_ok() {
            return Ok(());
        }
        if self.client.connection_state() == async_nats::connection::State::Connected {
            // The event of the reconnection was missed.
            self.connected.send_replace(true);
            return Ok(());
        }
        Err(BusError::Unreachable("not connected to any NATS server".into()))
    }

    /// Completes when the connection is lost.
    pub async fn lost(&self) {
        // Cannot fail: this struct holds the sender.
        let _ = self.connected.subscribe().wait_for(|connected| !connected).await;
    }

    async fn send(
        &self,
        kind: TrafficKind,
        subject: String,
        headers: Option<HeaderMap>,
        payload: Bytes,
    ) -> Result<Message, BusError> {
        let mut request = Request::new().payload(payload).timeout(Some(self.timeout_after));
        if let Some(headers) = headers {
            request = request.headers(headers);
        }
        let answer = tokio::select! {
            answer = self.client.send_request(subject, request) => answer.map_err(|error| classify_request(&error))?,
            () = self.lost() => return Err(BusError::Unreachable("the connection was lost".into())),
        };
        self.traffic.received(kind, answer.length);
        Ok(answer)
    }

    /// Sends a request to JetStream. Returns errors of the API unclassified.
    pub async fn request_raw<T: DeserializeOwned>(
        &self,
        kind: TrafficKind,
        what: &str,
        with: &Value,
    ) -> Result<Result<T, jetstream::Error>, BusError> {
        self.ready().await?;
        let payload = if with.is_null() { Bytes::new() } else { Bytes::from(with.to_string()) };
        self.traffic.asked(kind, API.len() + what.len() + payload.len());
        let answer = self.send(kind, format!("{API}{what}"), None, payload).await?;
        read_answer(&answer.payload)
    }

    /// Sends a request to JetStream.
    pub async fn request<T: DeserializeOwned>(
        &self,
        kind: TrafficKind,
        what: &str,
        with: &Value,
    ) -> Result<T, BusError> {
        self.request_raw(kind, what, with).await?.map_err(|error| classify_api(&error))
    }

    /// Publishes to a stream and waits until the message is stored. Returns its sequence number.
    pub async fn publish(
        &self,
        kind: TrafficKind,
        stream: &str,
        subject: String,
        headers: Option<HeaderMap>,
        payload: Bytes,
    ) -> Result<u64, BusError> {
        self.ready().await?;
        let header_bytes: usize = headers.iter().flat_map(|all| all.iter()).map(header_len).sum();
        self.traffic.published(kind, subject.len() + header_bytes + payload.len());
        let answer = match self.send(kind, subject, headers, payload).await {
            Ok(answer) => answer,
            Err(error) => return Err(self.unless_gone(kind, stream, error).await),
        };
        let ack: PublishAck = read_answer(&answer.payload)?.map_err(|error| classify_api(&error))?;
        Ok(ack.sequence)
    }

    /// A removed stream is as silent as one without a leader: checks whether it exists.
    async fn unless_gone(&self, kind: TrafficKind, stream: &str, error: BusError) -> BusError {
        if !matches!(&error, BusError::Unreachable(_)) || !*self.connected.borrow() {
            return error;
        }
        match self.exists(kind, stream).await {
            Ok(false) => BusError::Refused(format!("the stream {stream} does not exist")),
            _ => error,
        }
    }

    /// Returns whether a stream exists.
    pub async fn exists(&self, kind: TrafficKind, stream: &str) -> Result<bool, BusError> {
        let answer = self.request_raw::<Value>(kind, &format!("STREAM.INFO.{stream}"), &Value::Null).await?;
        match answer {
            Ok(_) => Ok(true),
            Err(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => Ok(false),
            Err(error) => Err(classify_api(&error)),
        }
    }

    /// Reads one message of a stream from its leader.
    pub async fn message(
        &self,
        kind: TrafficKind,
        stream: &str,
        which: Value,
    ) -> Result<Option<StoredMessage>, BusError> {
        let answer = self.request_raw::<StoredMessageAnswer>(kind, &format!("STREAM.MSG.GET.{stream}"), &which).await?;
        match answer {
            Ok(answer) => Ok(Some(answer.message)),
            Err(error) if error.error_code() == ErrorCode::NO_MESSAGE_FOUND => Ok(None),
            Err(error) => Err(classify_api(&error)),
        }
    }

    /// Reads the last message of a subject.
    pub async fn last(
        &self,
        kind: TrafficKind,
        stream: &str,
        subject: &str,
    ) -> Result<Option<StoredMessage>, BusError> {
        self.message(kind, stream, json!({"last_by_subj": subject})).await
    }

    /// Removes the messages of a subject below a sequence number, or all of them.
    pub async fn purge(
        &self,
        kind: TrafficKind,
        stream: &str,
        subject: &str,
        below: Option<u64>,
    ) -> Result<(), BusError> {
        let mut which = json!({"filter": subject});
        if let Some(below) = below {
            which["seq"] = below.into();
        }
        self.request::<Value>(kind, &format!("STREAM.PURGE.{stream}"), &which).await.map(drop)
    }

    /// Sends a request to JetStream whose answer is a sequence of messages to an inbox.
    pub async fn pull(&self, kind: TrafficKind, what: &str, inbox: &str, with: &Value) -> Result<(), BusError> {
        let payload = Bytes::from(with.to_string());
        self.traffic.asked(kind, API.len() + what.len() + inbox.len() + payload.len());
        let sent = self.client.publish_with_reply(format!("{API}{what}"), inbox.to_owned(), payload).await;
        sent.map_err(|error| BusError::Unreachable(error.to_string()))
    }

    /// Creates an inbox.
    pub async fn inbox(&self) -> Result<(String, Subscriber), BusError> {
        let inbox = self.client.new_inbox();
        let subscriber = self.client.subscribe(inbox.clone()).await;
        Ok((inbox, subscriber.map_err(|error| BusError::Unreachable(error.to_string()))?))
    }
}

fn read_answer<T: DeserializeOwned>(payload: &[u8]) -> Result<Result<T, jetstream::Error>, BusError> {
    match serde_json::from_slice(payload) {
        Ok(Response::Ok(answer)) => Ok(Ok(answer)),
        Ok(Response::Err { error }) => Ok(Err(error)),
        Err(error) => Err(BusError::Refused(format!("cannot decode the server's answer: {error}"))),
    }
}

fn header_len((name, values): (&async_nats::HeaderName, &Vec<async_nats::HeaderValue>)) -> usize {
    values.iter().map(|value| AsRef::<str>::as_ref(name).len() + value.as_str().len() + 4).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_was_asked_for_or_an_error() {
        let good = read_answer::<PublishAck>(br#"{"stream":"S","seq":7}"#).unwrap().unwrap();
        assert_eq!(good.sequence, 7);
        let error =
            br#"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 4"},"stream":"S","seq":0}"#;
        let error = read_answer::<PublishAck>(error).unwrap().unwrap_err();
        assert_eq!(error.error_code(), ErrorCode::STREAM_WRONG_LAST_SEQUENCE);
        assert!(matches!(read_answer::<PublishAck>(b"?"), Err(BusError::Refused(_))));
    }

    #[test]
    fn a_stored_message_is_decoded() {
        let stored: StoredMessageAnswer =
            serde_json::from_str(r#"{"message":{"subject":"s","seq":3,"data":"aGk=","hdrs":"TkFUUy8xLjANCg=="}}"#)
                .unwrap();
        assert_eq!(&stored.message.payload().unwrap()[..], b"hi");
        assert_eq!(stored.message.headers().unwrap(), "NATS/1.0\r\n");
        let empty: StoredMessage = serde_json::from_str(r#"{"seq":3}"#).unwrap();
        assert!(empty.payload().unwrap().is_empty());
        assert!(matches!(decoded("%"), Err(BusError::Refused(_))));
    }
}
