//! Submits orders to a fleet: changes the key of the orders, which every node watches, by compare-and-swap.

use std::time::Duration;

use super::bus::{Bus, BusError, KeyValue};
use super::node::records::{self, ORDERS};
use super::orders::{Order, OrderRefusal, Orders};
use super::retry::call_once;
use harvestman_core::clock::Clock;

/// The most attempts, and their total duration: the caller waits for an answer.
const ATTEMPTS: u32 = 16;
const SUBMIT_FOR: Duration = Duration::from_secs(6);
/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_millis(400);

/// Why an order was not submitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The order is refused.
    #[error(transparent)]
    Refused(#[from] OrderRefusal),
    /// The servers do not answer: the order was not submitted.
    #[error("cannot reach the fleet's servers ({0}): nothing was changed; repeat the command when they are available")]
    Unavailable(BusError),
    /// The servers did not answer a write.
    #[error(
        "the fleet's servers did not answer ({0}): the order may be in effect or not; repeat the command when they are available, which is safe"
    )]
    OutcomeUnknown(BusError),
    /// Too many concurrent orders.
    #[error("too many concurrent orders to the fleet: nothing was changed; repeat the command")]
    Contended,
    /// The value of the key cannot be read.
    #[error(
        "cannot read the fleet's current orders ({0}): nothing was changed; run the same version as the other nodes"
    )]
    Unreadable(String),
}

/// Submits an order and returns the resulting state. Takes a few seconds at most.
///
/// # Errors
/// See [`SubmitError`].
pub async fn submit(bus: &dyn Bus, clock: &Clock, order: &Order) -> Result<Orders, SubmitError> {
    let until = clock.now() + SUBMIT_FOR;
    // The error of the last attempt whose write may have happened.
    let mut unknown = None;
    let mut failure = None;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            clock.sleep((PAUSE_MAX / 32 * attempt.pow(2)).min(PAUSE_MAX)).await;
        }
        if clock.now() >= until {
            break;
        }
        let held = match call_once(clock, bus.get(ORDERS)).await {
            Ok(held) => held,
            Err(error) => {
                failure = Some(error);
                continue;
            }
        };
        let before = decode_orders(held.as_ref())?;
        let new = match before.with(order) {
            Ok(Some(new)) => new,
            Ok(None) => return Ok(before),
            // Removed by the write that was not answered.
            Err(OrderRefusal::NotThere { .. }) if unknown.is_some() => return Ok(before),
            Err(refused) => return Err(refused.into()),
        };
        let value = records::written(&new);
        let written = match held {
            Some(held) => call_once(clock, bus.update(ORDERS, value, held.revision)).await,
            None => call_once(clock, bus.create(ORDERS, value)).await,
        };
        match written {
            Ok(_) => return Ok(new),
            Err(BusError::Conflict) => {}
            Err(error @ BusError::Unreachable(_)) => unknown = Some(error),
            Err(error) => failure = Some(error),
        }
    }
    Err(match (unknown, failure) {
        (Some(error), _) => SubmitError::OutcomeUnknown(error),
        (None, Some(error)) => SubmitError::Unavailable(error),
        (None, None) => SubmitError::Contended,
    })
}

/// Decodes the value of the orders key.
///
/// # Errors
/// The value cannot be read.
pub fn decode_orders(held: Option<&KeyValue>) -> Result<Orders, SubmitError> {
    let Some(value) = held.and_then(|held| held.value.as_deref()) else { return Ok(Orders::default()) };
    records::read(value).map_err(SubmitError::Unreadable)
}
