//! The pipeline: wires all stages, sink to source, and runs a crawl.
//!
//! ```text
//!            ask / grant               page fetched            encoded page, line          written
//! frontier ◄────────────► host actors ─────────────► workers ────────────────────► writer ─────────► frontier
//!    ▲  one arbiter, one thread          bounded by      decode, parse, filter,      bounded in          (outcome,
//!    │                                   the leases      dedup, encode               entries and bytes    new links)
//!    └──────────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! A lease is the credit of the whole circle: at most `frontier.in_flight_max` are out, so every queue on the way is bounded, and a
//! lease ends only when its outcome is written.

mod control;
mod crawl;
mod environment;
mod example;
mod fetching;
mod fleet;
mod gatekeeping;
mod in_force;
mod job;
mod known_classes;
mod learning;
mod link_filter;
mod link_times;
mod live;
mod metered;
mod model_file;
mod needs;
mod observations;
pub mod offline;
mod output;
mod pace;
mod page_processor;
mod page_record;
mod policy_log;
mod policy_setup;
mod recrawl;
mod resume;
mod seen;
mod send;
mod snapshot_publisher;
mod state_writer;
mod status;
mod switchboard;
mod tally;
#[cfg(test)]
mod tests;
mod threads;
mod trap_board;
mod visits;
mod wiring;
mod worker;

use std::path::{Path, PathBuf};
use std::time::Duration;

use environment::Live;
pub use example::{reader, spelling_reader};
use live::Viewing;
use resume::Start;
use wiring::CrawlBuilder;

pub use model_file::{MODEL_FILE, write_model};
pub use wiring::runtime;

use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::seed::Seed;
use harvestman_fleet::rebalance_report::RebalanceReport;
use harvestman_fleet::status::FleetStatus;
use harvestman_metrics::Metrics;
use harvestman_report::{CrawlStatus, Given, Hooks, Report, StopReason, Usage};
use harvestman_stages::frontier::{Control, EndReason};

