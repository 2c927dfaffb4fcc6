//! The policy of the fleet, on a node: its observations go to the stream, what is published comes from the objects, and whoever holds the
//! key reads the one and writes the other.

mod follower;
mod holder;
mod replay;
mod sender;

use std::sync::Arc;
use std::time::Duration;

pub(super) use follower::follow;
pub(super) use holder::hold;
pub(super) use sender::send;

use super::context::NodeContext;
use crate::bus::Stream;
use crate::policy::{PolicySession, SUBJECT};

/// How often it is looked whether observations are to go, or a publication is due.
const TICK: Duration = Duration::from_millis(200);
/// A session that leaves waits no longer for its observations to be in the stream, and the key to be let go.
const WIND_UP_MAX: Duration = Duration::from_secs(10);
/// At the end of the crawl the holder takes no longer to read what is there.
const FINISH_MAX: Duration = Duration::from_secs(30);

/// A session that leaves: what it has observed goes to the stream, and the key to others.
pub(super) async fn wind_up(context: &NodeContext) {
    let Some(session_policy) = &context.policy else { return };
    let until = context.clock.now() + WIND_UP_MAX;
    while (session_policy.outbox.pending() > 0 || session_policy.holds()) && context.clock.now() < until {
        context.clock.sleep(TICK).await;
    }
}

/// The crawl is over: whoever holds the policy learns from all that is in the stream.
pub(super) async fn finish(context: &NodeContext) {
    let Some(session_policy) = context.policy.as_ref().filter(|session_policy| session_policy.holds()) else { return };
    tokio::select! {
        biased;
        () = read_to_the_end(context, session_policy) => {}
        () = context.clock.sleep(FINISH_MAX) => {
            tracing::warn!("the last pages that the fleet fetched did not reach its policy in time; it has learnt nothing from them");
        }
    }
}

async fn read_to_the_end(context: &NodeContext, session_policy: &PolicySession) {
    let bus = &context.client.bus;
    // Where the bus refuses to say it, asking again does not help.
    let Ok(last) = context.client.retry(|| bus.last(Stream::Observations, SUBJECT)).await else { return };
    while session_policy.position() < last && session_policy.holds() {
        context.clock.sleep(TICK).await;
    }
}

/// Observations that the crawl's end has to wait for.
pub(super) fn pending(session_policy: Option<&Arc<PolicySession>>) -> u64 {
    session_policy.map_or(0, |session_policy| session_policy.outbox.pending())
}
