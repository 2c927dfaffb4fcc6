//! The stages that run beside the actors, and the threads that they run on.

use std::thread::JoinHandle;

use crossbeam_channel::Receiver;

use crate::error::Error;
use crate::handles::job::Job;
use crate::handles::{PageQueue, StateHandle};
use crate::page::worker::Worker;
use crate::policy_thread::learning::Learner;
use crate::recrawl::RecrawlScheduler;
use crate::rendering::{RenderStage, RenderWriter, RenderWriterThread};
use crate::run::state_writer::{StateWriter, StateWriterThread};
use harvestman_core::model::Ledger;
use harvestman_storage::archive::{self, ArchiveThread, ArchiveTotals, ArchiveWriter};

/// The stages beside the actors, built and connected, but not started.
pub(crate) struct Stages {
    pub(crate) workers: Vec<Worker>,
    pub(crate) jobs: Receiver<Job>,
    /// `None` if the policy does not learn.
    pub(crate) learner: Option<Learner>,
    /// The browsers, if pages may be rendered.
    pub(crate) render_stage: Option<RenderStage>,
    /// Writes what is learned of them.
    pub(crate) render_writer: Option<RenderWriter>,
    /// In a recrawl: its scheduler.
    pub(crate) scheduler: Option<RecrawlScheduler>,
    /// `None` if the state is not persisted.
    pub(crate) state_writer: Option<(StateWriter, StateHandle)>,
    pub(crate) writer: ArchiveWriter,
}

/// Running stages. A live crawl runs them on threads, the simulation steps them.
pub(crate) trait RunningStages {
    /// Waits until the stages have finished their work, and ends them.
    async fn join(self, pages: &PageQueue) -> Result<StagesEnded, Error>;
}

/// How the stages ended.
pub(crate) struct StagesEnded {
    /// Threads that panicked.
    pub(crate) panicked: usize,
    /// If something could not be committed, the account of what was.
    pub(crate) uncommitted: Option<Ledger>,
    /// What was written, or why not all was.
    pub(crate) written: Result<ArchiveTotals, archive::Error>,
}

/// The threads of a live crawl.
pub(crate) struct Threads {
    workers: Vec<JoinHandle<()>>,
    learner: Option<JoinHandle<()>>,
    render_writer: Option<RenderWriterThread>,
    scheduler: Option<JoinHandle<()>>,
    state_writer: Option<StateWriterThread>,
    writer: ArchiveThread,
}

impl Threads {
    /// Starts a thread for each stage.
    pub(crate) fn spawn(stages: Stages) -> Result<Self, Error> {
        let refused = |error: std::io::Error| Error::Internal(error.to_string());
        let Stages { workers, jobs, learner, render_stage, render_writer, scheduler, state_writer, writer } = stages;
        if let Some(stage) = render_stage {
            stage.spawn();
        }
        let workers = workers.into_iter().enumerate().map(|(number, worker)| worker.spawn(number, jobs.clone()));
        Ok(Self {
            writer: writer.spawn()?,
            state_writer: state_writer.map(|(writer, handle)| writer.spawn(handle)).transpose().map_err(refused)?,
            learner: learner.map(Learner::spawn).transpose().map_err(refused)?,
            render_writer: render_writer.map(RenderWriter::spawn).transpose().map_err(refused)?,
            scheduler: scheduler.map(RecrawlScheduler::spawn).transpose().map_err(refused)?,
            workers: workers.collect::<Result<_, _>>().map_err(refused)?,
        })
    }

    fn join_blocking(self, pages: &PageQueue) -> StagesEnded {
        let Self { workers, learner, render_writer, scheduler, state_writer, writer } = self;
        pages.end(workers.len());
        // The workers feed the learner, so they end first.
        let panicked =
            workers.into_iter().chain(learner).chain(scheduler).filter_map(|thread| thread.join().err()).count();
        let rendering = render_writer.map_or(Ok(()), RenderWriterThread::join);
        // Before the archive, which ends when it has no writers left.
        let committed = state_writer.map_or(Ok(None), StateWriterThread::join);
        StagesEnded {
            panicked: panicked + usize::from(committed.is_err()) + usize::from(rendering.is_err()),
            uncommitted: committed.ok().flatten(),
            written: writer.join(),
        }
    }
}

impl RunningStages for Threads {
    async fn join(self, pages: &PageQueue) -> Result<StagesEnded, Error> {
        let pages = pages.clone();
        let joined = tokio::task::spawn_blocking(move || self.join_blocking(&pages));
        joined.await.map_err(|error| Error::Internal(error.to_string()))
    }
}
