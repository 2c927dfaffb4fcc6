//! Where a session of a node begins: in a directory of its own that may hold what earlier sessions left.

use std::path::Path;

use crate::Error;
use crate::active_orders::ActiveOrders;
use crate::output::{self, DirectoryLock, SEEN_DIRECTORY, STATE_DIRECTORY};
use crate::resume::Start;
use harvestman_storage::archive;
use harvestman_storage::store::Store;

/// What an earlier session of this node left of its state.
pub(super) const LEFT_DIRECTORY: &str = "state-left";

/// Makes the directory ready. What a session knows comes from its fleet; the state of an earlier session is set aside, for
/// [`left`] to look at.
pub(super) fn start(directory: &Path) -> Result<Start, Error> {
    let (state, left) = (directory.join(STATE_DIRECTORY), directory.join(LEFT_DIRECTORY));
    if !state.is_dir() && !left.is_dir() {
        return Start::anew(directory);
    }
    let lock = DirectoryLock::take(directory)?;
    archive::repair_all(directory)?;
    let write = |source| Error::Write { path: directory.to_owned(), source };
    remove(&directory.join(SEEN_DIRECTORY)).map_err(write)?;
    if state.is_dir() && left.is_dir() {
        // What an even earlier session left was never handed back: what came after it was begun with what the fleet knew.
        remove(&left).map_err(write)?;
    }
    if state.is_dir() {
        std::fs::rename(&state, &left).map_err(write)?;
    }
    // The fleet's orders hold, and none that this node persisted.
    ActiveOrders::forget(directory).map_err(write)?;
    output::set_session_report_aside(directory);
    Ok(Start { lock, left: None })
}

/// The state that an earlier session left; none where there is none, or none that can be read.
pub(super) fn left(directory: &Path) -> Option<Store> {
    let path = directory.join(LEFT_DIRECTORY);
    if !path.is_dir() {
        return None;
    }
    match Store::open(&path) {
        Ok(store) => Some(store),
        Err(error) => {
            tracing::warn!(%error, "what this node knew before cannot be read; the fleet knows it too, unless its servers lost it");
            None
        }
    }
}

/// Removes what an earlier session left: the fleet has it.
pub(super) fn forget(directory: &Path) {
    if let Err(error) = remove(&directory.join(LEFT_DIRECTORY)) {
        tracing::warn!(%error, "what this node knew before stays on the disk");
    }
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
