//! Tells a fleet something: changes the key of the orders, which every node watches, by compare-and-swap.

use std::time::Duration;

use super::bus::{Bus, BusError, KeyValue};
use super::node::records::{self, ORDERS};
use super::orders::{Order, Orders, Refused};
use super::retry::call_once;
use harvestman_core::clock::Clock;

/// How often it is tried, and how long all of it may take: whoever asks waits for an answer.
const ATTEMPTS: u32 = 16;
const SUBMIT_FOR: Duration = Duration::from_secs(6);
/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_millis(400);

/// Why a fleet was not told something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// It cannot be.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The servers do not answer: it was not told.
    #[error("the fleet's servers cannot be asked ({0}): nothing is done; say it again when they are back")]
    Unavailable(BusError),
    /// The servers did not answer a write.
    #[error(
        "the fleet's servers did not answer ({0}): it may hold or not; say it again when they are back, which does no harm"
    )]
    OutcomeUnknown(BusError),
    /// Others told it so much at the same time.
    #[error("others tell the fleet so much that there was no gap for this: nothing is done; say it again")]
    Contended,
    /// What stands in the key cannot be read.
    #[error(
        "what the fleet was told before cannot be read ({0}): nothing is done; take the version that the other nodes have"
    )]
    Unreadable(String),
}

/// Tells the fleet something; what holds then. It takes some seconds at most.
///
/// # Errors
/// See [`SubmitError`].
pub async fn submit(bus: &dyn Bus, clock: &Clock, order: &Order) -> Result<Orders, SubmitError> {
    let until = clock.now() + SUBMIT_FOR;
    // What came of the last attempt that may have written.
    let mut unsure = None;
    let mut trouble = None;
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
                trouble = Some(error);
                continue;
            }
        };
        let before = decode_orders(held.as_ref())?;
        let new = match before.with(order) {
            Ok(Some(new)) => new,
            Ok(None) => return Ok(before),
            // By the write that was not answered.
            Err(Refused::NotThere { .. }) if unsure.is_some() => return Ok(before),
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
            Err(error @ BusError::Unreachable(_)) => unsure = Some(error),
            Err(error) => trouble = Some(error),
        }
    }
    Err(match (unsure, trouble) {
        (Some(error), _) => SubmitError::OutcomeUnknown(error),
        (None, Some(error)) => SubmitError::Unavailable(error),
        (None, None) => SubmitError::Contended,
    })
}

/// What the fleet was told, by what the key of the orders holds.
///
/// # Errors
/// Where it cannot be read.
pub fn decode_orders(held: Option<&KeyValue>) -> Result<Orders, SubmitError> {
    let Some(value) = held.and_then(|held| held.value.as_deref()) else { return Ok(Orders::default()) };
    records::read(value).map_err(SubmitError::Unreadable)
}
