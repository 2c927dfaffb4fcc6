//! Snapshots as bytes, which travel between nodes.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The name of a class model: the hash of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClassModelId(pub u64);

/// A snapshot as bytes, by which another process makes the same decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSnapshot {
    /// The class model. It changes only with generations.
    pub class_model: Bytes,
    /// The counts of classes and all else.
    pub counts: Bytes,
    /// The sites that the crawl has left, in order.
    pub left_sites: Vec<Box<str>>,
}

impl StoredSnapshot {
    /// The name of its class model.
    pub fn class_model_id(&self) -> ClassModelId {
        ClassModelId(xxh3_64(&self.class_model))
    }
}
