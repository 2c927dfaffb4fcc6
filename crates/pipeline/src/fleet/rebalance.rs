//! Asks a fleet to rebalance its load.

use std::time::Duration;

use super::agreed;
use super::node_setup::partitions;
use super::status::failed;
use crate::error::Error;
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_fleet::bus::{Bus, BusError};
use harvestman_fleet::connect;
use harvestman_fleet::node::records::{self, CrawlState, REBALANCE, Rebalance};
use harvestman_fleet::node::view::FleetView;
use harvestman_fleet::rebalance_report::RebalanceReport;
use harvestman_fleet::retry::retry;

/// How long all partitions may take to be in place before the rebalance is requested anyway.
const LOOKED_MAX: Duration = Duration::from_secs(5);
/// How long the fleet may take to answer.
const ANSWERED_MAX: Duration = Duration::from_secs(60);
/// How long the fleet may take to move everything.
const MOVED_MAX: Duration = Duration::from_secs(120);
/// The maximum number of attempts at a request that conflicts with another one.
const ATTEMPTS: u32 = 5;

/// Rebalances the fleet that `own` names, and waits until it has finished. Returns what was moved.
pub(crate) async fn rebalance(own: &Config) -> Result<RebalanceReport, Error> {
    let bus = connect::open(&own.fleet).await?;
    let clock = Clock::system();
    let config = agreed::seen(&*bus, &clock, own).await?;
    let (name, partitions) = (&config.fleet.name, partitions(&config)?);
    let is_running =
        |view: &FleetView| view.crawl.as_ref().is_some_and(|(crawl, _)| crawl.state == CrawlState::Running);
    let is_done = |view: &FleetView| RebalanceReport::is_done(view, &partitions) || !is_running(view);
    // An update by a node at this very moment arrives only after everything else.
    let view = watch(&*bus, &clock, LOOKED_MAX, is_done).await?;
    if !is_running(&view) {
        let why = "it is not running: there is nothing to rebalance. `harvestman fleet status` shows its state";
        return Err(refused(name, why));
    }
    let before = RebalanceReport::before(name, &view);
    let number = ask(&*bus, &clock).await?;
    let answered =
        |view: &FleetView| view.placement.as_ref().is_some_and(|(placement, _)| placement.answered >= number);
    let view = watch(&*bus, &clock, ANSWERED_MAX, |view| answered(view) || !is_running(view)).await?;
    if !answered(&view) {
        let over = "it ended meanwhile".to_owned();
        return Err(refused(name, &if is_running(&view) { unanswered(&view) } else { over }));
    }
    let placed = before.placed(&view);
    let view = watch(&*bus, &clock, MOVED_MAX, is_done).await?;
    Ok(placed.ended(&view, &partitions))
}

fn refused(name: &str, why: &str) -> Error {
    Error::Configuration(format!("the fleet's crawl `{name}` was not rebalanced: {why}"))
}

fn unanswered(view: &FleetView) -> String {
    let (nodes, seconds) = (view.nodes().len(), ANSWERED_MAX.as_secs());
    format!(
        "none of its {nodes} nodes answered within {seconds} s. They do when all partitions are held and have \
         caught up; `harvestman fleet status` shows their progress. The request stays in force and is carried out as \
         soon as possible"
    )
}

/// Writes a request. Returns its number.
async fn ask(bus: &dyn Bus, clock: &Clock) -> Result<u64, Error> {
    for _ in 0..ATTEMPTS {
        let held = retry(clock, || bus.get(REBALANCE)).await.map_err(failed)?;
        let value = held.as_ref().and_then(|held| held.value.as_deref());
        // An unreadable request is overwritten.
        let last: Rebalance = value.and_then(|value| records::read(value).ok()).unwrap_or_default();
        let asked = last.asked + 1;
        let value = records::written(&Rebalance { asked });
        let write = || match &held {
            Some(held) => bus.update(REBALANCE, value.clone(), held.revision),
            None => bus.create(REBALANCE, value.clone()),
        };
        match retry(clock, write).await {
            Ok(_) => return Ok(asked),
            Err(BusError::Conflict) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Err(failed(BusError::Conflict))
}

/// Returns what the keys hold once `is_so` is true, or when the time is up.
async fn watch(
    bus: &dyn Bus,
    clock: &Clock,
    patience: Duration,
    is_so: impl Fn(&FleetView) -> bool,
) -> Result<FleetView, Error> {
    let until = clock.now() + patience;
    let mut view = FleetView::default();
    let mut keys = retry(clock, || bus.watch()).await.map_err(failed)?;
    while let Ok(seen) = tokio::time::timeout(until.since(clock.now()), keys.recv()).await {
        let Some(seen) = seen else {
            // It has lost its connection, or fell behind.
            view.watch_begins();
            keys = retry(clock, || bus.watch()).await.map_err(failed)?;
            continue;
        };
        if let Err(error) = view.see(seen) {
            tracing::warn!("{error}");
        }
        if view.up_to_date && is_so(&view) {
            break;
        }
    }
    if view.up_to_date { Ok(view) } else { Err(failed(BusError::Unreachable("its keys were not received".to_owned()))) }
}
