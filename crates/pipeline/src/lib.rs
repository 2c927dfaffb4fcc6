//! The pipeline: builds all stages from sink to source, and runs a crawl.
//!
//! ```text
//!            ask / grant               page fetched            encoded page, line          written
//! frontier ◄────────────► host actors ─────────────► workers ────────────────────► writer ─────────► frontier
//!    ▲  one arbiter, one thread          bounded by      decode, parse, filter,      bounded in          (outcome,
//!    │                                   the leases      dedup, encode               entries and bytes    new links)
//!    └──────────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Leases are the credit of the whole cycle: at most `frontier.in_flight_max` are out, so every queue along it is
//! bounded. A lease ends only when its outcome is written.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

#![cfg_attr(not(feature = "fleet"), allow(dead_code, reason = "some handles are used by nodes of a fleet only"))]

mod bounds;
mod error;
mod extensions;
#[cfg(feature = "fleet")]
mod fleet;
#[doc(hidden)]
pub mod fuzzing;
mod handles;
mod hosts;
mod live;
mod login;
#[cfg(not(feature = "fleet"))]
mod no_fleet;
mod observations;
mod operate;
mod page;
mod policy_thread;
mod recrawl;
mod rendering;
mod run;
mod search;
#[cfg(test)]
mod tests;
mod trial;
mod wiring;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

pub use error::{Error, NO_FLEET};
pub use extensions::{
    AcceptsLinks, DeliveredLink, DeliveredPage, ExtensionErrors, Extensions, LinkInQuestion, OnTaken, ReceivesPages,
};
#[cfg(not(feature = "fleet"))]
use no_fleet as fleet;
pub use page::rules::{Acceptance, AcceptsPage};
pub use page::validator::accepting;
pub use policy_thread::example::{reader, spelling_reader};
pub use policy_thread::make_policy::MakePolicy;
pub use policy_thread::model_file::{MODEL_FILE, write_model};
pub use policy_thread::text_replay::{TextReplay, replay_text};
pub use rendering::{BrowserCheck, RENDER_FILE, check_browser, read_rendering};
use run::crawl::ClosedCrawl;
use run::environment::{Environment, LiveEnvironment};
pub use run::offline;
use run::resume::Start;
use run::threads::Threads;
pub use search::searches::{visible_text, with_searches};
use trial::WatchedBrowsers;
pub use trial::{PageContent, PageDifference, RenderTrial, RenderedTrial};
use wiring::CrawlBuilder;
pub use wiring::runtime;

use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::model::FleetStatus;
use harvestman_core::seed::Seed;
use harvestman_metrics::Metrics;
use harvestman_report::{Hooks, Report, Run, StopReason, Usage};
use harvestman_stages::frontier::EndReason;
use serde::Serialize;

/// Runs the crawl of `config` until nothing is left, a budget is spent or `hooks.stop` is raised. Writes everything,
/// the report included, to the crawl directory. Must run on an actix system, such as [`runtime`] returns.
///
/// An archive that cannot be written (a full disk) ends the crawl early; what was written is intact, and the report
/// says so.
pub async fn run(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    run_extended(config, hooks, Extensions::default(), Beginning::AtSeeds).await
}

/// Where a crawl begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Beginning {
    /// At the seeds, in a new directory.
    #[default]
    AtSeeds,
    /// Where the previous run ended ([`resume`]).
    WhereStopped,
    /// With revisits of the pages that were fetched before ([`recrawl`]).
    WithRevisits,
}

/// Runs the crawl of `config` with what the embedding program adds to it; otherwise like [`run`].
///
/// # Errors
/// Those of [`run`], of a recrawl of a fleet's node, and additions to a crawl by a fleet.
pub async fn run_extended(
    config: &Config,
    hooks: Hooks,
    extensions: Extensions,
    beginning: Beginning,
) -> Result<Report, Error> {
    let is_fleet = !config.fleet.servers.is_empty();
    if is_fleet && !extensions.is_empty() {
        return Err(Error::Configuration(
            "a crawl with a policy, a filter, sinks or a stream of its own runs on one machine: leave fleet.servers empty"
                .to_owned(),
        ));
    }
    let start = match beginning {
        Beginning::WithRevisits if is_fleet => return Err(no_recrawl_of_fleets(config)),
        _ if is_fleet => return Box::pin(fleet::run(config, hooks)).await,
        Beginning::AtSeeds => Start::new_crawl,
        Beginning::WhereStopped => Start::resume,
        Beginning::WithRevisits => Start::recrawl,
    };
    run_in(config, hooks, extensions, start, &LiveEnvironment).await
}

