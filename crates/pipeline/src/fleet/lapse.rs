//! Breaks off what is under way the moment that this node may fetch no longer, and lets it go on when it may again.

use std::sync::Arc;
use std::time::Duration;

use crate::handles::HostsHandle;
use crate::requests::RequestAbort;
use harvestman_core::clock::Clock;
use harvestman_fleet::PartitionOwnership;

/// How often it is looked whether the node may fetch again.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Watches the tenure for as long as it is polled.
pub(super) async fn watch(
    territory: Arc<PartitionOwnership>,
    hosts: HostsHandle,
    requests: RequestAbort,
    clock: Clock,
) {
    let mut fetches = false;
    loop {
        let until = territory.fetch_deadline().until();
        let may = clock.now() < until;
        if may != fetches {
            fetches = may;
            if may {
                // Hosts rest while they may not be asked anything, until they are told.
                hosts.recheck();
            } else {
                tracing::warn!("the lease of this node could not be renewed in time: it fetches nothing until it is");
                requests.abort();
            }
        }
        if may {
            clock.sleep_until(until).await;
        } else {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
