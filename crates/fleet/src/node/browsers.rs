//! Publishes which of the held partitions need a node with a browser.
//!
//! Only the task that also takes and releases partitions does so: a partition's record has one writer at a time.

use super::context::{HeldPartition, NodeContext};
use super::partition_writes::swap;
use super::records::PartitionRecord;
use crate::{BrowserDemand, Partition};

/// Marks the partitions that the crawler asked a browser for, and tells it whether another node has one.
pub(super) async fn publish_demand(context: &NodeContext) {
    let Some(demand) = &context.browsers else { return };
    let is_elsewhere = context.view.lock().browsers().iter().any(|node| *node != context.session.node());
    demand.set_elsewhere(is_elsewhere);
    for (partition, held) in unmarked(context, demand) {
        let record = PartitionRecord { needs_browser: true, ..held.record };
        // If another session was first, this one has lost its partitions.
        if let Some(revision) = swap(context, partition, &record, Some(held.revision)).await
            && let Some(held) = context.held.lock().get_mut(&partition)
        {
            (held.record, held.revision) = (record, revision);
        }
    }
}

/// Returns the held partitions that were asked for and are not marked; at most as many as one step may release.
fn unmarked(context: &NodeContext, demand: &BrowserDemand) -> Vec<(Partition, HeldPartition)> {
    let asked = demand.asked();
    let held = context.held.lock();
    let unmarked = asked.into_iter().filter_map(|partition| Some((partition, held.get(&partition)?)));
    let unmarked = unmarked.filter(|(_, held)| !held.record.needs_browser);
    unmarked.take(context.options.batch).map(|(partition, held)| (partition, held.clone())).collect()
}
