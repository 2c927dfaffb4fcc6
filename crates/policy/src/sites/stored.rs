//! Snapshots of one model or of several as bytes, for other nodes to decide by.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::snapshot::SitesSnapshot;
use super::table::{MODELS_MAX, SiteTable};
use crate::learned::{ClassModel, LearnedSnapshot, RecentYield};
use crate::{PolicySnapshot, StoredSnapshot};

/// The first byte of the stored class models of several sites.
const SEVERAL: u8 = 1;

#[derive(Serialize, Deserialize)]
struct StoredModels {
    /// In the order of their names.
    sites: Vec<(Box<str>, u16)>,
    models: Vec<Bytes>,
}

#[derive(Serialize, Deserialize)]
struct StoredCounts {
    recent_yield: RecentYield,
    /// The generation of each model, and its counts.
    models: Vec<(u64, Bytes)>,
}

/// What classes are told apart by, in a crawl by one model or by several.
#[derive(Debug, Clone)]
pub(crate) enum ClassModels {
    /// One for all sites.
    One(Box<ClassModel>),
    /// One for each program.
    Several { sites: Arc<SiteTable>, models: Arc<[ClassModel]> },
}

impl ClassModels {
    /// Reads those of a stored snapshot.
    ///
    /// # Errors
    /// Where the bytes are no class models.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let Some((&SEVERAL, rest)) = bytes.split_first() else {
            return ClassModel::read(bytes).map(|model| Self::One(Box::new(model)));
        };
        let StoredModels { sites, models } = postcard::from_bytes(rest).map_err(|_| "its models cannot be read")?;
        if models.is_empty() || models.len() > MODELS_MAX {
            return Err("it has no models, or too many");
        }
        let models = models.iter().map(|model| ClassModel::read(model)).collect::<Result<_, _>>()?;
        Ok(Self::Several { sites: Arc::new(sites.into_iter().collect()), models })
    }

    /// A snapshot under them, with the reader's own version and generation.
    ///
    /// # Errors
    /// Where the counts cannot be read.
    pub(crate) fn with(
        &self,
        counts: &[u8],
        version: u64,
        generation: u64,
    ) -> Result<Arc<dyn PolicySnapshot>, &'static str> {
        match self {
            Self::One(model) => Ok(Arc::new(LearnedSnapshot::on(model, counts, version, generation)?)),
            Self::Several { sites, models } => {
                let stored: StoredCounts = postcard::from_bytes(counts).map_err(|_| "its counts cannot be read")?;
                if stored.models.len() != models.len() {
                    return Err("its counts are those of other models");
                }
                let snapshot = |(model, (generation, counts)): (&ClassModel, &(u64, Bytes))| {
                    let snapshot = LearnedSnapshot::on(model, counts, version, *generation)?;
                    Ok(Arc::new(snapshot) as Arc<dyn PolicySnapshot>)
                };
                let models = models.iter().zip(&stored.models).map(snapshot).collect::<Result<_, &'static str>>()?;
                Ok(Arc::new(SitesSnapshot {
                    version,
                    generation,
                    patterns_version: generation,
                    recent_yield: stored.recent_yield,
                    sites: Arc::clone(sites),
                    models,
                }))
            }
        }
    }
}

impl SitesSnapshot {
    /// The snapshot as bytes; `None` where a model's cannot be sent. Equal snapshots give equal bytes.
    pub(super) fn to_stored(&self) -> Option<StoredSnapshot> {
        let mut sites: Vec<_> = self.sites.iter().map(|(site, model)| (site.clone(), *model)).collect();
        sites.sort_unstable();
        let stored: Vec<StoredSnapshot> = self.models.iter().map(|model| model.stored()).collect::<Option<_>>()?;
        let models = stored.iter().map(|model| model.class_model.clone()).collect();
        let counts = self.models.iter().zip(stored).map(|(model, stored)| (model.generation(), stored.counts));
        let counts = StoredCounts { recent_yield: self.recent_yield, models: counts.collect() };
        // Encoding to memory fails for none of these types: each knows its length.
        let class_model = postcard::to_extend(&StoredModels { sites, models }, vec![SEVERAL]).unwrap_or_default();
        let counts = postcard::to_allocvec(&counts).unwrap_or_default();
        Some(StoredSnapshot { class_model: class_model.into(), counts: counts.into(), left_sites: Vec::new() })
    }
}
