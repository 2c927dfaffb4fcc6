//! What an earlier session of a node knew is offered to its fleet once more: the servers say that something is kept before it is on their
//! disks, and what all of them lose at once a node still has. Those who hold the URLs mostly know them, and nothing comes of it.

use std::path::Path;

use super::commit_tracker::CommitTracker;
use super::start;
use harvestman_core::model::ScheduledUrl;
use harvestman_fleet::engine::Journal;
use harvestman_storage::store::Store;

/// URLs that are offered at once.
const AT_ONCE: usize = 4_096;

/// Offers what waited, and removes it when the fleet has it. Blocks; until it has ended the node counts as busy.
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
                tracing::info!(urls, "what this node knew from an earlier session was offered to the fleet again")
            }
            // It stays for the next session.
            None => return commits.handed_back(),
        }
        drop(left);
        start::forget(directory);
    }
    commits.handed_back();
}

/// How many were offered; none where not all of them could be.
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
        tracing::warn!(%error, "what this node knew before cannot be read; the fleet knows it too, unless its servers lost it");
    }
    all = all && (urls.is_empty() || offer(urls));
    all.then_some(offered)
}
