//! The version numbers of published snapshots.

/// Numbers snapshots: a snapshot that follows an observation gets a new number.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Versions {
    version: u64,
    stale: bool,
}

impl Versions {
    /// Records an observation.
    pub fn outdate(&mut self) {
        self.stale = true;
    }

    /// The version of a snapshot that is made now.
    pub fn next(&mut self) -> u64 {
        self.version += u64::from(std::mem::take(&mut self.stale));
        self.version
    }
}
