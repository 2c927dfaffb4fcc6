//! The start of a node's session, in a directory of its own that may hold what earlier sessions left.

use std::path::Path;

use crate::error::Error;
use crate::operate::active_orders::ActiveOrders;
use crate::run::output::{self, DirectoryLock, SEEN_DIRECTORY, STATE_DIRECTORY};
use crate::run::resume::Start;
use harvestman_storage::archive;
use harvestman_storage::store::Store;

/// The directory of the state that an earlier session of this node left.
pub(super) const LEFT_DIRECTORY: &str = "state-left";

/// Prepares the directory. What a session knows comes from its fleet; the state of an earlier session is moved aside
/// for [`left`].
pub(super) fn start(directory: &Path) -> Result<Start, Error> {
    let (state, left) = (directory.join(STATE_DIRECTORY), directory.join(LEFT_DIRECTORY));
    if !state.is_dir() && !left.is_dir() {
        return Start::new_crawl(directory);
    }
    output::check_files(directory)?;
    let lock = DirectoryLock::take(directory)?;
    archive::repair_all(directory)?;
    let write = |source| Error::Write { path: directory.to_owned(), source };
    remove(&directory.join(SEEN_DIRECTORY)).map_err(write)?;
    if state.is_dir() && left.is_dir() {
        // What an even earlier session left was never handed back: the session after it began with what the fleet knew.
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

/// Returns the state that an earlier session left; `None` if there is none, or it cannot be read.
pub(super) fn left(directory: &Path) -> Option<Store> {
    let path = directory.join(LEFT_DIRECTORY);
    if !path.is_dir() {
        return None;
    }
    match Store::open(&path) {
        Ok(store) => Some(store),
        Err(error) => {
            tracing::warn!(
                %error,
                "the state of an earlier session cannot be read; the fleet has it too, unless its servers lost it"
            );
            None
        }
    }
}

/// Removes what an earlier session left: the fleet has it.
pub(super) fn forget(directory: &Path) {
    if let Err(error) = remove(&directory.join(LEFT_DIRECTORY)) {
        tracing::warn!(%error, "the state of an earlier session could not be removed");
    }
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
