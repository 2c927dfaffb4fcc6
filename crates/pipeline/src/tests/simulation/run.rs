//! One run of a simulated crawl: the stages of a live crawl on one thread, in simulated time.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rand::Rng as _;

use super::browser::SimulatedBrowser;
use super::disk::{Disk, Event, FaultyFiles, FaultyState};
use super::network::{Servers, SimulatedNetwork};
use crate::error::Error;
use crate::extensions::Extensions;
use crate::handles::PageQueue;
use crate::handles::job::Job;
use crate::page::worker::Worker;
use crate::policy_thread::learning::Learner;
use crate::recrawl::RecrawlScheduler;
use crate::rendering::RenderWriter;
use crate::run::crawl::PreparedCrawl;
use crate::run::environment::{Environment, Network, NetworkOptions};
use crate::run::resume::Start;
use crate::run::state_writer::{StateLog, StateWriter, SyncArchive};
use crate::run::threads::{RunningStages, Stages, StagesEnded};
use crate::wiring::CrawlBuilder;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::Config;
use harvestman_core::seed::{Rng, Seed};
use harvestman_render::Browser;
use harvestman_report::{Hooks, RunLimits};
use harvestman_stages::fetch::{Error as FetchError, Trust};
use harvestman_stages::frontier::EndReason;
use harvestman_storage::archive::{ArchiveOutput, ArchiveWriter, CrawlFiles};
use harvestman_storage::store::Store;

/// A simulated crawl that takes longer is stuck.
const STUCK_AFTER: Duration = Duration::from_secs(24 * 3_600);

/// The inputs of a run.
pub(super) struct Run<'a> {
    pub(super) config: &'a Config,
    pub(super) limits: RunLimits,
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
    /// By itself, but not everything could be written or committed.
    Failed,
    Killed,
    /// It did not end within a day.
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
    /// The writer, once it exists.
    writer: Arc<Mutex<Option<ArchiveWriter>>>,
}

impl Environment for Simulated<'_> {
    fn network(&self, _: NetworkOptions<'_>, clock: Clock, _: Trust) -> Result<Arc<dyn Network>, FetchError> {
        Ok(Arc::new(SimulatedNetwork {
            servers: Arc::clone(self.run.servers),
            clock,
            rng: Mutex::new(self.run.seed.child("network").rng()),
            latency_max: self.run.latency_max,
        }))
    }

    fn browsers(&self, _: &Config, _: &Clock) -> Result<Vec<Arc<dyn Browser>>, Error> {
        let browser = |number| SimulatedBrowser {
            rng: Mutex::new(self.run.seed.child("browser").nth(number).rng()),
            busy_max: self.run.latency_max,
            crash_rate: 0.1,
            crashed: Mutex::default(),
        };
        Ok((0..2).map(|number| Arc::new(browser(number)) as _).collect())
    }

    fn output(&self, files: CrawlFiles) -> Box<dyn ArchiveOutput> {
        Box::new(FaultyFiles { files, disk: self.run.disk.clone() })
    }

    fn archive_sync(&self, _: SyncArchive) -> SyncArchive {
        let writer = Arc::clone(&self.writer);
        Box::new(move || {
            let mut writer = writer.lock();
            let writer = writer.as_mut().expect("the writer is there before anything is committed");
            while writer.step() {}
            writer.sync()
        })
    }

    fn state(&self, store: Store) -> Box<dyn StateLog> {
        Box::new(FaultyState { store, disk: self.run.disk.clone() })
    }
}

/// The stages that run on threads in a live crawl; here each takes a step at intervals.
struct Stepped {
    worker: Worker,
    jobs: crossbeam_channel::Receiver<Job>,
    learner: Option<Learner>,
    render_writer: Option<RenderWriter>,
    scheduler: Option<RecrawlScheduler>,
    state_writer: Option<StateWriter>,
}

