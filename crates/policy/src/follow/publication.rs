//! What is published, and how it is read.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::learned::{Ground, LearnedSnapshot};
use crate::{Needs, PolicyFacts, PolicySnapshot};

/// Names a ground: the hash of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GroundId(pub u64);

/// A snapshot as bytes: what another process decides by in the same way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSnapshot {
    /// What classes are told apart by. It changes with generations alone.
    pub ground: Bytes,
    /// What is counted of classes, and whatever else.
    pub counts: Bytes,
}

impl StoredSnapshot {
    /// The name of its ground.
    pub fn ground_id(&self) -> GroundId {
        GroundId(xxh3_64(&self.ground))
    }
}

/// What a leader publishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publication {
    /// What it has learnt.
    pub snapshot: StoredSnapshot,
    /// How often it has learnt classes anew.
    pub generation: u64,
    /// What it is to be shown.
    pub needs: Needs,
    /// What it has found out.
    pub facts: PolicyFacts,
    /// What is to be told about it.
    pub note: Option<String>,
}

impl Publication {
    /// As bytes.
    pub fn to_bytes(&self) -> Bytes {
        // Writing to memory fails for none of these types: each knows its length.
        postcard::to_allocvec(self).unwrap_or_default().into()
    }

    /// From bytes.
    ///
    /// # Errors
    /// Where they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        postcard::from_bytes(bytes).map_err(|_| "it is no publication of this version".to_owned())
    }
}

/// What holds on a node that follows.
pub struct Taught {
    /// What it decides by.
    pub snapshot: Arc<dyn PolicySnapshot>,
    /// The ground of that.
    pub ground: GroundId,
    /// What the leader is to be shown.
    pub needs: Needs,
    /// What the leader has found out.
    pub facts: PolicyFacts,
    /// What is to be told about it.
    pub note: Option<String>,
}

/// Reads publications one after the other. Its generations are its own: they grow when the ground is another one, whoever made it.
pub struct Reader {
    ground: Option<(GroundId, Ground)>,
    generation: u64,
}

impl Reader {
    /// For whoever has decided by this until now.
    pub fn new(taught: &Taught) -> Self {
        Self { ground: None, generation: taught.snapshot.generation() }
    }

    /// Reads a publication; `before` is what holds until then.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(&mut self, publication: &Publication, version: u64, before: &Taught) -> Result<Taught, String> {
        let id = publication.snapshot.ground_id();
        let ground = match &self.ground {
            Some((known, ground)) if *known == id => ground.clone(),
            _ => Ground::read(&publication.snapshot.ground)?,
        };
        let generation =
            if id == before.ground { self.generation } else { publication.generation.max(self.generation + 1) };
        let snapshot = LearnedSnapshot::on(&ground, &publication.snapshot.counts, (version, generation))?;
        (self.ground, self.generation) = (Some((id, ground)), generation);
        Ok(Taught {
            snapshot: Arc::new(snapshot),
            ground: id,
            needs: publication.needs,
            facts: publication.facts,
            note: publication.note.clone(),
        })
    }
}
