//! Tables whose keys are hashes already.

use std::hash::{BuildHasherDefault, Hasher};

/// Passes a key through that is a 64-bit hash: to hash it once more would take longer than to find it.
pub(super) type Passed = BuildHasherDefault<PassedThrough>;

#[derive(Debug, Clone, Default)]
pub(super) struct PassedThrough(u64);

impl Hasher for PassedThrough {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        // Marks are kept in the lowest bits and in the highest one; a table looks at the lowest first, then at the highest.
        self.0 = hash.rotate_right(13);
    }
}
