//! Reads the status of a fleet.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::agreed;
use super::node_setup::{lease_terms, partitions};
use crate::error::Error;
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::model::FleetStatus;
use harvestman_fleet::bus::{Bus, BusError, Stream, WatchEvent};
use harvestman_fleet::node::log::EXCHANGE;
use harvestman_fleet::node::view::FleetView;
use harvestman_fleet::retry::retry;
use harvestman_fleet::status::fleet_status;
use harvestman_fleet::{SessionId, connect};

/// How long the keys may take to arrive.
const KEYS_MAX: Duration = Duration::from_secs(10);

/// Returns the status of the fleet's crawl that `own` names. Takes a little longer than two renewals, so that silent
/// nodes are recognised.
pub(crate) async fn status(own: &Config) -> Result<FleetStatus, Error> {
    let bus = connect::open(&own.fleet).await?;
    let clock = Clock::system();
    let config = agreed::seen(&*bus, &clock, own).await?;
    let (view, heard) = listen(&*bus, &clock, lease_terms(&config).renew * 5 / 2).await.map_err(failed)?;
    let partitions = partitions(&config)?;
    let mut ends = Vec::new();
    for shard in 0..partitions.shards() {
        let end = retry(&clock, || bus.last(Stream::Exchange(shard), EXCHANGE)).await;
        ends.push(end.map_err(failed)?);
    }
    Ok(fleet_status(&config.fleet.name, &view, &heard, &partitions, &ends))
}

pub(crate) fn failed(error: BusError) -> Error {
    Error::Configuration(error.to_string())
}

/// Returns what the keys hold, and which sessions sent a heartbeat meanwhile.
async fn listen(
    bus: &dyn Bus,
    clock: &Clock,
    patience: Duration,
) -> Result<(FleetView, BTreeSet<SessionId>), BusError> {
    let (mut view, mut beats, mut heard) = (FleetView::default(), BTreeMap::new(), BTreeSet::new());
    let mut keys = retry(clock, || bus.watch()).await?;
    let mut until = clock.now() + KEYS_MAX;
    while let Ok(Some(seen)) = tokio::time::timeout(until.since(clock.now()), keys.recv()).await {
        if seen == WatchEvent::UpToDate {
            until = clock.now() + patience;
        }
        if let Err(error) = view.see(seen) {
            tracing::warn!("{error}");
        }
        for (session, beat) in view.live() {
            let first = beats.entry(session.clone()).or_insert(beat.beat);
            if view.up_to_date && *first != beat.beat {
                heard.insert(session.clone());
            }
        }
    }
    if view.up_to_date {
        Ok((view, heard))
    } else {
        Err(BusError::Unreachable("its keys were not received".to_owned()))
    }
}
