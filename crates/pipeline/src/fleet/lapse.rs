//! Aborts requests in progress as soon as this node may no longer fetch, and resumes when it may again.

use std::sync::Arc;
use std::time::Duration;

use crate::handles::HostsHandle;
use crate::run::requests::RequestAbort;
use harvestman_core::clock::Clock;
use harvestman_fleet::PartitionOwnership;

/// The interval at which it is checked whether the node may fetch again.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Watches the fetch deadline for as long as it is polled.
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
                // Hosts that may not send requests pause until they are notified.
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
