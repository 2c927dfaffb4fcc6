//! One run of a simulated crawl: the stages of a live crawl on one thread, in simulated time.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rand::Rng as _;

use super::disk::{Disk, Event, FaultyFiles, FaultyState};
use super::network::{Servers, SimulatedNetwork};
use crate::Error;
use crate::crawl::Crawl;
use crate::environment::{Environment, Network};
use crate::job::Job;
use crate::learning::Learner;
use crate::recrawl::RecrawlScheduler;
use crate::resume::Start;
use crate::state_writer::{StateLog, StateWriter, SyncArchive};
use crate::threads::Stages;
use crate::wiring::CrawlBuilder;
use crate::worker::Worker;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::{Config, FetchOptions};
use harvestman_core::seed::{Rng, Seed};
use harvestman_report::Hooks;
use harvestman_stages::fetch::{Error as FetchError, TrustedHosts};
use harvestman_stages::frontier::EndReason;
use harvestman_storage::archive::{Files, Output, Writer};
use harvestman_storage::store::Store;

/// No simulated crawl takes longer.
const STUCK_AFTER: Duration = Duration::from_secs(24 * 3_600);

/// What a run is made from.
pub(super) struct Run<'a> {
    pub(super) config: &'a Config,
    pub(super) seed: Seed,
    pub(super) servers: &'a Arc<Servers>,
    pub(super) disk: &'a Disk,
    /// When it starts.
    pub(super) at: Instant,
    /// When it is killed, if not by the disk.
    pub(super) killed_after: Option<(Duration, Event)>,
    pub(super) latency_max: Duration,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// By itself.
    Over(EndReason),
    /// By itself, and not everything could be written or kept.
    Failed,
    Killed,
    /// Nothing came of it in a day.
    Stuck,
    /// It could not begin.
    Refused(String),
}

/// The end of a run, and when that was.
pub(super) struct Ended {
    pub(super) end: End,
    pub(super) at: Instant,
}

struct Simulated<'a> {
    run: &'a Run<'a>,
    /// The writer, as soon as it is there.
    writer: Arc<Mutex<Option<Writer>>>,
}

impl Environment for Simulated<'_> {
    fn network(&self, _: &FetchOptions, clock: Clock, _: TrustedHosts) -> Result<Arc<dyn Network>, FetchError> {
        Ok(Arc::new(SimulatedNetwork {
            servers: Arc::clone(self.run.servers),
            clock,
            rng: Mutex::new(self.run.seed.child("network").rng()),
            latency_max: self.run.latency_max,
        }))
    }

    fn output(&self, files: Files) -> Box<dyn Output> {
        Box::new(FaultyFiles { files, disk: self.run.disk.clone() })
    }

    fn archive_sync(&self, _: SyncArchive) -> SyncArchive {
        let writer = Arc::clone(&self.writer);
        Box::new(move || {
            let mut writer = writer.lock();
            let writer = writer.as_mut().expect("the writer is there before anything is kept");
            while writer.step() {}
            writer.sync()
        })
    }

    fn state(&self, store: Store) -> Box<dyn StateLog> {
        Box::new(FaultyState { store, disk: self.run.disk.clone() })
    }
}

/// What threads are elsewhere.
struct Hands {
    worker: Worker,
    jobs: crossbeam_channel::Receiver<Job>,
    learner: Option<Learner>,
    feeder: Option<RecrawlScheduler>,
    keeper: Option<StateWriter>,
}