/// Why a crawl could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// None of the seeds can be crawled.
    #[error("no usable seed: {reason}")]
    NoUsableSeed {
        /// What is wrong with them.
        reason: String,
    },
    /// Settings that are only found wrong when a stage is made from them.
    #[error("{0}")]
    Configuration(String),
    /// The crawl directory cannot be used.
    #[error("cannot use {} as the output directory: {reason}", path.display())]
    OutputDirectory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The state could not be had.
    #[error(transparent)]
    State(#[from] harvestman_storage::store::StoreError),
    /// The files could not be begun.
    #[error(transparent)]
    Archive(#[from] harvestman_storage::archive::Error),
    /// A file of the crawl directory could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A fault of Harvestman.
    #[error("internal fault: {0}; please report it with the log")]
    Internal(String),
}

/// A crawl that moves nowhere says so after this time, and again as often.
const STALL_TOLD_EVERY: Duration = Duration::from_secs(30);

/// How often the status is reported.
const STATUS_EVERY: Duration = Duration::from_millis(500);

/// Crawls as `config` says, until nothing is left, a budget is spent or `hooks.stop` is raised. Writes everything, the report too,
/// to the crawl directory. Must run on an actix system, such as [`runtime`] makes.
///
/// An archive that cannot be written (a full disk) ends the crawl early; what was written is whole, and the report says so.
pub async fn run(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    if !config.fleet.servers.is_empty() {
        return fleet::run(config, hooks).await;
    }
    run_in(config, hooks, Start::anew).await
}

/// The configuration of a crawl of the fleet that `own` names, with what `own` says of this node: for [`run`].
pub async fn fleet_configuration(own: &Config) -> Result<Config, Error> {
    fleet::configuration(own).await
}

/// Metrics for a crawl as `config` says: in a fleet they name the node.
pub fn metrics(config: &Config) -> Metrics {
    if config.fleet.servers.is_empty() {
        return Metrics::new();
    }
    Metrics::of_node(&fleet::node_name(config))
}

/// Lets the crawl of the fleet that `own` names go on, if it was stopped.
pub async fn fleet_go_on(own: &Config) -> Result<(), Error> {
    fleet::go_on(own).await
}

/// Where the crawl of the fleet stands that `own` names.
pub async fn fleet_status(own: &Config) -> Result<FleetStatus, Error> {
    fleet::status(own).await
}

/// Has the fleet that `own` names spread its load evenly, and waits until it has.
pub async fn fleet_rebalance(own: &Config) -> Result<RebalanceReport, Error> {
    fleet::rebalance(own).await
}

/// Goes on with the crawl whose directory `config` names, which was ended or killed at whatever moment: as [`run`] else.
pub async fn go_on(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    if !config.fleet.servers.is_empty() {
        return fleet::run(config, hooks).await;
    }
    run_in(config, hooks, Start::again).await
}

/// Visits the pages of the crawl whose directory `config` names again, as far as they are likely to have changed, and crawls what is new
/// and what still waited: as [`run`] else. Budgets count this recrawl alone.
///
/// # Errors
/// As [`run`]; and where the directory is that of a fleet's node.
pub async fn recrawl(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    if !config.fleet.servers.is_empty() {
        return Err(Error::Configuration(format!(
            "{} is what one node fetched of the fleet's crawl `{}`, and a fleet does not visit pages again yet; with --set fleet.servers= this \
             machine visits those of the node again, alone",
            config.crawl.out, config.fleet.name
        )));
    }
    run_in(config, hooks, Start::another_round).await
}

async fn run_in(config: &Config, hooks: Hooks, start: fn(&Path) -> Result<Start, Error>) -> Result<Report, Error> {
    let clock = Clock::system();
    let usage = Usage::now();
    let seed = if config.crawl.seed == 0 { Seed::from_system() } else { Seed(config.crawl.seed) };
    let beginning = CrawlBuilder { config, hooks: &hooks, clock: clock.clone(), seed, start, environment: &Live };
    let (mut crawl, stages) = beginning.wire()?;
    let threads = stages.spawn()?;
    crawl.begin();
    let started = crawl.started;
    let reason = stop_reason(crawl.until_over(&hooks).await);
    let stopped = reason == StopReason::Interrupted && crawl.seen.must_end();
    let reason = if stopped { StopReason::DedupError } else { reason };
    let (run, status, failed) = crawl.close(threads, started).await?;
    let reason = failed.unwrap_or(reason);
    let report = Report::new(run, status, reason, (started, clock.now()), Usage::now().since(usage));
    let path = output::directory(config).join("report.json");
    report.write(&path).map_err(|source| Error::Write { path, source })?;
    Ok(report)
}

const fn stop_reason(reason: EndReason) -> StopReason {
    match reason {
        EndReason::Empty => StopReason::FrontierEmpty,
        EndReason::Pages => StopReason::PagesBudget,
        EndReason::Requests => StopReason::RequestsBudget,
        EndReason::Bytes => StopReason::BytesBudget,
        EndReason::Time => StopReason::TimeBudget,
        EndReason::LowYield => StopReason::LowYield,
        EndReason::Stopped => StopReason::Interrupted,
        EndReason::Lost => StopReason::StateError,
    }
}

/// The next command; none comes where there is no way for them.
async fn next(commands: &mut Option<tokio::sync::mpsc::Receiver<Given>>) -> Option<Given> {
    match commands {
        Some(commands) => commands.recv().await,
        None => std::future::pending().await,
    }
}

impl crawl::Crawl {
    /// Waits until the crawl is over; reports where it stands meanwhile, and passes a request to stop on.
    async fn until_over(&self, hooks: &Hooks) -> EndReason {
        let Some(mut finished) = self.finished.lock().take() else { return EndReason::Stopped };
        let mut tick = tokio::time::interval(STATUS_EVERY);
        let (mut told, mut paused) = (false, false);
        let mut commands = hooks.commands.listen();
        let mut moved = self.clock.now();
        let mut viewing = Viewing::default();
        loop {
            tokio::select! {
                reason = &mut finished => return reason.unwrap_or(EndReason::Stopped),
                () = hooks.stop.wait(), if !told => {
                    told = true;
                    self.lines.0.to_frontier(Control::Stop);
                    tick.reset_immediately();
                }
                () = hooks.pause.changed_from(paused) => {
                    paused = !paused;
                    self.lines.0.to_frontier(if paused { Control::Pause } else { Control::GoOn });
                }
                Some(given) = next(&mut commands) => {
                    self.told(given).await;
                    tick.reset_immediately();
                }
                _ = tick.tick() => {
                    let ends = self.watch_seen();
                    let status = self.status(ends || hooks.stop.requested());
                    let (status, now) = (CrawlStatus { paused, ..status }.with_stall(), self.clock.now());
                    self.show(&status);
                    match &status.stall {
                        Some(why) if now.since(moved) >= STALL_TOLD_EVERY => {
                            tracing::warn!("{why}");
                            moved = now;
                        }
                        Some(_) => {}
                        None => moved = now,
                    }
                    (hooks.on_status)(&status);
                    viewing.show(self, &status).await;
                }
            }
        }
    }
}
