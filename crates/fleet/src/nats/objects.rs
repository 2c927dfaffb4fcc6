//! Objects in the format of JetStream's object stores: chunks in a stream, and a metadata message that refers to them.
//! Other tools can read them.
//!
//! Chunks are requested one by one from the stream's leader, so that existing chunks are found and missing ones are
//! certainly missing.

use async_nats::HeaderMap;
use async_nats::jetstream::object_store::{ObjectInfo, ObjectOptions};
use bytes::{Bytes, BytesMut};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::NatsBus;
use super::traffic::TrafficKind;
use crate::bus::BusError;

/// The bytes of a chunk. It is returned in an encoded answer, which must stay below the message limit of 1 MiB.
const CHUNK_BYTES: usize = 256 << 10;
/// The number of attempts to read an object that is replaced meanwhile.
const ATTEMPTS: usize = 3;

/// Writes an object: first its chunks, then, atomically, the metadata that refers to them.
pub(super) async fn put(bus: &NatsBus, name: &str, object: Bytes) -> Result<(), BusError> {
    let old = info(bus, name).await?;
    let id = new_id(bus);
    let chunks = bus.names.object_chunks(&id);
    let written = match put_chunks(bus, &chunks, &object).await {
        Ok(count) => put_info(bus, name, &of_object(bus, name, &id, count, &object)).await,
        Err(error) => Err(error),
    };
    if let Err(error) = written {
        // Unreferenced chunks take space. If the metadata got no answer, it may refer to them by now.
        if !matches!(error, BusError::Unreachable(_)) {
            remove_chunks(bus, &chunks).await;
        }
        return Err(error);
    }
    if let Some(old) = old {
        remove_chunks(bus, &bus.names.object_chunks(&old.nuid)).await;
    }
    Ok(())
}

async fn put_chunks(bus: &NatsBus, subject: &str, object: &Bytes) -> Result<usize, BusError> {
    let stream = bus.names.objects_stream();
    let mut count = 0;
    for from in (0..object.len()).step_by(CHUNK_BYTES) {
        let chunk = object.slice(from..object.len().min(from + CHUNK_BYTES));
        bus.connection.publish(TrafficKind::Objects, &stream, subject.to_owned(), None, chunk).await?;
        count += 1;
    }
    Ok(count)
}

async fn put_info(bus: &NatsBus, name: &str, info: &ObjectInfo) -> Result<(), BusError> {
    let text = serde_json::to_vec(info).map_err(|error| BusError::Refused(error.to_string()))?;
    let mut headers = HeaderMap::new();
    // Removes the previous metadata of this name.
    headers.insert("Nats-Rollup", "sub");
    let subject = bus.names.object_meta(name);
    bus.connection
        .publish(TrafficKind::Objects, &bus.names.objects_stream(), subject, Some(headers), text.into())
        .await
        .map(drop)
}

/// Removes chunks. Chunks that cannot be removed take space until the crawl is removed, and have no other effect.
async fn remove_chunks(bus: &NatsBus, subject: &str) {
    if let Err(error) = bus.connection.purge(TrafficKind::Objects, &bus.names.objects_stream(), subject, None).await {
        tracing::warn!(%error, "cannot remove the content of a replaced object");
    }
}

fn of_object(bus: &NatsBus, name: &str, id: &str, chunks: usize, object: &[u8]) -> ObjectInfo {
    ObjectInfo {
        name: name.to_owned(),
        description: None,
        metadata: std::collections::HashMap::new(),
        headers: None,
        options: Some(ObjectOptions { link: None, max_chunk_size: Some(CHUNK_BYTES) }),
        bucket: bus.names.objects_bucket(),
        nuid: id.to_owned(),
        size: object.len(),
        chunks,
        modified: None,
        digest: Some(digest(object)),
        deleted: false,
    }
}

/// Generates a unique id, in the same way as inboxes are named.
fn new_id(bus: &NatsBus) -> String {
    let inbox = bus.connection.client().new_inbox();
    inbox.rsplit('.').next().unwrap_or(&inbox).to_owned()
}

fn digest(object: &[u8]) -> String {
    format!("SHA-256={}", data_encoding::BASE64URL.encode(&Sha256::digest(object)))
}

async fn info(bus: &NatsBus, name: &str) -> Result<Option<ObjectInfo>, BusError> {
    let kept =
        bus.connection.last(TrafficKind::Objects, &bus.names.objects_stream(), &bus.names.object_meta(name)).await?;
    let Some(kept) = kept else { return Ok(None) };
    let info: ObjectInfo = serde_json::from_slice(&kept.payload()?)
        .map_err(|error| BusError::Refused(format!("cannot decode the metadata of the object {name}: {error}")))?;
    Ok((!info.deleted).then_some(info))
}

/// Reads an object.
pub(super) async fn get(bus: &NatsBus, name: &str) -> Result<Option<Bytes>, BusError> {
    let mut wrong = None;
    for _ in 0..ATTEMPTS {
        let Some(info) = info(bus, name).await? else { return Ok(None) };
        // The same object would not be better the second time.
        if wrong.as_ref() == Some(&info.nuid) {
            return Err(BusError::Refused(format!("the object {name} does not match its digest")));
        }
        match content(bus, &info).await? {
            Some(object) => return Ok(Some(object)),
            None => wrong = Some(info.nuid),
        }
    }
    Err(BusError::Unreachable(format!("the object {name} was replaced during each attempt to read it")))
}

/// Reads the chunks, or returns `None` if they do not match the metadata.
async fn content(bus: &NatsBus, info: &ObjectInfo) -> Result<Option<Bytes>, BusError> {
    let (stream, subject) = (bus.names.objects_stream(), bus.names.object_chunks(&info.nuid));
    let mut object = BytesMut::new();
    let mut from = 1;
    for _ in 0..info.chunks {
        let which = json!({"seq": from, "next_by_subj": subject});
        let Some(kept) = bus.connection.message(TrafficKind::Objects, &stream, which).await? else { return Ok(None) };
        from = kept.sequence + 1;
        object.extend_from_slice(&kept.payload()?);
        if object.len() > info.size {
            return Ok(None);
        }
    }
    let object = object.freeze();
    let matches =
        info.size == object.len() && info.digest.as_deref().is_none_or(|expected| expected == digest(&object));
    Ok(matches.then_some(object))
}

/// Removes an object and all its metadata: deletion markers of all former objects would fill the stream.
pub(super) async fn remove(bus: &NatsBus, name: &str) -> Result<(), BusError> {
    let Some(info) = info(bus, name).await? else { return Ok(()) };
    let stream = bus.names.objects_stream();
    bus.connection.purge(TrafficKind::Objects, &stream, &bus.names.object_meta(name), None).await?;
    bus.connection.purge(TrafficKind::Objects, &stream, &bus.names.object_chunks(&info.nuid), None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_written_as_object_stores_do() {
        assert_eq!(digest(b""), "SHA-256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
