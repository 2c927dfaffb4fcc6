//! The encoding of values in the store, and errors of the persisted state. The first byte of each value is its format
//! version.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use harvestman_core::model::{Fate, QueueKey, ScheduledUrl};
use harvestman_core::url::CanonicalUrl;

/// The format version that is written, and the only one that is read. **It must change with every stored type**,
/// including fates and link classes: their variants and fields are encoded by position.
pub const FORMAT: u8 = 1;

/// A waiting URL.
#[derive(Serialize, Deserialize)]
struct Waiting<'a> {
    url: &'a str,
    class: QueueKey,
    depth: u16,
    redirects: u8,
    attempts: u8,
    via: Option<&'a str>,
}

/// Encodes a value as a record.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // Serialising to memory cannot fail for the stored types: the length of each sequence is known.
    postcard::to_extend(value, vec![FORMAT]).unwrap_or_default()
}

/// Decodes the value of a record. Returns `None` if the bytes are not a record of this type.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(body(bytes)?).ok()
}

fn body(bytes: &[u8]) -> Option<&[u8]> {
    bytes.split_first().filter(|(format, _)| **format == FORMAT).map(|(_, body)| body)
}

pub fn encode_waiting(item: &ScheduledUrl) -> Vec<u8> {
    encode(&Waiting {
        url: item.url.as_str(),
        class: item.queue(),
        depth: item.depth,
        redirects: item.redirects,
        attempts: item.attempts,
        via: item.via.as_deref(),
    })
}

/// Decodes a waiting URL. Returns `None` if the bytes are not such a record.
pub fn decode_waiting(bytes: &[u8]) -> Option<ScheduledUrl> {
    let waiting: Waiting<'_> = postcard::from_bytes(body(bytes)?).ok()?;
    let web = waiting.url.starts_with("http://") || waiting.url.starts_with("https://");
    web.then(|| ScheduledUrl {
        url: CanonicalUrl::from_canonical(waiting.url),
        class: waiting.class.class,
        priority: waiting.class.priority,
        depth: waiting.depth,
        redirects: waiting.redirects,
        attempts: waiting.attempts,
        via: waiting.via.map(Arc::from),
    })
}

pub fn encode_fate(fate: Fate) -> Vec<u8> {
    encode(&fate)
}

/// Why the state of a crawl cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has it open.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The state's directory.
        path: PathBuf,
    },
    /// The directory contains no state.
    #[error("{} does not contain the state of a crawl", path.display())]
    Missing {
        /// The directory.
        path: PathBuf,
    },
    /// The state was written in another format version.
    #[error("the state in {} has format {found}; this version reads format {}", path.display(), FORMAT)]
    Format {
        /// The state's directory.
        path: PathBuf,
        /// Its format.
        found: u8,
    },
    /// The disk failed, or the contents are invalid.
    #[error("cannot {action} the state in {}: {reason}", path.display())]
    Failed {
        /// The operation that failed.
        action: &'static str,
        /// The state's directory.
        path: PathBuf,
        /// Why it failed.
        reason: String,
    },
    /// The fleet that the crawl is part of rejected it.
    #[error("{0}")]
    Fleet(String),
}

impl StoreError {
    pub(super) fn of(action: &'static str, path: &Path, error: &fjall::Error) -> Self {
        let path = path.to_path_buf();
        match error {
            fjall::Error::Locked => Self::InUse { path },
            fjall::Error::Io(error) => Self::Failed { action, path, reason: error.to_string() },
            other => Self::Failed { action, path, reason: other.to_string() },
        }
    }
}
