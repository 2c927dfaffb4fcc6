//! The policy of the fleet, on a node: its observations go to the stream, what is published comes from the objects, and whoever holds the
//! key reads the one and writes the other.

mod following;
mod holding;
mod recalling;
mod sending;

use std::sync::Arc;
use std::time::Duration;

pub(super) use following::follow;
pub(super) use holding::hold;
pub(super) use sending::send;

use super::shared::Shared;
use crate::bus::Stream;
use crate::policy::{PolicyPost, SUBJECT};

/// How often it is looked whether observations are to go, or a publication is due.
const TICK: Duration = Duration::from_millis(200);
/// A session that leaves waits no longer for its observations to be in the stream, and the key to be let go.
const WIND_UP_MAX: Duration = Duration::from_secs(10);
/// At the end of the crawl the holder takes no longer to read what is there.
const FINISH_MAX: Duration = Duration::from_secs(30);

/// A session that leaves: what it has observed goes to the stream, and the key to others.
pub(super) async fn wind_up(shared: &Shared) {
    let Some(post) = &shared.policy else { return };
    let until = shared.clock.now() + WIND_UP_MAX;
    while (post.outbox.pending() > 0 || post.holds()) && shared.clock.now() < until {
        shared.clock.sleep(TICK).await;
    }
}

/// The crawl is over: whoever holds the policy learns from all that is in the stream.
pub(super) async fn finish(shared: &Shared) {
    let Some(post) = shared.policy.as_ref().filter(|post| post.holds()) else { return };
    tokio::select! {
        biased;
        () = read_to_the_end(shared, post) => {}
        () = shared.clock.sleep(FINISH_MAX) => {
            tracing::warn!("the last pages that the fleet fetched did not reach its policy in time; it has learnt nothing from them");
        }
    }
}

async fn read_to_the_end(shared: &Shared, post: &PolicyPost) {
    let bus = &shared.calls.bus;
    // Where the bus refuses to say it, asking again does not help.
    let Ok(last) = shared.calls.patiently(|| bus.last(Stream::Observations, SUBJECT)).await else { return };
    while post.position() < last && post.holds() {
        shared.clock.sleep(TICK).await;
    }
}

/// Observations that the crawl's end has to wait for.
pub(super) fn pending(post: Option<&Arc<PolicyPost>>) -> u64 {
    post.map_or(0, |post| post.outbox.pending())
}