impl Run<'_> {
    /// Runs the crawl to its end.
    pub(super) fn execute(&self, start: fn(&Path) -> Result<Start, Error>) -> Ended {
        let system = actix::System::with_tokio_rt(|| {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            builder.enable_time().start_paused(true).build().expect("a runtime on this thread")
        });
        let (ended, handle) = system.block_on(async {
            let clock = Clock::starting_at(self.at);
            let writer = Arc::default();
            let environment = Simulated { run: self, writer: Arc::clone(&writer) };
            let beginning = CrawlBuilder {
                config: self.config,
                hooks: &Hooks::none(),
                clock: clock.clone(),
                seed: self.seed,
                start,
                environment: &environment,
            };
            let end = match beginning.wire() {
                Ok((crawl, stages)) => self.tend(crawl, stages, &writer).await,
                Err(error) => End::Refused(error.to_string()),
            };
            (Ended { end, at: clock.now() }, tokio::runtime::Handle::current())
        });
        // Actors that are dropped look once more at their timers.
        let _context = handle.enter();
        drop(system);
        ended
    }

    async fn tend(&self, mut crawl: Crawl, stages: Stages, writer: &Arc<Mutex<Option<Writer>>>) -> End {
        let Stages { mut workers, jobs, learner, feeder, keeper, writer: made } = stages;
        *writer.lock() = Some(made);
        let worker = workers.pop().expect("a worker");
        let mut hands = Hands { worker, jobs, learner, feeder, keeper: keeper.map(|(keeper, _)| keeper) };
        if let Some(learner) = &mut hands.learner {
            learner.begin();
        }
        if let Some(feeder) = &mut hands.feeder {
            feeder.begin();
        }
        let hands = Rc::new(RefCell::new(Some(hands)));
        self.let_work(&hands, writer);
        let finished = crawl.finished.lock().take().expect("a crawl is tended once");
        crawl.begin();
        let (killed_after, event) = self.killed_after.unwrap_or((STUCK_AFTER, Event::KilledBefore));
        let end = tokio::select! {
            biased;
            () = self.disk.died.notified() => End::Killed,
            reason = finished => reason.map_or(End::Failed, End::Over),
            () = tokio::time::sleep(killed_after) => {
                if self.killed_after.is_none() {
                    End::Stuck
                } else {
                    self.disk.kill(event);
                    End::Killed
                }
            }
        };
        let hands = hands.borrow_mut().take().expect("nobody else takes them");
        // It holds the state open.
        crawl.lines.0.visits.close();
        match end {
            End::Over(_) => self.close(crawl, hands, writer, end),
            end => end,
        }
    }

    /// Lets each of the hands take a step now and then.
    fn let_work(&self, hands: &Rc<RefCell<Option<Hands>>>, writer: &Arc<Mutex<Option<Writer>>>) {
        type Step = fn(&mut Hands) -> bool;
        let steps: [(&str, Step); 4] = [
            ("worker", |hands| {
                // Here a worker that waits would wait for ever.
                let may = !hands.learner.as_ref().is_some_and(Learner::is_behind);
                may && hands.jobs.try_recv().is_ok_and(|job| hands.worker.take(job))
            }),
            ("learner", |hands| hands.learner.as_mut().is_some_and(Learner::step)),
            ("feeder", |hands| match hands.feeder.as_mut().map(RecrawlScheduler::step) {
                // The plan is carried out.
                Some(None) => hands.feeder.take().is_some(),
                step => step.flatten().unwrap_or_default(),
            }),
            ("keeper", |hands| hands.keeper.as_mut().is_some_and(StateWriter::step)),
        ];
        for (name, step) in steps {
            let (hands, disk) = (Rc::clone(hands), self.disk.clone());
            let rng = self.seed.child(name).rng();
            actix::spawn(now_and_then(rng, move || {
                let mut hands = hands.borrow_mut();
                let hands = hands.as_mut().filter(|_| !disk.is_dead())?;
                Some(step(hands))
            }));
        }
        let (writer, disk) = (Arc::clone(writer), self.disk.clone());
        actix::spawn(now_and_then(self.seed.child("writer").rng(), move || {
            let mut writer = writer.lock();
            let writer = writer.as_mut().filter(|_| !disk.is_dead())?;
            Some(writer.step())
        }));
    }

    /// What the end of a live crawl does.
    fn close(&self, crawl: Crawl, hands: Hands, writer: &Arc<Mutex<Option<Writer>>>, end: End) -> End {
        let Hands { mut worker, jobs, mut learner, keeper, .. } = hands;
        while let Ok(job) = jobs.try_recv() {
            while learner.as_mut().is_some_and(Learner::step) {}
            worker.take(job);
        }
        while learner.as_mut().is_some_and(Learner::step) {}
        if let Some(learner) = learner {
            learner.finish();
        }
        let unkept = keeper.is_some_and(StateWriter::finish);
        drop(worker);
        let mut writer = writer.lock().take().expect("it was put there");
        while writer.step() {}
        let written = writer.finish();
        drop(crawl);
        match end {
            _ if self.disk.is_dead() => End::Killed,
            _ if unkept || written.is_err() => End::Failed,
            end => end,
        }
    }
}

/// Takes a step after another with pauses in between, until there is nobody to take one.
async fn now_and_then(mut rng: Rng, mut step: impl FnMut() -> Option<bool>) {
    const SHORT: Duration = Duration::from_millis(4);
    const LONG: Duration = Duration::from_millis(100);
    let mut pause = SHORT;
    loop {
        tokio::time::sleep(pause.mul_f64(rng.random::<f64>())).await;
        match step() {
            Some(true) => pause = SHORT,
            Some(false) => pause = (pause * 2).min(LONG),
            None => return,
        }
    }
}
