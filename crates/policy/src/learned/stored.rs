//! A snapshot as bytes, for other nodes to decide by: the class model, which changes only with generations, and the
//! counts under it.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::link_evidence::Predictor;
use super::snapshot::LearnedSnapshot;
use super::stored_predictor::StoredPredictor;
use super::templates::{StoredTemplates, Templates};
use super::tuning::Tuning;
use super::worth::RecentYield;
use super::yields::Yields;
use crate::StoredSnapshot;
use harvestman_core::model::{ClusterId, PatternId};
use harvestman_core::url::Fingerprint;
use harvestman_structure::site::UrlPatterns;

/// The first byte of a stored class model of one model; those of several sites begin with another one.
const ONE_MODEL: u8 = 0;

#[derive(Serialize, Deserialize)]
struct StoredClassModel {
    templates: Option<StoredTemplates>,
    patterns: UrlPatterns,
    clusters: Vec<(Fingerprint, ClusterId)>,
    links: Option<StoredPredictor>,
}

/// The class model: what classes are told apart by.
#[derive(Debug, Clone)]
pub struct ClassModel {
    templates: Option<Arc<Templates>>,
    patterns: Arc<UrlPatterns>,
    clusters: Arc<HashMap<Fingerprint, ClusterId, FixedState>>,
    links: Option<Arc<Predictor>>,
}

#[derive(Serialize, Deserialize)]
struct Counts {
    seed: u64,
    evidence: Evidence,
    yields: Yields,
    recent_yield: RecentYield,
    reads_all: bool,
    repeated: Vec<PatternId>,
    by_example: bool,
    followed_from: Option<f64>,
    lost: Option<Vec<PatternId>>,
}

impl ClassModel {
    /// Reads the class model of a stored snapshot.
    ///
    /// # Errors
    /// Where the bytes are no class model.
    pub fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let Some((&ONE_MODEL, bytes)) = bytes.split_first() else { return Err("it is not one model") };
        let stored: StoredClassModel = postcard::from_bytes(bytes).map_err(|_| "its templates cannot be read")?;
        if stored.templates.as_ref().is_some_and(|templates| !templates.is_sound()) {
            return Err("its templates do not match their pages");
        }
        Ok(Self {
            templates: stored.templates.map(|templates| Arc::new(templates.into())),
            patterns: Arc::new(stored.patterns),
            clusters: Arc::new(stored.clusters.into_iter().collect()),
            links: stored.links.map(Predictor::try_from).transpose()?.map(Arc::new),
        })
    }
}

impl LearnedSnapshot {
    /// The snapshot as bytes. Equal snapshots give equal bytes.
    pub fn to_stored(&self) -> StoredSnapshot {
        let mut clusters: Vec<_> = self.clusters.iter().map(|(url, cluster)| (*url, *cluster)).collect();
        clusters.sort_unstable();
        let templates = self.templates.as_ref().map(|templates| templates.stored());
        let links = self.links.as_deref().map(StoredPredictor::from);
        let class_model = StoredClassModel { templates, patterns: (*self.patterns).clone(), clusters, links };
        let mut repeated: Vec<_> = self.repeated.iter().copied().collect();
        repeated.sort_unstable();
        let counts = Counts {
            seed: self.seed,
            evidence: self.evidence.clone(),
            yields: self.yields.clone(),
            recent_yield: self.recent_yield,
            reads_all: self.reads_all,
            repeated,
            by_example: self.by_example,
            followed_from: self.tuning.followed_from,
            lost: self.lost.clone(),
        };
        // Encoding to memory fails for none of these types: each knows its length.
        let class_model = postcard::to_extend(&class_model, vec![ONE_MODEL]).unwrap_or_default();
        let counts = postcard::to_allocvec(&counts).unwrap_or_default();
        StoredSnapshot { class_model: Bytes::from(class_model), counts: Bytes::from(counts), left_sites: Vec::new() }
    }

    /// A snapshot under this class model, with the reader's own version and generation.
    ///
    /// # Errors
    /// Where the counts cannot be read.
    pub fn on(class_model: &ClassModel, counts: &[u8], version: u64, generation: u64) -> Result<Self, &'static str> {
        let counts: Counts = postcard::from_bytes(counts).map_err(|_| "its counts cannot be read")?;
        let ClassModel { templates, patterns, clusters, links } = class_model.clone();
        Ok(Self {
            links,
            version,
            generation,
            patterns_version: generation,
            seed: counts.seed,
            templates,
            patterns,
            clusters,
            evidence: counts.evidence,
            yields: counts.yields,
            recent_yield: counts.recent_yield,
            reads_all: counts.reads_all,
            repeated: Arc::new(counts.repeated.into_iter().collect()),
            tuning: Tuning { followed_from: counts.followed_from, ..Tuning::default() },
            by_example: counts.by_example,
            lost: counts.lost,
        })
    }
}

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
