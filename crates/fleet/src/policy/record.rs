//! What stands in the key of the policy.

use serde::{Deserialize, Serialize};

use crate::SessionId;

/// The key.
pub const POLICY: &str = "policy";

/// Who holds the policy, what it published last, and from what another one goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRecord {
    /// Grows with every change of hands.
    pub token: u64,
    /// Who holds it; none where it was let go.
    pub holder: Option<SessionId>,
    /// What was published last.
    pub newest: Option<LatestPublication>,
    /// Observations that are kept, oldest first.
    pub segments: Vec<Segment>,
    /// They hold what counts of the stream up to this sequence number.
    pub through: u64,
    /// Counts segments: names the next one.
    pub next: u64,
    /// Segments have been left out since the crawl began.
    pub is_thinned: bool,
}

/// A publication.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestPublication {
    /// Grows with every one.
    pub version: u64,
    /// The object.
    pub object: String,
    /// Everything of the stream up to this sequence number was shown before it.
    pub seen: u64,
}

/// Observations that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The object.
    pub object: String,
    /// How many they are.
    pub observations: u64,
    /// Its size.
    pub bytes: u64,
}

impl PolicyRecord {
    /// The object of a publication by this holder.
    pub fn publication(&self, version: u64) -> String {
        format!("policy.{}.{version}", self.token)
    }

    /// The object of the next segment by this holder.
    pub fn segment(&self) -> String {
        format!("seen.{}.{}", self.token, self.next)
    }

    /// The version that is published next.
    pub fn next_version(&self) -> u64 {
        self.newest.as_ref().map_or(0, |newest| newest.version) + 1
    }

    /// What its holder may have written without having named it in the key.
    pub fn unnamed(&self) -> [String; 2] {
        [self.publication(self.next_version()), self.segment()]
    }
}
