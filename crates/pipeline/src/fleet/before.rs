//! What a node knows of its fleet's crawl before a session begins.

use std::time::Duration;

use super::{budget, orders};
use crate::Error;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::Config;
use harvestman_fleet::bus::{Bus, KeyValue};
use harvestman_fleet::node::records::{self, BUDGET, CRAWL, CrawlRecord, CrawlState, ORDERS};
use harvestman_fleet::order_submission;
use harvestman_fleet::orders::Orders;
use harvestman_fleet::retry::call_once;
use harvestman_report::StopFlag;

/// How often a node that begins asks, and how often it says that nobody answers.
const ASK_EVERY: Duration = Duration::from_millis(500);
const TOLD_EVERY: Duration = Duration::from_secs(30);

/// What is to be known before a session begins.
pub(super) struct Before {
    /// What the fleet was told.
    pub(super) orders: Orders,
    /// Whether nothing is left to fetch.
    pub(super) is_over: bool,
}

/// Asks; waits for the servers, unless this node is to stop. Inside: why no session is to begin.
pub(super) async fn ask(
    bus: &dyn Bus,
    config: &Config,
    clock: &Clock,
    stop: &StopFlag,
) -> Result<Result<Before, Error>, Error> {
    let (name, questions) = (&config.fleet.name, Questions { bus, clock, stop });
    let held = questions.get(ORDERS, "orders").await?;
    let orders =
        order_submission::decode_orders(held.as_ref()).map_err(|error| Error::Configuration(error.to_string()))?;
    if orders.stopped {
        return Ok(Err(orders::was_stopped(name)));
    }
    if let Some(why) = budget::used_up(questions.get(BUDGET, "budgets").await?)? {
        return Ok(Err(budget::is_used_up(name, why)));
    }
    // One that cannot be read is told of by the session.
    let held = questions.get(CRAWL, "crawl").await?.and_then(|held| held.value);
    let crawl = held.and_then(|value| records::read::<CrawlRecord>(&value).ok());
    let is_over = crawl.is_some_and(|crawl| crawl.state == CrawlState::Over);
    Ok(Ok(Before { orders, is_over }))
}

/// What is asked until it is answered, or the node is to stop.
struct Questions<'a> {
    bus: &'a dyn Bus,
    clock: &'a Clock,
    stop: &'a StopFlag,
}

impl Questions<'_> {
    async fn get(&self, key: &str, what: &str) -> Result<Option<KeyValue>, Error> {
        let mut told: Option<Instant> = None;
        loop {
            let error = match call_once(self.clock, self.bus.get(key)).await {
                Ok(held) => return Ok(held),
                Err(error) => error,
            };
            if self.stop.requested() {
                return Err(Error::Configuration(format!("the fleet's {what}: {error}")));
            }
            let now = self.clock.now();
            if told.is_none_or(|at| now.since(at) >= TOLD_EVERY) {
                told = Some(now);
                tracing::warn!("the fleet's {what} cannot be asked for: {error}; it is tried again");
            }
            self.clock.sleep(ASK_EVERY).await;
        }
    }
}
