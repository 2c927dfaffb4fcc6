//! The threads of a crawl: those who work, learn, keep and write, each on a thread of its own.

use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender};

use super::Error;
use super::job::Job;
use super::learning::Learner;
use super::recrawl::RecrawlScheduler;
use super::state_writer::{StateHandle, StateWriter, StateWriterThread};
use super::worker::Worker;
use harvestman_core::model::Ledger;
use harvestman_storage::archive::{self, ArchiveThread, Writer, Written};

/// Those who work beside the actors, made and connected, but not started.
pub(super) struct Stages {
    pub(super) workers: Vec<Worker>,
    pub(super) jobs: Receiver<Job>,
    /// None where the policy does not learn.
    pub(super) learner: Option<Learner>,
    /// In a recrawl: what plans visits.
    pub(super) feeder: Option<RecrawlScheduler>,
    /// None where the state is not kept.
    pub(super) keeper: Option<(StateWriter, StateHandle)>,
    pub(super) writer: Writer,
}

/// The same at work.
pub(super) struct Threads {
    workers: Vec<JoinHandle<()>>,
    learning: Option<JoinHandle<()>>,
    feeding: Option<JoinHandle<()>>,
    keeper: Option<StateWriterThread>,
    writer: ArchiveThread,
}

/// How the threads ended.
pub(super) struct Ended {
    /// Threads that panicked.
    pub(super) panicked: usize,
    /// If something could not be kept, the account of what was.
    pub(super) unkept: Option<Ledger>,
    /// What was written, or why not all was.
    pub(super) written: Result<Written, archive::Error>,
}

impl Stages {
    /// Starts them all.
    pub(super) fn spawn(self) -> Result<Threads, Error> {
        let refused = |error: std::io::Error| Error::Internal(error.to_string());
        let Self { workers, jobs, learner, feeder, keeper, writer } = self;
        let workers = workers.into_iter().enumerate().map(|(number, worker)| worker.spawn(number, jobs.clone()));
        Ok(Threads {
            writer: writer.spawn()?,
            keeper: keeper.map(|(keeper, port)| keeper.spawn(port)).transpose().map_err(refused)?,
            learning: learner.map(Learner::spawn).transpose().map_err(refused)?,
            feeding: feeder.map(RecrawlScheduler::spawn).transpose().map_err(refused)?,
            workers: workers.collect::<Result<_, _>>().map_err(refused)?,
        })
    }
}

impl Threads {
    /// Lets them do what is left to do, and end. Waits for that.
    pub(super) fn join(self, jobs: &Sender<Job>) -> Ended {
        let Self { workers, learning, feeding, keeper, writer } = self;
        for _ in &workers {
            // Fails only where all workers are gone already.
            let _ = jobs.send(Job::End);
        }
        // The workers feed who learns, so these end first.
        let panicked =
            workers.into_iter().chain(learning).chain(feeding).filter_map(|thread| thread.join().err()).count();
        // Before the archive, which ends when nobody can write to it any more.
        let kept = keeper.map_or(Ok(None), StateWriterThread::join);
        Ended { panicked: panicked + usize::from(kept.is_err()), unkept: kept.ok().flatten(), written: writer.join() }
    }
}
