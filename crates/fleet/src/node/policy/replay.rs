//! Replays the persisted segments of observations to a policy.

use crate::node::context::NodeContext;
use crate::policy::{PolicySession, Segment, Senders};
use crate::wire::{ObservationSegment, Observations, WireCodec};

/// Shows a policy all persisted observations. Returns the sequence numbers of the senders that they contain. Segments
/// that are missing or unreadable are reported and skipped: the policy then knows less.
pub(super) async fn replay(
    context: &NodeContext,
    policy: &PolicySession,
    segments: &[Segment],
    codec: &mut WireCodec,
) -> Senders {
    let (mut senders, mut observations, mut unreadable) = (Senders::default(), 0, 0_u64);
    for segment in segments {
        match load(context, &segment.object, codec).await {
            Ok(segment) => {
                for batch in &segment.batches {
                    match Observations::read(batch, codec) {
                        Ok(batch) => {
                            observations += batch.observations.len();
                            policy.replica.observe(batch.observations).await;
                        }
                        Err(_) => unreadable += 1,
                    }
                }
                senders.restore(segment.senders);
            }
            Err(error) => {
                tracing::error!("{}: {error}; the policy is not shown this segment", segment.object);
                unreadable += 1;
            }
        }
    }
    if observations > 0 {
        tracing::info!(observations, unreadable, "replayed the fleet's persisted observations to the policy");
    }
    senders
}

async fn load(context: &NodeContext, name: &str, codec: &mut WireCodec) -> Result<ObservationSegment, String> {
    let client = &context.client;
    let object = client.retry(|| client.bus.object(name)).await.map_err(|error| error.to_string())?;
    let object = object.ok_or_else(|| "the object is missing".to_owned())?;
    ObservationSegment::read(&object, codec).map_err(|error| error.to_string())
}
