//! Runs a node of a fleet: session after session, until the crawl is over or the node is to leave.

use std::sync::Arc;

use super::agreed::{self, Disagreement};
use super::before;
use super::session::NodeContext;
use super::{budget, orders};
use crate::Error;
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_fleet::bus::Bus;
use harvestman_fleet::node::End;
use harvestman_fleet::{ConnectError, MeteredBus, connect};
use harvestman_report::{Hooks, Report};

impl From<ConnectError> for Error {
    fn from(error: ConnectError) -> Self {
        Self::Configuration(error.to_string())
    }
}

impl From<Disagreement> for Error {
    fn from(error: Disagreement) -> Self {
        Self::Configuration(error.to_string())
    }
}

/// Crawls as a node of the fleet that `config` names: its crawl is begun where it is not there yet.
pub(crate) async fn run(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    let bus = connect::create(&config.fleet).await?;
    let clock = Clock::system();
    let bus: Arc<dyn Bus> = Arc::new(MeteredBus::new(bus, clock.clone(), Arc::clone(&hooks.metrics.fleet)));
    let config = agreed::agree(&*bus, &clock, config).await?;
    if !config.host.delay_per_ip.0.is_zero() {
        tracing::warn!(
            "each node keeps host.delay_per_ip for itself: together they may ask an address more often. Of hosts that are one server, make \
             a group (host.groups): one node crawls all of it"
        );
    }
    run_on(bus, &config, hooks).await
}

/// The configuration of a crawl of the fleet, with what `own` says of this node.
pub(crate) async fn configuration(own: &Config) -> Result<Config, Error> {
    let bus = connect::open(&own.fleet).await?;
    Ok(agreed::join(&*bus, &Clock::system(), own).await?)
}

/// Lets the crawl go on, if it was stopped.
pub(crate) async fn go_on(own: &Config) -> Result<(), Error> {
    let bus = connect::open(&own.fleet).await?;
    let clock = Clock::system();
    budget::reopen(&*bus, &clock).await?;
    orders::reopen(&*bus, &clock, own).await
}

async fn run_on(bus: Arc<dyn Bus>, config: &Config, hooks: Hooks) -> Result<Report, Error> {
    let clock = Clock::system();
    // Once: it outlives every session.
    let given = Arc::new(tokio::sync::Mutex::new(hooks.commands.listen()));
    let node = NodeContext { bus: &bus, config, hooks: &hooks, given: &given, clock: &clock };
    let mut last: Option<Report> = None;
    loop {
        let before = match (before::ask(&*bus, config, &clock, &hooks.stop).await, last.take()) {
            (Ok(Ok(before)), _) => before,
            // The crawl was stopped while this node began again.
            (Ok(Err(_)), Some(report)) => return Ok(report),
            // The node was stopped, and nobody answers.
            (Err(_), Some(report)) if hooks.stop.requested() => return Ok(report),
            (Ok(Err(why)) | Err(why), _) => return Err(why),
        };
        let (end, report) = node.session(before).await?;
        match end {
            End::Lost if !hooks.stop.requested() => {
                last = Some(report);
                tracing::warn!("others have taken over what this node held; it begins anew with nothing");
            }
            End::Refused(why) => return Err(Error::Configuration(why)),
            End::Over | End::Left | End::Lost => return Ok(report),
        }
    }
}