/// Returns the configuration of the fleet's crawl that `own` names, with the settings of this node, for [`run`].
/// `given` names the settings that the user gives, as `section.key`.
pub async fn fleet_configuration(own: &Config, given: &BTreeSet<String>) -> Result<Config, Error> {
    fleet::configuration(own, given).await
}

/// Returns the metrics of a crawl; in a fleet they carry the node's name.
pub fn metrics(config: &Config) -> Metrics {
    if config.fleet.servers.is_empty() {
        return Metrics::new();
    }
    Metrics::of_node(&fleet::node_name(config))
}

/// Resumes the fleet's crawl that `own` names, if it was stopped.
pub async fn fleet_resume(own: &Config) -> Result<(), Error> {
    fleet::resume(own).await
}

/// Returns the status of the fleet's crawl that `own` names.
pub async fn fleet_status(own: &Config) -> Result<FleetStatus, Error> {
    fleet::status(own).await
}

/// Rebalances the fleet that `own` names, and waits until it has finished.
pub async fn fleet_rebalance(own: &Config) -> Result<impl fmt::Display + Serialize, Error> {
    fleet::rebalance(own).await
}

/// Resumes the crawl whose directory `config` names, however it ended; otherwise like [`run`].
pub async fn resume(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    run_extended(config, hooks, Extensions::default(), Beginning::WhereStopped).await
}

/// Revisits the pages of the crawl whose directory `config` names that have probably changed, and crawls new and still
/// waiting URLs; otherwise like [`run`]. Budgets count this recrawl alone.
///
/// # Errors
/// Those of [`run`], and a directory of a fleet's node.
pub async fn recrawl(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    run_extended(config, hooks, Extensions::default(), Beginning::WithRevisits).await
}

fn no_recrawl_of_fleets(config: &Config) -> Error {
    Error::Configuration(format!(
        "{} holds what one node fetched of the fleet's crawl `{}`, and a fleet cannot be recrawled yet; with \
         --set fleet.servers= this machine recrawls the pages of the node alone",
        config.crawl.out, config.fleet.name
    ))
}

/// Runs the crawl of `config`, which must be one of a single page with `render.mode = always`, and compares the page
/// that it renders with the plain one; `None` if it renders none, for the reason that the page log states. Otherwise
/// like [`run`].
pub async fn try_rendering(config: &Config, hooks: Hooks) -> Result<(Report, Option<RenderTrial>), Error> {
    let browsers = WatchedBrowsers::default();
    let report = run_in(config, hooks, Extensions::default(), Start::new_crawl, &browsers).await?;
    let trial = browsers.take().map(|render| RenderTrial::new(config, render)).transpose()?;
    Ok((report, trial))
}

async fn run_in(
    config: &Config,
    hooks: Hooks,
    extensions: Extensions,
    start: fn(&Path) -> Result<Start, Error>,
    environment: &dyn Environment,
) -> Result<Report, Error> {
    let clock = Clock::system();
    let usage = Usage::now();
    let seed = if config.crawl.seed == 0 { Seed::from_system() } else { Seed(config.crawl.seed) };
    let (hooks, extensions) = (&hooks, &extensions);
    let builder = CrawlBuilder { config, hooks, extensions, clock: clock.clone(), seed, start, environment };
    let mut running = builder.build()?.start(Threads::spawn)?;
    let session = match running.begin_logged_in(hooks).await {
        Ok(session) => session,
        Err(why) => {
            running.close().await?;
            if let Some(receiver) = &extensions.receiver {
                receiver.finish();
            }
            return Err(why);
        }
    };
    let started = running.crawl.started;
    let reason = stop_reason(running.until_over(hooks).await);
    session.end();
    let full = reason == StopReason::Interrupted && running.crawl.seen.seen().must_end();
    let reason = if full { StopReason::DedupError } else { reason };
    let closed = running.close().await?;
    if let Some(receiver) = &extensions.receiver {
        receiver.finish();
    }
    let broken = extensions.errors.is_broken().then_some(StopReason::ExtensionError);
    let reason = closed.failed.or(broken).unwrap_or(reason);
    let ClosedCrawl { run, status, .. } = closed;
    let run = Run { extension_errors: extensions.errors.all(), ..run };
    let report = Report::new(run, status, reason, started, clock.now(), Usage::now().since(usage));
    let path = run::output::directory(config).join("report.json");
    report.write(&path).map_err(|source| Error::Write { path, source })?;
    Ok(report)
}

/// Returns why a crawl stopped. `reason`: why its frontier ended; `None` if it ended without a reason.
const fn stop_reason(reason: Option<EndReason>) -> StopReason {
    let Some(reason) = reason else { return StopReason::Interrupted };
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
