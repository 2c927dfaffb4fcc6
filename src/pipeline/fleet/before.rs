//! What a node knows of its fleet's crawl before a session begins.

use std::time::Duration;

use super::{budget, orders};
use crate::clock::Clock;
use crate::config::Config;
use crate::fleet::bus::{Bus, BusError, KeyValue};
use crate::fleet::node::records::{self, BUDGET, CRAWL, CrawlRecord, CrawlState};
use crate::fleet::orders::Orders;
use crate::pipeline::Error;
use crate::report::StopFlag;

/// How long a node that begins waits for an answer, and how often it asks.
const ASK_MAX: Duration = Duration::from_secs(5);
const ASK_EVERY: Duration = Duration::from_millis(500);

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
    let name = &config.fleet.name;
    let orders = orders::at_start(bus, clock, stop).await?;
    if orders.stopped {
        return Ok(Err(orders::was_stopped(name)));
    }
    let held = get(bus, BUDGET, "budgets", (clock, stop)).await?;
    if let Some(why) = budget::used_up(held)? {
        return Ok(Err(budget::is_used_up(name, why)));
    }
    // One that cannot be read is told of by the session.
    let held = get(bus, CRAWL, "crawl", (clock, stop)).await?.and_then(|held| held.value);
    let crawl = held.and_then(|value| records::read::<CrawlRecord>(&value).ok());
    let is_over = crawl.is_some_and(|crawl| crawl.state == CrawlState::Over);
    Ok(Ok(Before { orders, is_over }))
}

async fn get(
    bus: &dyn Bus,
    key: &str,
    what: &str,
    (clock, stop): (&Clock, &StopFlag),
) -> Result<Option<KeyValue>, Error> {
    loop {
        let asked = tokio::time::timeout(ASK_MAX, bus.get(key)).await;
        match asked.unwrap_or_else(|_| Err(BusError::Unreachable("it took too long".to_owned()))) {
            Ok(held) => return Ok(held),
            Err(error) if stop.requested() => return Err(Error::Configuration(format!("the fleet's {what}: {error}"))),
            Err(error) => tracing::warn!("the fleet's {what} cannot be asked for: {error}; it is tried again"),
        }
        clock.sleep(ASK_EVERY).await;
    }
}
