//! A snapshot as bytes, for others to decide by: the ground, which changes with lessons alone, and what is counted on it.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::snapshot::LearnedSnapshot;
use super::templates::{StoredTemplates, Templates};
use super::tuning::Tuning;
use super::worth::Lately;
use super::yields::Yields;
use crate::StoredSnapshot;
use harvestman_core::model::{ClusterId, PatternId};
use harvestman_core::url::Fingerprint;
use harvestman_structure::site::UrlPatterns;

#[derive(Serialize, Deserialize)]
struct StoredGround {
    templates: Option<StoredTemplates>,
    patterns: UrlPatterns,
    clusters: Vec<(Fingerprint, ClusterId)>,
}

/// What classes are told apart by.
#[derive(Debug, Clone)]
pub struct Ground {
    templates: Option<Arc<Templates>>,
    patterns: Arc<UrlPatterns>,
    clusters: Arc<HashMap<Fingerprint, ClusterId, FixedState>>,
}

#[derive(Serialize, Deserialize)]
struct Counts {
    seed: u64,
    evidence: Evidence,
    yields: Yields,
    lately: Lately,
    by_example: bool,
    lost: Option<PatternId>,
}

impl Ground {
    /// Reads the ground of a stored snapshot.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let stored: StoredGround = postcard::from_bytes(bytes).map_err(|_| "its templates cannot be read")?;
        if stored.templates.as_ref().is_some_and(|templates| !templates.is_sound()) {
            return Err("its templates do not fit their pages");
        }
        Ok(Self {
            templates: stored.templates.map(|templates| Arc::new(templates.into())),
            patterns: Arc::new(stored.patterns),
            clusters: Arc::new(stored.clusters.into_iter().collect()),
        })
    }
}

impl LearnedSnapshot {
    /// The snapshot as bytes. The same snapshot has always the same.
    pub fn to_stored(&self) -> StoredSnapshot {
        let mut clusters: Vec<_> = self.clusters.iter().map(|(url, cluster)| (*url, *cluster)).collect();
        clusters.sort_unstable();
        let templates = self.templates.as_ref().map(|templates| templates.stored());
        let ground = StoredGround { templates, patterns: (*self.patterns).clone(), clusters };
        let counts = Counts {
            seed: self.seed,
            evidence: self.evidence.clone(),
            yields: self.yields.clone(),
            lately: self.lately,
            by_example: self.by_example,
            lost: self.lost,
        };
        // Writing to memory fails for none of these types: each knows its length.
        let ground = postcard::to_allocvec(&ground).unwrap_or_default();
        let counts = postcard::to_allocvec(&counts).unwrap_or_default();
        StoredSnapshot { ground: Bytes::from(ground), counts: Bytes::from(counts) }
    }

    /// A snapshot on this ground, under a version and a generation of the reader's own.
    ///
    /// # Errors
    /// Where it is none.
    pub fn on(ground: &Ground, counts: &[u8], (version, generation): (u64, u64)) -> Result<Self, &'static str> {
        let counts: Counts = postcard::from_bytes(counts).map_err(|_| "its counts cannot be read")?;
        let Ground { templates, patterns, clusters } = ground.clone();
        Ok(Self {
            version,
            generation,
            seed: counts.seed,
            templates,
            patterns,
            clusters,
            evidence: counts.evidence,
            yields: counts.yields,
            lately: counts.lately,
            tuning: Tuning::default(),
            by_example: counts.by_example,
            lost: counts.lost,
        })
    }
}

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
