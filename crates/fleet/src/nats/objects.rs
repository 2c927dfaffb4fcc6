//! Objects, as object stores of JetStream keep them: chunks in a stream, and a message that says which chunks they are. Other tools read them
//! as such.
//!
//! Chunks are asked for one by one of the stream's leader, so that one that is there is found, and one that is not is known to be missing.

use async_nats::HeaderMap;
use async_nats::jetstream::object_store::{ObjectInfo, ObjectOptions};
use bytes::{Bytes, BytesMut};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::NatsBus;
use super::traffic::TrafficKind;
use crate::bus::BusError;

/// The bytes of a chunk. It comes back in an answer, encoded, which must stay below a message's limit of 1 MiB.
const CHUNK_BYTES: usize = 256 << 10;
/// How often an object is begun to be read anew when it is replaced meanwhile.
const ATTEMPTS: usize = 3;

/// Writes an object: first its chunks, then, at once, that the name means them.
pub(super) async fn put(bus: &NatsBus, name: &str, object: Bytes) -> Result<(), BusError> {
    let old = info(bus, name).await?;
    let id = new_id(bus);
    let chunks = bus.names.object_chunks(&id);
    let said = match put_chunks(bus, &chunks, &object).await {
        Ok(count) => say(bus, name, &of_object(bus, name, &id, count, &object)).await,
        Err(error) => Err(error),
    };
    if let Err(error) = said {
        // Chunks that nobody will ask for take room. Where no answer came, the name may mean them by now.
        if !matches!(error, BusError::Unreachable(_)) {
            forget_chunks(bus, &chunks).await;
        }
        return Err(error);
    }
    if let Some(old) = old {
        forget_chunks(bus, &bus.names.object_chunks(&old.nuid)).await;
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

async fn say(bus: &NatsBus, name: &str, info: &ObjectInfo) -> Result<(), BusError> {
    let text = serde_json::to_vec(info).map_err(|error| BusError::Refused(error.to_string()))?;
    let mut headers = HeaderMap::new();
    // What was said before of this name goes.
    headers.insert("Nats-Rollup", "sub");
    let subject = bus.names.object_meta(name);
    bus.connection
        .publish(TrafficKind::Objects, &bus.names.objects_stream(), subject, Some(headers), text.into())
        .await
        .map(drop)
}

/// Removes chunks. What cannot be removed now takes room until the crawl is removed, and nothing else.
async fn forget_chunks(bus: &NatsBus, subject: &str) {
    if let Err(error) = bus.connection.purge(TrafficKind::Objects, &bus.names.objects_stream(), subject, None).await {
        tracing::warn!(%error, "the content of a replaced object could not be removed");
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

/// An id that no other object has: so are inboxes told apart, too.
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
        .map_err(|error| BusError::Refused(format!("what is said of the object {name} cannot be read: {error}")))?;
    Ok((!info.deleted).then_some(info))
}

/// An object.
pub(super) async fn get(bus: &NatsBus, name: &str) -> Result<Option<Bytes>, BusError> {
    let mut wrong = None;
    for _ in 0..ATTEMPTS {
        let Some(info) = info(bus, name).await? else { return Ok(None) };
        // The same one is no better the second time.
        if wrong.as_ref() == Some(&info.nuid) {
            return Err(BusError::Refused(format!("the object {name} does not match its digest")));
        }
        match content(bus, &info).await? {
            Some(object) => return Ok(Some(object)),
            None => wrong = Some(info.nuid),
        }
    }
    Err(BusError::Unreachable(format!("the object {name} was replaced each time while it was read")))
}

/// What the chunks hold; none where it is not what is said of them.
async fn content(bus: &NatsBus, info: &ObjectInfo) -> Result<Option<Bytes>, BusError> {
    let (stream, subject) = (bus.names.objects_stream(), bus.names.object_chunks(&info.nuid));
    let mut object = BytesMut::new();
    let mut from = 1;
    for _ in 0..info.chunks {
        let which = json!({"seq": from, "next_by_subj": subject});
        let Some(kept) = bus.connection.kept(TrafficKind::Objects, &stream, which).await? else { return Ok(None) };
        from = kept.sequence + 1;
        object.extend_from_slice(&kept.payload()?);
        if object.len() > info.size {
            return Ok(None);
        }
    }
    let object = object.freeze();
    let matches = info.size == object.len() && info.digest.as_deref().is_none_or(|said| said == digest(&object));
    Ok(matches.then_some(object))
}

/// Removes an object and all that is said of it: a mark of each that ever was would fill the stream.
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
