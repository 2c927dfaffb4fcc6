//! Publications of a leader and how followers read them.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::search::{SearchRules, SearchTemplates};
use crate::sites::ClassModels;
use crate::stored_snapshot::{ClassModelId, StoredSnapshot};
use crate::{AdjustedSnapshot, Needs, PolicyFacts, PolicySnapshot};
use harvestman_core::model::SearchRecord;

/// What a leader publishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publication {
    /// The snapshot.
    pub snapshot: StoredSnapshot,
    /// The number of model updates.
    pub generation: u64,
    /// What observations must contain.
    pub needs: Needs,
    /// The sites that searches found, in this order: their start pages.
    pub found_sites: Vec<Box<str>>,
    /// What they have found, for display.
    pub searches: Option<SearchRecord>,
    /// Figures on what it has found out.
    pub facts: PolicyFacts,
    /// A note on the leader's state.
    pub note: Option<String>,
}

impl Publication {
    /// Encodes it.
    pub fn to_bytes(&self) -> Bytes {
        // Encoding to memory fails for none of these types: each knows its length.
        postcard::to_allocvec(self).unwrap_or_default().into()
    }

    /// Decodes it.
    ///
    /// # Errors
    /// Where the bytes are no publication of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        postcard::from_bytes(bytes).map_err(|_| "not a publication of this version".to_owned())
    }
}

/// A publication as a follower uses it.
pub struct PublishedPolicy {
    /// The snapshot that it decides by.
    pub snapshot: Arc<dyn PolicySnapshot>,
    /// The class model of the snapshot.
    pub class_model: ClassModelId,
    /// What observations must contain.
    pub needs: Needs,
    /// The sites that searches found: their start pages.
    pub found_sites: Vec<Box<str>>,
    /// What they have found, for display.
    pub searches: Option<SearchRecord>,
    /// Figures on what the leader has found out.
    pub facts: PolicyFacts,
    /// A note on the leader's state.
    pub note: Option<String>,
}

/// Reads publications one after the other. Its generations are its own: they grow when the class model is another one,
/// or other sites are left, whichever leader says so.
pub struct Reader {
    class_model: Option<(ClassModelId, ClassModels)>,
    left_sites: Arc<BTreeSet<Box<str>>>,
    generation: u64,
}

impl Reader {
    /// A reader for a node that has decided by this publication so far.
    pub fn new(published: &PublishedPolicy) -> Self {
        Self { class_model: None, left_sites: Arc::default(), generation: published.snapshot.generation() }
    }

    /// Reads a publication; `before` is the one before it.
    ///
    /// # Errors
    /// A description of what is wrong with it.
    pub fn read(
        &mut self,
        publication: &Publication,
        version: u64,
        before: &PublishedPolicy,
    ) -> Result<PublishedPolicy, String> {
        let id = publication.snapshot.class_model_id();
        let class_model = match &self.class_model {
            Some((known, class_model)) if *known == id => class_model.clone(),
            _ => ClassModels::read(&publication.snapshot.class_model)?,
        };
        let left = &publication.snapshot.left_sites;
        let is_same = id == before.class_model && self.left_sites.iter().eq(left);
        let generation = if is_same { self.generation } else { publication.generation.max(self.generation + 1) };
        let mut snapshot = class_model.with(&publication.snapshot.counts, version, generation)?;
        if !is_same {
            self.left_sites = Arc::new(left.iter().cloned().collect());
        }
        (self.class_model, self.generation) = (Some((id, class_model)), generation);
        if !self.left_sites.is_empty() {
            // The reader's generation grows with them.
            let left = SearchRules::new(SearchTemplates::default(), Arc::clone(&self.left_sites), Arc::default(), 0);
            snapshot = Arc::new(AdjustedSnapshot::new(&snapshot, Arc::new(left)));
        }
        Ok(PublishedPolicy {
            snapshot,
            class_model: id,
            needs: publication.needs,
            found_sites: publication.found_sites.clone(),
            searches: publication.searches.clone(),
            facts: publication.facts,
            note: publication.note.clone(),
        })
    }
}
