//! Offers what an earlier session of a node knew to its fleet again: the servers acknowledge a write before it is on
//! their disks, and a node still has what all of them lose at once. The nodes that hold the URLs usually know them
//! already; then the offer has no effect.

use std::path::Path;

use super::commit_tracker::CommitTracker;
use super::start;
use harvestman_core::model::ScheduledUrl;
use harvestman_fleet::engine::Journal;
use harvestman_storage::store::Store;

/// The number of URLs that are offered at once.
const AT_ONCE: usize = 4_096;

/// Offers the URLs that waited, and removes them when the fleet has them. Blocks; until it has ended the node counts as
/// busy.
pub(super) fn hand_back(
    directory: &Path,
    journal: &dyn Journal,
    commits: &CommitTracker,
    runtime: &tokio::runtime::Handle,
) {
    if let Some(left) = start::left(directory) {
        match offer_all(&left, |urls| runtime.block_on(journal.commit(urls, Vec::new())).is_ok()) {
            Some(0) => {}
            Some(urls) => {
                tracing::info!(urls, "the URLs of an earlier session of this node were offered to the fleet again")
            }
            // It stays for the next session.
            None => return commits.handed_back(),
        }
        drop(left);
        start::forget(directory);
    }
    commits.handed_back();
}

/// Returns how many were offered; `None` if not all of them could be.
fn offer_all(left: &Store, mut offer: impl FnMut(Vec<ScheduledUrl>) -> bool) -> Option<u64> {
    let (mut urls, mut offered, mut all) = (Vec::new(), 0, true);
    let read = left.urls(
        |_, item| {
            urls.push(item);
            offered += 1;
            if urls.len() >= AT_ONCE {
                all = all && offer(std::mem::take(&mut urls));
            }
        },
        |_| {},
    );
    if let Err(error) = read {
        tracing::warn!(
            %error,
            "the state of an earlier session cannot be read; the fleet has it too, unless its servers lost it"
        );
    }
    all = all && (urls.is_empty() || offer(urls));
    all.then_some(offered)
}
