//! Shows a policy again what is kept in segments.

use super::holding::Holding;
use crate::wire::{ObservationSegment, Observations};

/// Shows all that is kept. What is gone or cannot be read is said and passed over: the policy knows less then.
pub(super) async fn recall(holding: &mut Holding<'_>) {
    let (mut observations, mut troubles) = (0, 0_u64);
    for segment in holding.record.segments.clone() {
        match load(holding, &segment.object).await {
            Ok(segment) => {
                for batch in &segment.batches {
                    match Observations::read(batch, &mut holding.packer) {
                        Ok(batch) => {
                            observations += batch.observations.len();
                            holding.post.seat.show(batch.observations).await;
                        }
                        Err(_) => troubles += 1,
                    }
                }
                holding.senders.recall(segment.senders);
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

async fn load(holding: &mut Holding<'_>, name: &str) -> Result<ObservationSegment, String> {
    let calls = &holding.shared.calls;
    let object = calls.patiently(|| calls.bus.object(name)).await.map_err(|error| error.to_string())?;
    let object = object.ok_or_else(|| "it is gone".to_owned())?;
    ObservationSegment::read(&object, &mut holding.packer).map_err(|error| error.to_string())
}
