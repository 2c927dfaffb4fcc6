//! Seals what a crawl puts on the bus, with a key that only its nodes have: ChaCha20-Poly1305 (RFC 8439).
//!
//! Whoever reaches the servers can then neither read nor change it; a value moved to another key or stream does not
//! open either. They can still remove what is there, repeat it, and see sizes, times and the names of keys, which say
//! nothing of a site.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use data_encoding::HEXLOWER_PERMISSIVE;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::sync::mpsc::{Receiver, channel};

use super::bus::{BoxFuture, Bus, BusError, Flow, KeyValue, Message, SEAL_BYTES, Stream, WatchEvent};

/// The start of everything that is sealed.
const MARK: &[u8] = b"hms1";
/// Opened messages that may wait for their reader.
const WAITING_MAX: usize = 64;

/// Returns whether these bytes are sealed.
pub fn is_sealed(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK)
}

/// A key by which the nodes of a fleet seal what they put on the bus.
pub struct SealKey {
    key: LessSafeKey,
    random: SystemRandom,
}

impl SealKey {
    /// Reads a key of 64 hexadecimal digits; `None` if the text is anything else.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).ok()?;
        Some(Self { key: LessSafeKey::new(key), random: SystemRandom::new() })
    }

    /// Seals a text for its place. The nonce is random: a crawl would have to seal 2^32 messages before two are
    /// probably the same.
    fn seal(&self, place: &str, plain: &[u8]) -> Result<Bytes, BusError> {
        let failed = |_| BusError::Refused("a message cannot be sealed".to_owned());
        let mut nonce = [0; NONCE_LEN];
        self.random.fill(&mut nonce).map_err(failed)?;
        let mut text = plain.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(unique, Aad::from(place.as_bytes()), &mut text).map_err(failed)?;
        let mut sealed = Vec::with_capacity(plain.len() + SEAL_BYTES);
        for part in [MARK, &nonce, &text] {
            sealed.extend_from_slice(part);
        }
        Ok(sealed.into())
    }

    /// Opens what was sealed for this place.
    fn open(&self, place: &str, sealed: &[u8]) -> Option<Bytes> {
        let (nonce, text) = sealed.strip_prefix(MARK)?.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = text.to_vec();
        let length = self.key.open_in_place(nonce, Aad::from(place.as_bytes()), &mut text).ok()?.len();
        text.truncate(length);
        Some(text.into())
    }
}

/// A bus on which everything is sealed.
pub struct SealedBus {
    bus: Arc<dyn Bus>,
    seal: Arc<Seal>,
}

/// The key of a crawl, and whether it was warned about messages that it does not open.
struct Seal {
    key: SealKey,
    crawl: String,
    warned: AtomicBool,
}

impl Seal {
    fn place(&self, kind: &str, name: &str) -> String {
        format!("{} {kind} {name}", self.crawl)
    }

    fn stream(&self, stream: Stream) -> String {
        self.place("stream", &format!("{stream:?}"))
    }

    fn key(&self, place: &str, held: KeyValue) -> Result<KeyValue, BusError> {
        let value = held.value.map(|value| self.key.open(place, &value).ok_or_else(|| refused(place))).transpose()?;
        Ok(KeyValue { value, ..held })
    }

    /// Warns once about what was not sealed with the key. It is ignored: it does not come from a node of this fleet.
    fn warn(&self, place: &str) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "something on the servers of the fleet was not sealed with its key, and is ignored ({place}): somebody else writes there, \
                 or a node has another key"
            );
        }
    }
}

fn refused(place: &str) -> BusError {
    BusError::Refused(format!("{place} was not sealed with the key of this node (fleet.seal)"))
}

impl SealedBus {
    /// Seals the messages of a crawl on a bus.
    pub fn new(bus: Arc<dyn Bus>, key: SealKey, crawl: &str) -> Self {
        let seal = Seal { key, crawl: crawl.to_owned(), warned: AtomicBool::new(false) };
        Self { bus, seal: Arc::new(seal) }
    }

    fn sealed_key(&self, key: &str, value: &[u8]) -> Result<Bytes, BusError> {
        self.seal.key.seal(&self.seal.place("key", key), value)
    }
}

