//! Where outcomes are written, and those who write.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::CrawlBuilder;
use super::bounds::threads;
use crate::Error;
use crate::learning::ObservationSender;
use crate::metered::Metered;
use crate::page_processor::{PageProcessor, Rules};
use crate::state_writer::{Disk, StateHandle, StateWriter};
use crate::switchboard::Lines;
use crate::worker::{Desk, Worker};
use harvestman_core::clock::Instant;
use harvestman_core::config::Config;
use harvestman_core::model::Ledger;
use harvestman_storage::archive::{ArchiveSink, CrawlInfo, Files, RecordEncoder, RevisitIndex, RunId, Writer};
use harvestman_storage::store::Store;
use harvestman_structure::parse::Parser;

/// Where outcomes are written.
pub(super) struct Outlet {
    sink: ArchiveSink,
    pub(super) writer: Writer,
    index: Arc<RevisitIndex>,
    run_id: RunId,
}

impl Outlet {
    /// Opens the files.
    pub(super) fn open(beginning: &CrawlBuilder<'_>, directory: &Path) -> Result<Self, Error> {
        let CrawlBuilder { config, clock, hooks, environment, .. } = beginning;
        let run_id = RunId::new(beginning.seed, clock.now());
        let index = Arc::new(RevisitIndex::new(config.archive.revisit_entries_max));
        let files = Files::open(directory, &config.archive, &crawl_info(config), run_id, clock.now())?;
        let metrics = Arc::clone(&hooks.metrics.archive);
        let output = Metered::new(environment.output(files), &config.archive, clock.clone(), metrics);
        let (sink, writer) = ArchiveSink::new(Box::new(output), Arc::clone(&index), clock.clone(), &config.archive);
        Ok(Self { sink, writer, index, run_id })
    }

    /// Who keeps the state, once what it is to hold is in these files.
    pub(super) fn keeper(
        &self,
        beginning: &CrawlBuilder<'_>,
        (store, account): (Store, Ledger),
        lines: &Lines,
        started: Instant,
    ) -> (StateWriter, StateHandle) {
        let CrawlBuilder { config, clock, environment, .. } = beginning;
        let sink = self.sink.clone();
        let sync_archive = environment.archive_sync(Box::new(move || sink.sync()));
        let disk = Disk { state: environment.state(store), sync_archive };
        StateWriter::new(config, (disk, account), lines.clone(), (clock.clone(), started))
    }

    /// Those who parse what was fetched and hand it on to these files.
    pub(super) fn workers(
        &self,
        beginning: &CrawlBuilder<'_>,
        lines: &Lines,
        (rules, observer): (&Arc<Rules>, Option<ObservationSender>),
    ) -> Vec<Worker> {
        let config = beginning.config;
        let desk = Arc::new(Desk {
            lines: lines.clone(),
            arbiter: actix::Arbiter::current(),
            sink: self.sink.clone(),
            clock: beginning.clock.clone(),
            write_failed: AtomicBool::new(false),
        });
        let worker = |number| {
            let options = config.parse.clone();
            let ids = self.run_id.ids(number as u16);
            let encoder = || RecordEncoder::new(&config.archive, ids, Arc::clone(&self.index));
            Worker {
                desk: Arc::clone(&desk),
                processor: PageProcessor::new(Arc::clone(rules), move || Parser::new(&options)),
                encoder: config.archive.enabled.then(encoder),
                observer: observer.clone(),
            }
        };
        let count = threads(config.crawl.threads);
        beginning.hooks.metrics.worker.threads.set(count as u64);
        (0..count).map(worker).collect()
    }
}

fn crawl_info(config: &Config) -> CrawlInfo {
    CrawlInfo {
        robots: if config.robots.obey { "obeyed" } else { "ignored" }.to_owned(),
        operator: Some(config.fetch.contact.clone()).filter(|contact| !contact.is_empty()),
        user_agent: Some(harvestman_stages::fetch::user_agent(&config.fetch)),
        description: None,
        hostname: None,
    }
}
