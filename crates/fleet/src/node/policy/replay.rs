//! Shows a policy again what is kept in segments.

use super::holder::PolicyHolder;
use crate::wire::{ObservationSegment, Observations};

/// Shows all that is kept. What is gone or cannot be read is said and passed over: the policy knows less then.
pub(super) async fn recall(holder: &mut PolicyHolder<'_>) {
    let (mut observations, mut troubles) = (0, 0_u64);
    for segment in holder.record.segments.clone() {
        match load(holder, &segment.object).await {
            Ok(segment) => {
                for batch in &segment.batches {
                    match Observations::read(batch, &mut holder.packer) {
                        Ok(batch) => {
                            observations += batch.observations.len();
                            holder.session_policy.replica.observe(batch.observations).await;
                        }
                        Err(_) => troubles += 1,
                    }
                }
                holder.senders.recall(segment.senders);
            }
            Err(error) => {
                tracing::error!("{}: {error}; the policy is not shown it again", segment.object);
                troubles += 1;
            }
        }
    }
    if observations > 0 {
        tracing::info!(observations, troubles, "the policy was shown again what the fleet had kept of it");
    }
}

async fn load(holder: &mut PolicyHolder<'_>, name: &str) -> Result<ObservationSegment, String> {
    let client = &holder.context.client;
    let object = client.retry(|| client.bus.object(name)).await.map_err(|error| error.to_string())?;
    let object = object.ok_or_else(|| "it is gone".to_owned())?;
    ObservationSegment::read(&object, &mut holder.packer).map_err(|error| error.to_string())
}