/// Passes on what `open` returns.
fn passed_on<T: Send + 'static>(
    mut from: Receiver<T>,
    mut open: impl FnMut(T) -> Option<T> + Send + 'static,
) -> Receiver<T> {
    let (sender, receiver) = channel(WAITING_MAX);
    tokio::spawn(async move {
        loop {
            let next = tokio::select! {
                next = from.recv() => next,
                () = sender.closed() => None,
            };
            let Some(next) = next else { return };
            if let Some(opened) = open(next)
                && sender.send(opened).await.is_err()
            {
                return;
            }
        }
    });
    receiver
}

impl Bus for SealedBus {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<KeyValue>, BusError>> {
        Box::pin(async move {
            let held = self.bus.get(key).await?;
            held.map(|held| self.seal.key(&self.seal.place("key", key), held)).transpose()
        })
    }

    fn create<'a>(&'a self, key: &'a str, value: Bytes) -> BoxFuture<'a, Result<u64, BusError>> {
        Box::pin(async move { self.bus.create(key, self.sealed_key(key, &value)?).await })
    }

    fn update<'a>(&'a self, key: &'a str, value: Bytes, revision: u64) -> BoxFuture<'a, Result<u64, BusError>> {
        Box::pin(async move { self.bus.update(key, self.sealed_key(key, &value)?, revision).await })
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        self.bus.delete(key)
    }

    fn watch(&self) -> BoxFuture<'_, Result<Receiver<WatchEvent>, BusError>> {
        Box::pin(async move {
            let (events, seal) = (self.bus.watch().await?, Arc::clone(&self.seal));
            Ok(passed_on(events, move |event| match event {
                WatchEvent::UpToDate => Some(WatchEvent::UpToDate),
                WatchEvent::Key(held) => {
                    let place = seal.place("key", &held.key);
                    let opened = seal.key(&place, held).inspect_err(|_| seal.warn(&place));
                    opened.ok().map(WatchEvent::Key)
                }
            }))
        })
    }

    fn append<'a>(&'a self, stream: Stream, subject: &'a str, payload: Bytes) -> BoxFuture<'a, Result<u64, BusError>> {
        Box::pin(async move {
            let sealed = self.seal.key.seal(&self.seal.stream(stream), &payload)?;
            self.bus.append(stream, subject, sealed).await
        })
    }

    fn read<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Receiver<Message>, BusError>> {
        Box::pin(async move {
            let (messages, seal) = (self.bus.read(stream, subject, from).await?, Arc::clone(&self.seal));
            let place = seal.stream(stream);
            Ok(passed_on(messages, move |message| {
                let payload = seal.key.open(&place, &message.payload);
                if payload.is_none() {
                    seal.warn(&place);
                }
                payload.map(|payload| Message { payload, ..message })
            }))
        })
    }

    fn last<'a>(&'a self, stream: Stream, subject: &'a str) -> BoxFuture<'a, Result<u64, BusError>> {
        self.bus.last(stream, subject)
    }

    fn trim<'a>(&'a self, stream: Stream, subject: &'a str, below: u64) -> BoxFuture<'a, Result<(), BusError>> {
        self.bus.trim(stream, subject, below)
    }

    fn put_object<'a>(&'a self, name: &'a str, object: Bytes) -> BoxFuture<'a, Result<(), BusError>> {
        Box::pin(async move {
            let sealed = self.seal.key.seal(&self.seal.place("object", name), &object)?;
            self.bus.put_object(name, sealed).await
        })
    }

    fn object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Bytes>, BusError>> {
        Box::pin(async move {
            let place = self.seal.place("object", name);
            let object = self.bus.object(name).await?;
            object.map(|object| self.seal.key.open(&place, &object).ok_or_else(|| refused(&place))).transpose()
        })
    }

    fn remove_object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        self.bus.remove_object(name)
    }

    fn flows(&self) -> Vec<Flow> {
        self.bus.flows()
    }
}

#[cfg(test)]
#[path = "sealed_bus_tests.rs"]
mod tests;
