//! Sends what this node observes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::TICK;
use crate::bus::{PAYLOAD_MAX, Stream};
use crate::node::shared::Shared;
use crate::policy::{PolicyPost, SUBJECT};
use crate::wire::{Observations, Packer};

pub(in crate::node) async fn send(shared: Arc<Shared>, post: Arc<PolicyPost>) {
    let (mut packer, mut number, mut told) = (Packer::new(), 0, 0);
    loop {
        shared.clock.sleep(TICK).await;
        while is_due(&shared, &post) {
            // Never again for another one: it may be in the stream all the same.
            number += 1;
            let batch = Observations { sender: shared.session.clone(), number, observations: post.outbox.take() };
            if append(&shared, batch.encode(&mut packer)).await {
                post.outbox.sent();
                told = tell(&post, told);
            } else {
                post.outbox.lost();
            }
        }
    }
}

/// Says how many observations were left out, once the bus is there again; how many that were in all.
fn tell(post: &PolicyPost, told: u64) -> u64 {
    let dropped = post.outbox.dropped();
    if dropped > told {
        tracing::warn!(
            observations = dropped - told,
            "the policy was not shown all that was fetched while the bus was away or full"
        );
    }
    dropped
}

fn is_due(shared: &Shared, post: &PolicyPost) -> bool {
    let leaves = shared.leaving.load(Ordering::Acquire) && post.outbox.pending() > 0;
    leaves || post.outbox.is_due(shared.clock.now())
}

/// Whether it is in the stream. Where the bus does not answer, or has no room, it is asked again: what comes meanwhile is bounded. A batch
/// that is given up for that might come into the stream later than the next one, and would be taken for a repetition there.
async fn append(shared: &Shared, message: Bytes) -> bool {
    if message.len() > PAYLOAD_MAX {
        tracing::debug!(bytes = message.len(), "an observation is too long for a message; the policy is not shown it");
        return false;
    }
    let bus = &shared.calls.bus;
    let appended = shared.calls.patiently(|| bus.append(Stream::Observations, SUBJECT, message.clone())).await;
    if let Err(error) = &appended {
        tracing::warn!("observations are left out, the policy learns nothing from them: {error}");
    }
    appended.is_ok()
}
