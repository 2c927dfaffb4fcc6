//! The frontier's order by a policy's snapshot.

use std::sync::Arc;

use harvestman_policy::{PolicySnapshot, readmit};
use harvestman_stages::frontier::Order;

/// Returns the frontier's order by `snapshot`. `explained`: whether leases name the snapshot that they are decided by.
pub(crate) fn order(snapshot: &Arc<dyn PolicySnapshot>, explained: bool) -> Order {
    let by = Arc::clone(snapshot);
    Order {
        scores: Arc::clone(snapshot) as _,
        version: explained.then(|| snapshot.version()),
        generation: snapshot.generation(),
        readmit: Arc::new(move |class, url, via| readmit(&*by, class, url, via)),
    }
}
