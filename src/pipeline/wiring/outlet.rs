//! Where outcomes are written, and those who write.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Beginning;
use super::bounds::threads;
use crate::archive::{ArchiveSink, CrawlInfo, Files, RecordEncoder, RevisitIndex, RunId, Writer};
use crate::clock::Instant;
use crate::config::Config;
use crate::page::Ledger;
use crate::parse::Parser;
use crate::pipeline::Error;
use crate::pipeline::harvest::{Harvester, Rules};
use crate::pipeline::keeper::{Disk, Keeper, KeeperPort};
use crate::pipeline::learning::Teacher;
use crate::pipeline::metered::Metered;
use crate::pipeline::switchboard::Lines;
use crate::pipeline::worker::{Desk, Worker};
use crate::store::Store;

/// Where outcomes are written.
pub(super) struct Outlet {
    sink: ArchiveSink,
    pub(super) writer: Writer,
    index: Arc<RevisitIndex>,
    run_id: RunId,
}

impl Outlet {
    /// Opens the files.
    pub(super) fn open(beginning: &Beginning<'_>, directory: &Path) -> Result<Self, Error> {
        let Beginning { config, clock, hooks, surroundings, .. } = beginning;
        let run_id = RunId::new(beginning.seed, clock.now());
        let index = Arc::new(RevisitIndex::new(config.archive.revisit_entries_max));
        let files = Files::open(directory, &config.archive, &crawl_info(config), run_id, clock.now())?;
        let metrics = Arc::clone(&hooks.metrics.archive);
        let output = Metered::new(surroundings.output(files), &config.archive, clock.clone(), metrics);
        let (sink, writer) = ArchiveSink::new(Box::new(output), Arc::clone(&index), clock.clone(), &config.archive);
        Ok(Self { sink, writer, index, run_id })
    }

    /// Who keeps the state, once what it is to hold is in these files.
    pub(super) fn keeper(
        &self,
        beginning: &Beginning<'_>,
        (store, account): (Store, Ledger),
        lines: &Lines,
        started: Instant,
    ) -> (Keeper, KeeperPort) {
        let Beginning { config, clock, surroundings, .. } = beginning;
        let sink = self.sink.clone();
        let sync_archive = surroundings.archive_sync(Box::new(move || sink.sync()));
        let disk = Disk { state: surroundings.state(store), sync_archive };
        Keeper::new(config, (disk, account), lines.clone(), (clock.clone(), started))
    }

    /// Those who parse what was fetched and hand it on to these files.
    pub(super) fn workers(
        &self,
        beginning: &Beginning<'_>,
        lines: &Lines,
        (rules, teacher): (&Arc<Rules>, Option<Teacher>),
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
                harvester: Harvester::new(Arc::clone(rules), move || Parser::new(&options)),
                encoder: config.archive.enabled.then(encoder),
                teacher: teacher.clone(),
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
        user_agent: Some(crate::fetch::user_agent(&config.fetch)),
        description: None,
        hostname: None,
    }
}
