//! What earlier runs of a crawl left.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::CrawlBuilder;
use crate::error::Error;
use crate::hosts::RememberedHosts;
use crate::recrawl::Loaded;
use crate::run::output::STATE_DIRECTORY;
use crate::run::resume::Past;
use harvestman_storage::store::{RecrawlRound, Store, VisitReader};

/// What is known of earlier runs.
pub(super) struct EarlierRuns {
    pub(super) past: Past,
    /// Whether there was an earlier run.
    pub(super) goes_on: bool,
    /// `None` if the state is not persisted.
    pub(super) store: Option<Store>,
    pub(super) keeps_visits: bool,
    /// Visits of earlier runs.
    pub(super) reader: Option<VisitReader>,
    /// The recrawl that continues or begins, and the loaded visits that it plans by.
    pub(super) round: Option<(RecrawlRound, Loaded)>,
    /// What is known of hosts; `None` if there was no earlier run and no other node.
    pub(super) hosts: Option<RememberedHosts>,
}

impl EarlierRuns {
    /// Reads what is `left`. If nothing is left and the state is persisted, creates the state.
    pub(super) fn recall(builder: &CrawlBuilder<'_>, directory: &Path, left: Option<Store>) -> Result<Self, Error> {
        let config = builder.config;
        let past = left.as_ref().map(Past::read).transpose()?;
        let goes_on = past.is_some();
        let mut past = past.unwrap_or_default();
        let reader = left.as_ref().map(Store::visits);
        let known = past.round.take().zip(reader.as_ref());
        let load = |(round, reader): (RecrawlRound, &VisitReader)| {
            let loaded = Loaded::read(reader, round.number)?;
            Ok::<_, Error>((round, loaded))
        };
        let round = known.map(load).transpose()?;
        let hosts = std::mem::take(&mut past.hosts);
        let hosts = (goes_on || builder.environment.has_history()).then(|| Arc::new(Mutex::new(hosts)));
        let store = match left {
            None if config.state.enabled => Some(Store::create(&directory.join(STATE_DIRECTORY))?),
            left => left,
        };
        let keeps_visits = store.is_some() && config.state.visits;
        Ok(Self { past, goes_on, store, keeps_visits, reader, round, hosts })
    }

    /// Returns the number of the recrawl; 0 for the crawl itself.
    pub(super) fn round_number(&self) -> u32 {
        self.round.as_ref().map_or(0, |(round, _)| round.number)
    }
}
