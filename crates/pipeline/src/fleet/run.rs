//! Runs a node of a fleet: session after session, until the crawl is over or the node is to leave.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::agreed::{self, Disagreement};
use super::session::NodeContext;
use super::{before, budget, orders, shared_secrets};
use crate::error::Error;
use crate::rendering::check_browser;
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

/// Crawls as a node of the fleet that `config` names; starts the crawl if the fleet does not have it yet.
pub(crate) async fn run(config: &Config, hooks: Hooks) -> Result<Report, Error> {
    shared_secrets::check(config)?;
    require_browser(config).await?;
    let bus = connect::create(&config.fleet).await?;
    let clock = Clock::system();
    let bus: Arc<dyn Bus> = Arc::new(MeteredBus::new(bus, clock.clone(), Arc::clone(&hooks.metrics.fleet)));
    let config = agreed::agree(&*bus, &clock, config).await?;
    if !config.host.delay_per_ip.0.is_zero() {
        tracing::warn!(
            "each node applies host.delay_per_ip by itself: together they may send requests to an address more often. \
             Group hosts that are one server (host.groups): one node crawls the whole group"
        );
    }
    Box::pin(run_on(bus, &config, hooks)).await
}

/// Refuses a node that cannot render the pages of its hosts: any host may become its own.
async fn require_browser(config: &Config) -> Result<(), Error> {
    if !config.render.is_on() {
        return Ok(());
    }
    check_browser(config).await.result.map(drop).map_err(|why| {
        Error::Configuration(format!(
            "the nodes of the fleet's crawl `{}` render pages (render.mode), and this machine has no browser that works: {why}. \
             Every node needs one; `harvestman doctor` checks it",
            config.fleet.name
        ))
    })
}

/// Returns the configuration of a crawl of the fleet, with the settings of this node from `own`, of which the user has
/// given those in `given`.
pub(crate) async fn configuration(own: &Config, given: &BTreeSet<String>) -> Result<Config, Error> {
    let bus = connect::open(&own.fleet).await?;
    Ok(agreed::join(&*bus, &Clock::system(), own, given).await?)
}

/// Resumes the crawl, if it was stopped.
pub(crate) async fn resume(own: &Config) -> Result<(), Error> {
    let bus = connect::open(&own.fleet).await?;
    let clock = Clock::system();
    budget::reopen(&*bus, &clock).await?;
    orders::reopen(&*bus, &clock, own).await
}

async fn run_on(bus: Arc<dyn Bus>, config: &Config, hooks: Hooks) -> Result<Report, Error> {
    let clock = Clock::system();
    // Only once: it outlives every session.
    let given = Arc::new(tokio::sync::Mutex::new(hooks.commands.listen()));
    let node = NodeContext { bus: &bus, config, hooks: &hooks, given: &given, clock: &clock };
    let mut last: Option<Report> = None;
    loop {
        let before = match (before::ask(&*bus, config, &clock, &hooks.stop).await, last.take()) {
            (Ok(Ok(before)), _) => before,
            // The crawl was stopped while this node began again.
            (Ok(Err(_)), Some(report)) => return Ok(report),
            // The node was stopped, and no server answers.
            (Err(_), Some(report)) if hooks.stop.requested() => return Ok(report),
            (Ok(Err(why)) | Err(why), _) => return Err(why),
        };
        let (end, report) = Box::pin(node.session(before)).await?;
        match end {
            End::Lost if !hooks.stop.requested() => {
                last = Some(report);
                tracing::warn!("other nodes have taken over what this node held; it starts again with nothing");
            }
            End::Refused(why) => return Err(Error::Configuration(why)),
            End::Over | End::Left | End::Lost => return Ok(report),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::config::RenderMode;

    #[tokio::test]
    async fn a_node_without_a_browser_is_refused_where_pages_are_rendered() {
        let mut config = Config::default();
        config.render.browser = "/nowhere/chromium".to_owned();
        assert!(require_browser(&config).await.is_ok(), "nothing is rendered");
        config.render.mode = RenderMode::Auto;
        let why = require_browser(&config).await.unwrap_err().to_string();
        assert!(why.contains("/nowhere/chromium") && why.contains("Every node needs one"), "{why}");
    }
}