/// The stepped stages, shared by the tasks that step them, and the archive's writer.
struct SteppedStages {
    stages: Rc<RefCell<Option<Stepped>>>,
    writer: Arc<Mutex<Option<ArchiveWriter>>>,
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
            let builder = CrawlBuilder {
                config: self.config,
                hooks: &Hooks { limits: self.limits, ..Hooks::none() },
                extensions: &Extensions::default(),
                clock: clock.clone(),
                seed: self.seed,
                start,
                environment: &environment,
            };
            let end = match builder.build() {
                Ok(prepared) => self.run(prepared, &writer).await,
                Err(error) => End::Refused(error.to_string()),
            };
            (Ended { end, at: clock.now() }, tokio::runtime::Handle::current())
        });
        // Actors that are dropped read their timers once more.
        let _context = handle.enter();
        drop(system);
        ended
    }

    async fn run(&self, prepared: PreparedCrawl, writer: &Arc<Mutex<Option<ArchiveWriter>>>) -> End {
        let started = prepared.start(|stages| Ok(self.start_stages(stages, writer)));
        let mut running = match started {
            Ok(running) => running,
            Err(error) => return End::Refused(error.to_string()),
        };
        running.begin();
        let (killed_after, event) = self.killed_after.unwrap_or((STUCK_AFTER, Event::KilledBefore));
        let hooks = Hooks::none();
        let end = tokio::select! {
            biased;
            () = self.disk.died.notified() => End::Killed,
            reason = running.until_over(&hooks) => reason.map_or(End::Failed, End::Over),
            () = tokio::time::sleep(killed_after) => {
                if self.killed_after.is_none() {
                    End::Stuck
                } else {
                    self.disk.kill(event);
                    End::Killed
                }
            }
        };
        if !matches!(end, End::Over(_)) {
            running.kill(SteppedStages::kill);
            return end;
        }
        match running.close().await {
            _ if self.disk.is_dead() => End::Killed,
            Ok(closed) if closed.failed.is_none() => end,
            Ok(_) | Err(_) => End::Failed,
        }
    }

    fn start_stages(&self, stages: Stages, writer: &Arc<Mutex<Option<ArchiveWriter>>>) -> SteppedStages {
        let Stages { mut workers, jobs, learner, render_stage, render_writer, scheduler, state_writer, writer: made } =
            stages;
        if let Some(render_stage) = render_stage {
            render_stage.spawn();
        }
        *writer.lock() = Some(made);
        let worker = workers.pop().expect("a worker");
        let state_writer = state_writer.map(|(state_writer, _)| state_writer);
        let mut stepped = Stepped { worker, jobs, learner, render_writer, scheduler, state_writer };
        if let Some(learner) = &mut stepped.learner {
            learner.begin();
        }
        if let Some(scheduler) = &mut stepped.scheduler {
            scheduler.begin();
        }
        let stages = Rc::new(RefCell::new(Some(stepped)));
        self.step_at_intervals(&stages, writer);
        SteppedStages { stages, writer: Arc::clone(writer) }
    }

    /// Has each of the stages take a step at intervals.
    fn step_at_intervals(&self, stages: &Rc<RefCell<Option<Stepped>>>, writer: &Arc<Mutex<Option<ArchiveWriter>>>) {
        type Step = fn(&mut Stepped) -> bool;
        let steps: [(&str, Step); 5] = [
            ("worker", |stages| {
                // A worker that waits here would wait forever.
                let may = !stages.learner.as_ref().is_some_and(Learner::is_behind);
                may && stages.jobs.try_recv().is_ok_and(|job| stages.worker.step(job))
            }),
            ("learner", |stages| stages.learner.as_mut().is_some_and(Learner::step)),
            ("feeder", |stages| match stages.scheduler.as_mut().map(RecrawlScheduler::step) {
                // The plan is carried out.
                Some(None) => stages.scheduler.take().is_some(),
                step => step.flatten().unwrap_or_default(),
            }),
            ("render writer", |stages| stages.render_writer.as_mut().is_some_and(RenderWriter::step)),
            ("keeper", |stages| stages.state_writer.as_mut().is_some_and(StateWriter::step)),
        ];
        for (name, step) in steps {
            let (stages, disk) = (Rc::clone(stages), self.disk.clone());
            let rng = self.seed.child(name).rng();
            actix::spawn(take_steps(rng, move || {
                let mut stages = stages.borrow_mut();
                let stages = stages.as_mut().filter(|_| !disk.is_dead())?;
                Some(step(stages))
            }));
        }
        let (writer, disk) = (Arc::clone(writer), self.disk.clone());
        actix::spawn(take_steps(self.seed.child("writer").rng(), move || {
            let mut writer = writer.lock();
            let writer = writer.as_mut().filter(|_| !disk.is_dead())?;
            Some(writer.step())
        }));
    }
}

impl SteppedStages {
    /// Drops the stages as they are.
    fn kill(&self) {
        drop(self.stages.borrow_mut().take());
    }
}

impl RunningStages for SteppedStages {
    async fn join(self, _: &PageQueue) -> Result<StagesEnded, Error> {
        let stages = self.stages.borrow_mut().take().expect("nothing else takes them");
        let Stepped { mut worker, jobs, mut learner, render_writer, state_writer, .. } = stages;
        while let Ok(job) = jobs.try_recv() {
            while learner.as_mut().is_some_and(Learner::step) {}
            worker.step(job);
        }
        while learner.as_mut().is_some_and(Learner::step) {}
        if let Some(learner) = learner {
            learner.finish();
        }
        if let Some(writer) = render_writer {
            writer.finish();
        }
        let uncommitted = state_writer.and_then(StateWriter::finish);
        drop(worker);
        let mut writer = self.writer.lock().take().expect("it was put there");
        while writer.step() {}
        Ok(StagesEnded { panicked: 0, uncommitted, written: writer.finish() })
    }
}

/// Takes steps with pauses in between, until the stages are gone.
async fn take_steps(mut rng: Rng, mut step: impl FnMut() -> Option<bool>) {
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
