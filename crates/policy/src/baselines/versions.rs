//! The count of published snapshots.

/// Numbers snapshots: one that follows an observation has a number of its own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Versions {
    version: u64,
    stale: bool,
}

impl Versions {
    /// Something was observed.
    pub fn outdate(&mut self) {
        self.stale = true;
    }

    /// The version of a snapshot that is made now.
    pub fn next(&mut self) -> u64 {
        self.version += u64::from(std::mem::take(&mut self.stale));
        self.version
    }
}
