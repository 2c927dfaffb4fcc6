//! Sends what this node observes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::TICK;
use crate::bus::{PAYLOAD_MAX, Stream};
use crate::node::context::NodeContext;
use crate::policy::{PolicySession, SUBJECT};
use crate::wire::{Observations, WireCodec};

pub(in crate::node) async fn send(context: Arc<NodeContext>, session_policy: Arc<PolicySession>) {
    let (mut packer, mut number, mut told) = (WireCodec::new(), 0, 0);
    loop {
        context.clock.sleep(TICK).await;
        while is_due(&context, &session_policy) {
            // Never again for another one: it may be in the stream all the same.
            number += 1;
            let batch =
                Observations { sender: context.session.clone(), number, observations: session_policy.outbox.take() };
            if append(&context, batch.encode(&mut packer)).await {
                session_policy.outbox.sent();
                told = tell(&session_policy, told);
            } else {
                session_policy.outbox.lost();
            }
        }
    }
}

/// Says how many observations were left out, once the bus is there again; how many that were in all.
fn tell(session_policy: &PolicySession, told: u64) -> u64 {
    let dropped = session_policy.outbox.dropped();
    if dropped > told {
        tracing::warn!(
            observations = dropped - told,
            "the policy was not shown all that was fetched while the bus was away or full"
        );
    }
    dropped
}

fn is_due(context: &NodeContext, session_policy: &PolicySession) -> bool {
    let leaves = context.leaving.load(Ordering::Acquire) && session_policy.outbox.pending() > 0;
    leaves || session_policy.outbox.is_due(context.clock.now())
}

/// Whether it is in the stream. Where the bus does not answer, or has no room, it is asked again: what comes meanwhile is bounded. A batch
/// that is given up for that might come into the stream later than the next one, and would be taken for a repetition there.
async fn append(context: &NodeContext, message: Bytes) -> bool {
    if message.len() > PAYLOAD_MAX {
        tracing::debug!(bytes = message.len(), "an observation is too long for a message; the policy is not shown it");
        return false;
    }
    let bus = &context.client.bus;
    let appended = context.client.retry(|| bus.append(Stream::Observations, SUBJECT, message.clone())).await;
    if let Err(error) = &appended {
        tracing::warn!("observations are left out, the policy learns nothing from them: {error}");
    }
    appended.is_ok()
}
