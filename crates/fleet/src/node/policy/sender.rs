//! Sends the observations of this node.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;

use super::TICK;
use crate::bus::{PAYLOAD_MAX, Stream};
use crate::node::context::NodeContext;
use crate::policy::{PolicySession, SUBJECT};
use crate::wire::{Observations, WireCodec};

pub(in crate::node) async fn send(context: Arc<NodeContext>, policy: Arc<PolicySession>) {
    let (mut packer, mut number, mut reported) = (WireCodec::new(), 0, 0);
    loop {
        context.clock.sleep(TICK).await;
        while is_due(&context, &policy) {
            // A number is never reused, even if the append fails: the batch may be in the stream all the same.
            number += 1;
            let batch = Observations { sender: context.session.clone(), number, observations: policy.outbox.take() };
            if append(&context, batch.encode(&mut packer)).await {
                policy.outbox.sent();
                reported = report_dropped(&policy, reported);
            } else {
                policy.outbox.lost();
            }
        }
    }
}

/// Logs how many observations were dropped since the last call, once the bus is available again. Returns the total.
fn report_dropped(policy: &PolicySession, reported: u64) -> u64 {
    let dropped = policy.outbox.dropped();
    if dropped > reported {
        tracing::warn!(
            observations = dropped - reported,
            "dropped observations while the bus was unavailable or full; the policy does not learn from them"
        );
    }
    dropped
}

fn is_due(context: &NodeContext, policy: &PolicySession) -> bool {
    let leaves = context.leaving.load(Ordering::Acquire) && policy.outbox.pending() > 0;
    leaves || policy.outbox.is_due(context.clock.now())
}

/// Appends a message and returns whether it is in the stream. Retries while the bus is unavailable or full;
/// observations that arrive meanwhile are bounded by the outbox. Giving up a batch instead would let it reach the
/// stream after the next one, where it would count as a repetition.
async fn append(context: &NodeContext, message: Bytes) -> bool {
    if message.len() > PAYLOAD_MAX {
        tracing::debug!(bytes = message.len(), "dropped an observation that is too long for a message");
        return false;
    }
    let bus = &context.client.bus;
    let appended = context.client.retry(|| bus.append(Stream::Observations, SUBJECT, message.clone())).await;
    if let Err(error) = &appended {
        tracing::warn!("dropped observations, from which the policy does not learn: {error}");
    }
    appended.is_ok()
}
