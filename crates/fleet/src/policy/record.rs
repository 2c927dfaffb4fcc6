//! The value of the policy's key.

use serde::{Deserialize, Serialize};

use crate::SessionId;

/// The key.
pub const POLICY: &str = "policy";

/// The holder of the policy, its last publication, and the segments from which another session continues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRecord {
    /// The fencing token: grows with every change of holder.
    pub token: u64,
    /// The session that holds the policy; `None` if it was released.
    pub holder: Option<SessionId>,
    /// The last publication.
    pub newest: Option<LatestPublication>,
    /// The persisted observations, oldest first.
    pub segments: Vec<Segment>,
    /// The segments contain everything in the stream up to this sequence number.
    pub through: u64,
    /// The number of the next segment; part of its name.
    pub next: u64,
    /// Whether segments were dropped since the crawl began.
    pub is_thinned: bool,
}

/// A publication.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestPublication {
    /// Grows with every publication.
    pub version: u64,
    /// The name of the object.
    pub object: String,
    /// Everything in the stream up to this sequence number was shown to the policy before.
    pub seen: u64,
}

/// A segment of persisted observations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The name of the object.
    pub object: String,
    /// The number of observations.
    pub observations: u64,
    /// The size in bytes.
    pub bytes: u64,
}

impl PolicyRecord {
    /// Returns the name of a publication by this holder.
    pub fn publication(&self, version: u64) -> String {
        format!("policy.{}.{version}", self.token)
    }

    /// Returns the name of the next segment by this holder.
    pub fn segment(&self) -> String {
        format!("seen.{}.{}", self.token, self.next)
    }

    /// Returns the version of the next publication.
    pub fn next_version(&self) -> u64 {
        self.newest.as_ref().map_or(0, |newest| newest.version) + 1
    }

    /// Returns the names of objects that the holder may have written without having named them in the key.
    pub fn unnamed(&self) -> [String; 2] {
        [self.publication(self.next_version()), self.segment()]
    }
}
