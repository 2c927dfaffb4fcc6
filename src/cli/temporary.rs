//! Directories for crawls of which nothing is kept.

use std::path::{Path, PathBuf};

/// A directory below the system's directory for temporary files. It is removed when this is dropped.
#[derive(Debug)]
pub(super) struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    /// Names a directory for this process and purpose. The crawl creates it.
    pub(super) fn new(purpose: &str) -> Self {
        Self(std::env::temp_dir().join(format!("harvestman-{purpose}-{}", std::process::id())))
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // Remains in the temporary directory do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
