//! The tasks of a node that serve the fleet's policy: its observations go to the stream, publications come from the
//! object store, and the session that holds the policy's key reads the former and writes the latter.

mod follower;
mod holder;
mod replay;
mod sender;

use std::time::Duration;

pub(super) use follower::follow;
pub(super) use holder::hold;
pub(super) use sender::send;

use super::context::NodeContext;
use crate::bus::Stream;
use crate::policy::{PolicySession, SUBJECT};

/// The polling interval for observations to send and publications that are due.
const TICK: Duration = Duration::from_millis(200);
/// The longest time that a leaving session waits for its observations to be appended and the key to be released.
const WIND_UP_MAX: Duration = Duration::from_secs(10);
/// The longest time that the holder reads remaining observations at the end of the crawl.
const FINISH_MAX: Duration = Duration::from_secs(30);

/// Flushes the observations of a leaving session and releases the policy's key if it is held.
pub(super) async fn wind_up(context: &NodeContext) {
    let Some(policy) = &context.policy else { return };
    let until = context.clock.now() + WIND_UP_MAX;
    while (policy.outbox.pending() > 0 || policy.holds()) && context.clock.now() < until {
        context.clock.sleep(TICK).await;
    }
}

/// Reads the remaining observations at the end of the crawl, if this session holds the policy.
pub(super) async fn finish(context: &NodeContext) {
    let Some(policy) = context.policy.as_ref().filter(|policy| policy.holds()) else { return };
    tokio::select! {
        biased;
        () = read_to_the_end(context, policy) => {}
        () = context.clock.sleep(FINISH_MAX) => {
            tracing::warn!("the observations of the last pages did not reach the fleet's policy in time; it has not learned from them");
        }
    }
}

async fn read_to_the_end(context: &NodeContext, policy: &PolicySession) {
    let bus = &context.client.bus;
    // If the bus refuses the request, repeating it does not help.
    let Ok(last) = context.client.retry(|| bus.last(Stream::Observations, SUBJECT)).await else { return };
    while policy.position() < last && policy.holds() {
        context.clock.sleep(TICK).await;
    }
}
