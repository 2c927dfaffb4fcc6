//! The sinks of a crawl, and what an earlier run left of them.

use std::path::PathBuf;
use std::sync::Arc;

use super::CrawlBuilder;
use super::earlier::{EarlierRuns, public_hosts};
use super::files::ArchiveFiles;
use super::parts::{Parts, rules};
use crate::error::Error;
use crate::operate::active_orders::ActiveOrders;
use crate::page::rules::Rules;
use crate::page::visits::Visits;
use crate::policy_thread::policy_setup::PolicySetup;
use crate::rendering::Renders;
use crate::run::output;
use crate::run::output::SEEN_DIRECTORY;
use harvestman_core::clock::Instant;
use harvestman_core::held_pages::PutBacks;
use harvestman_policy::Proposal;
use harvestman_storage::archive::ArchiveWriter;
use harvestman_storage::dedup::SeenUrls;
use harvestman_storage::store::Store;

/// The sinks, and what an earlier run left of them.
pub(super) struct Sinks {
    pub(super) directory: PathBuf,
    pub(super) files: ArchiveFiles,
    pub(super) seen: Arc<SeenUrls>,
    pub(super) rules: Arc<Rules>,
    /// Decides which pages are rendered, if any may be.
    pub(super) renders: Option<Arc<Renders>>,
    pub(super) visits: Arc<Visits>,
    pub(super) put_backs: Arc<PutBacks>,
    pub(super) earlier: EarlierRuns,
    /// The queries that the run starts with.
    pub(super) queries: Vec<Proposal>,
    pub(super) active: ActiveOrders,
    /// When the crawl would have started had it never been interrupted.
    pub(super) started: Instant,
}

impl CrawlBuilder<'_> {
    /// Opens the sinks, and reads what an earlier run left.
    pub(super) fn sinks(
        &self,
        parts: &Parts,
        policy: &mut PolicySetup,
        directory: PathBuf,
        left: Option<Store>,
    ) -> Result<(Sinks, ArchiveWriter), Error> {
        let Self { config, hooks, clock, seed, .. } = self;
        output::write_config(&directory, config)?;
        let (files, writer) = ArchiveFiles::open(self, &directory)?;
        let active = ActiveOrders::read(&directory)?;
        policy.recall(config, &directory, active.steering.clone())?;
        let queries = policy.open_queries();
        let earlier = EarlierRuns::recall(self, &directory, left)?;
        if earlier.goes_on {
            parts.network.keep_public(&public_hosts(&directory));
        }
        let (order, store) = (config.filter.order.name(), config.dedup.store.name());
        hooks.metrics.crawl.info.set(&[config.crawl.policy.name(), order, store]);
        let seen = SeenUrls::new(&config.dedup, Some(directory.join(SEEN_DIRECTORY)), seed.child("dedup"));
        let seen = Arc::new(seen);
        let rules = Arc::new(rules(self, parts, policy, &seen, earlier.keeps_visits));
        let put_backs: Arc<PutBacks> = Arc::default();
        let metrics = Arc::clone(&hooks.metrics.render);
        let renders = || Arc::new(Renders::open(&config.render, &directory, metrics));
        let renders = config.render.is_on().then(renders);
        let visits = Visits::new(earlier.keeps_visits, earlier.reader.clone(), earlier.round_number());
        let started = clock.now() - earlier.past.account.elapsed;
        let visits = Arc::new(visits);
        Ok((
            Sinks { directory, files, seen, rules, renders, visits, put_backs, earlier, queries, active, started },
            writer,
        ))
    }
}
