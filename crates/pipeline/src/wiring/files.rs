//! The archive's files, and the workers that write to them.

use std::path::Path;
use std::sync::Arc;

use super::CrawlBuilder;
use crate::bounds::threads;
use crate::error::Error;
use crate::handles::ArchiveHandle;
use crate::page::metered::Metered;
use crate::page::page_processor::PageProcessor;
use crate::page::rules::Rules;
use crate::page::stations::Stations;
use crate::page::worker::Worker;
use crate::page::worker_context::WorkerContext;
use crate::page::worker_tools::WorkerTools;
use crate::policy_thread::learning::ObservationSender;
use crate::run::state_writer::Disk;
use harvestman_core::config::Config;
use harvestman_storage::archive::{
    ArchiveSink, ArchiveWriter, CrawlFiles, CrawlInfo, RecordEncoder, RevisitIndex, RunId,
};
use harvestman_storage::store::Store;
use harvestman_structure::parse::Parser;

/// The archive's files.
pub(super) struct ArchiveFiles {
    sink: ArchiveSink,
    index: Arc<RevisitIndex>,
    run_id: RunId,
}

impl ArchiveFiles {
    /// Opens the files.
    pub(super) fn open(builder: &CrawlBuilder<'_>, directory: &Path) -> Result<(Self, ArchiveWriter), Error> {
        let CrawlBuilder { config, clock, hooks, environment, .. } = builder;
        let limits = hooks.limits.archive;
        let run_id = RunId::new(builder.seed, clock.now());
        let index = Arc::new(RevisitIndex::new(config.archive.revisit_memory));
        let files = CrawlFiles::open(directory, &config.archive, limits, &crawl_info(config), run_id, clock.now())?;
        let metrics = Arc::clone(&hooks.metrics.archive);
        let output = Metered::new(environment.output(files), &config.archive, clock.clone(), metrics);
        let (sink, writer) = ArchiveSink::new(Box::new(output), Arc::clone(&index), clock.clone(), limits);
        Ok((Self { sink, index, run_id }, writer))
    }

    /// Returns the handle to the files.
    pub(super) fn handle(&self, builder: &CrawlBuilder<'_>) -> ArchiveHandle {
        ArchiveHandle::new(self.sink.clone(), builder.clock.clone(), builder.hooks.metrics.clone())
    }

    /// Returns the disk of the state, which is committed once these files hold what it names.
    pub(super) fn disk(&self, builder: &CrawlBuilder<'_>, store: Store) -> Disk {
        let sink = self.sink.clone();
        let sync_archive = builder.environment.archive_sync(Box::new(move || sink.sync()));
        Disk { state: builder.environment.state(store), sync_archive }
    }

    /// Builds the workers, which parse fetched pages and pass them on to these files.
    pub(super) fn workers(
        &self,
        builder: &CrawlBuilder<'_>,
        context: WorkerContext,
        rules: &Arc<Rules>,
        stations: Stations,
        observer: Option<&ObservationSender>,
    ) -> Vec<Worker> {
        let config = builder.config;
        let (context, stations) = (Arc::new(context), Arc::new(stations));
        let wants_trees = builder.hooks.trees.are_wanted();
        let worker = |number| {
            let options = config.parse.clone();
            let ids = self.run_id.ids(number as u16);
            let encoder = || RecordEncoder::new(&config.archive, ids, Arc::clone(&self.index));
            let new_parser = move || {
                let parser = Parser::new(&options);
                if wants_trees { parser.with_tree() } else { parser }
            };
            let tools = WorkerTools {
                context: Arc::clone(&context),
                processor: PageProcessor::new(Arc::clone(rules), new_parser),
                encoder: config.archive.enabled.then(encoder),
                observer: observer.cloned(),
            };
            Worker { tools, stations: Arc::clone(&stations) }
        };
        let count = threads(config.crawl.threads);
        builder.hooks.metrics.worker.threads.set(count as u64);
        (0..count).map(worker).collect()
    }
}

fn crawl_info(config: &Config) -> CrawlInfo {
    CrawlInfo {
        robots: if config.robots.obey { "obeyed" } else { "ignored" }.to_owned(),
        operator: Some(config.fetch.contact.clone()).filter(|contact| !contact.is_empty()),
        user_agent: Some(harvestman_stages::fetch::user_agent(&config.fetch)),
        description: None,
    }
}
