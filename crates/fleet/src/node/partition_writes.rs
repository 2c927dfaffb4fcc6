//! Writes the records of partitions.

use bytes::Bytes;

use super::bus_client::SwapOutcome;
use super::context::NodeContext;
use super::records::{self, PartitionRecord, partition_key};
use crate::Partition;

/// Writes a partition's record. Returns its revision, or `None` if another session was first.
pub(super) async fn swap(
    context: &NodeContext,
    partition: Partition,
    record: &PartitionRecord,
    revision: Option<u64>,
) -> Option<u64> {
    let (key, value): (String, Bytes) = (partition_key(partition), records::written(record));
    context.tokens.lock().insert(partition, record.token);
    match context.client.swap(&key, &value, revision).await {
        SwapOutcome::Done(revision) => {
            context.wrote(key, value, revision);
            Some(revision)
        }
        SwapOutcome::Conflict(held) => {
            if let Some(Err(error)) = held.map(|held| context.view.lock().apply(held)) {
                tracing::error!("{error}");
            }
            None
        }
    }
}
