//! Hash tables whose keys are hashes already.

use std::hash::{BuildHasherDefault, Hasher};

/// Uses a 64-bit hash as it is: hashing it again would take longer than the look-up.
pub(super) type IdentityHash = BuildHasherDefault<IdentityHasher>;

#[derive(Debug, Clone, Default)]
pub(super) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        // Flags are in the lowest bits and in the highest one, and a table uses the lowest bits first, then the
        // highest.
        self.0 = hash.rotate_right(13);
    }
}
