//! What a node knows of its fleet's crawl before a session begins.

use std::time::Duration;

use super::{budget, orders};
use crate::error::Error;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::Config;
use harvestman_fleet::bus::{Bus, KeyValue};
use harvestman_fleet::node::records::{self, BUDGET, CRAWL, CrawlRecord, CrawlState, ORDERS};
use harvestman_fleet::order_submission;
use harvestman_fleet::orders::Orders;
use harvestman_fleet::retry::call_once;
use harvestman_report::StopFlag;

/// The interval at which a node that begins retries a read.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// The interval of warnings while no server answers.
const WARN_EVERY: Duration = Duration::from_secs(30);

/// What a node must know before a session begins.
pub(super) struct Before {
    /// The orders of the fleet.
    pub(super) orders: Orders,
    /// Whether nothing is left to fetch.
    pub(super) is_over: bool,
}

/// Reads the keys; waits for the servers unless this node is to stop. The inner error says why no session is to begin.
pub(super) async fn ask(
    bus: &dyn Bus,
    config: &Config,
    clock: &Clock,
    stop: &StopFlag,
) -> Result<Result<Before, Error>, Error> {
    let (name, keys) = (&config.fleet.name, KeyReader { bus, clock, stop });
    let held = keys.get(ORDERS, "orders").await?;
    let orders =
        order_submission::decode_orders(held.as_ref()).map_err(|error| Error::Configuration(error.to_string()))?;
    if orders.stopped {
        return Ok(Err(orders::was_stopped(name)));
    }
    if let Some(why) = budget::used_up(keys.get(BUDGET, "budgets").await?)? {
        return Ok(Err(budget::is_used_up(name, why)));
    }
    // If it cannot be read, the session reports that.
    let held = keys.get(CRAWL, "crawl").await?.and_then(|held| held.value);
    let crawl = held.and_then(|value| records::read::<CrawlRecord>(&value).ok());
    let is_over = crawl.is_some_and(|crawl| crawl.state == CrawlState::Over);
    Ok(Ok(Before { orders, is_over }))
}

/// Reads keys until the servers answer, or the node is to stop.
struct KeyReader<'a> {
    bus: &'a dyn Bus,
    clock: &'a Clock,
    stop: &'a StopFlag,
}

impl KeyReader<'_> {
    async fn get(&self, key: &str, what: &str) -> Result<Option<KeyValue>, Error> {
        let mut warned: Option<Instant> = None;
        loop {
            let error = match call_once(self.clock, self.bus.get(key)).await {
                Ok(held) => return Ok(held),
                Err(error) => error,
            };
            if self.stop.requested() {
                return Err(Error::Configuration(format!("the fleet's {what}: {error}")));
            }
            let now = self.clock.now();
            if warned.is_none_or(|at| now.since(at) >= WARN_EVERY) {
                warned = Some(now);
                tracing::warn!("the fleet's {what} cannot be read: {error}; retrying");
            }
            self.clock.sleep(ASK_EVERY).await;
        }
    }
}
