//! Keys in the format of JetStream's key-value buckets: a stream with one message per key, whose sequence number is the
//! revision. Other tools can read and write them.
//!
//! A writer names the revision that the key must have, and the stream's leader compares. Reads go to the leader, too.

use async_nats::HeaderMap;
use bytes::Bytes;

use super::NatsBus;
use super::connection::StoredMessage;
use super::traffic::TrafficKind;
use crate::bus::{BusError, KeyValue};

const OPERATION: &str = "KV-Operation";
const DELETE: &str = "DEL";
/// The header of a server's own deletion marker.
const MARKER: &str = "Nats-Marker-Reason";
const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";

/// Reads the entry of a key, with its revision even if the key was deleted.
pub(super) async fn entry(bus: &NatsBus, key: &str) -> Result<Option<KeyValue>, BusError> {
    let subject = bus.names.key_subject(key)?;
    let kept = bus.connection.last(TrafficKind::Keys, &bus.names.keys_stream(), &subject).await?;
    kept.map(|kept| read(key, &kept)).transpose()
}

fn read(key: &str, kept: &StoredMessage) -> Result<KeyValue, BusError> {
    let deleted = kept
        .headers()?
        .lines()
        .filter_map(|line| line.split_once(':'))
        .any(|(name, value)| is_deletion(name.trim(), value.trim()));
    let value = if deleted { None } else { Some(kept.payload()?) };
    Ok(KeyValue { key: key.to_owned(), value, revision: kept.sequence })
}

fn is_deletion(header: &str, value: &str) -> bool {
    header.eq_ignore_ascii_case(MARKER) || (header.eq_ignore_ascii_case(OPERATION) && matches!(value, DELETE | "PURGE"))
}

/// Returns whether a message of the bucket's stream deletes its key.
pub(super) fn says_deleted(headers: Option<&HeaderMap>) -> bool {
    let value = |name| headers.and_then(|headers| headers.get(name)).map(async_nats::HeaderValue::as_str);
    [OPERATION, MARKER].into_iter().any(|name| value(name).is_some_and(|value| is_deletion(name, value)))
}

/// Writes a key with this last revision; 0 for one that was never written.
pub(super) async fn write(bus: &NatsBus, key: &str, value: Bytes, revision: u64) -> Result<u64, BusError> {
    let mut headers = HeaderMap::new();
    headers.insert(EXPECTED, revision.to_string());
    publish(bus, key, headers, value).await
}

/// Creates a key that does not exist.
pub(super) async fn create(bus: &NatsBus, key: &str, value: Bytes) -> Result<u64, BusError> {
    match write(bus, key, value.clone(), 0).await {
        Err(BusError::Conflict) => (),
        done => return done,
    }
    // A deletion is a revision, too.
    match entry(bus, key).await? {
        Some(KeyValue { value: None, revision, .. }) => write(bus, key, value, revision).await,
        _ => Err(BusError::Conflict),
    }
}

/// Deletes a key.
pub(super) async fn delete(bus: &NatsBus, key: &str) -> Result<(), BusError> {
    let mut headers = HeaderMap::new();
    headers.insert(OPERATION, DELETE);
    publish(bus, key, headers, Bytes::new()).await.map(drop)
}

async fn publish(bus: &NatsBus, key: &str, headers: HeaderMap, value: Bytes) -> Result<u64, BusError> {
    let subject = bus.names.key_subject(key)?;
    bus.connection.publish(TrafficKind::Keys, &bus.names.keys_stream(), subject, Some(headers), value).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deletions_are_known_by_their_headers() {
        let headers = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value);
            headers
        };
        assert!(!says_deleted(None));
        assert!(!says_deleted(Some(&headers("Nats-Expected-Last-Subject-Sequence", "4"))));
        assert!(!says_deleted(Some(&headers(OPERATION, "PUT"))));
        for deletion in [headers(OPERATION, "DEL"), headers(OPERATION, "PURGE"), headers(MARKER, "MaxAge")] {
            assert!(says_deleted(Some(&deletion)));
        }
    }
}
