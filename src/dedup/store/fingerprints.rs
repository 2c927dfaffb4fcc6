//! A plain set of fingerprints in memory.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashSet;

use crate::seed::Seed;

/// Fingerprints in memory: 17 bytes a place, of which 7/16 to 7/8 are taken.
pub(super) type Fingerprints = HashSet<u128, Salted>;

/// Hashes fingerprints with a seed. They are hashes already, but everybody knows of what: who chose URLs whose fingerprints agree in
/// the bits that a table goes by would make it slow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Salted([u64; 2]);

impl Salted {
    pub(super) fn new(seed: Seed) -> Self {
        Self([seed.nth(0).0, seed.nth(1).0])
    }
}

impl BuildHasher for Salted {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded { salts: self.0, hash: 0 }
    }
}

/// Both halves of the product of a fingerprint's halves.
pub(super) struct Folded {
    salts: [u64; 2],
    hash: u64,
}

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.hash
    }

    /// Not the way of a `u128`, but right for whatever comes.
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u128(u128::from(self.hash) << 8 | u128::from(*byte));
        }
    }

    fn write_u128(&mut self, fingerprint: u128) {
        let [low, high] = self.salts;
        let product = u128::from(fingerprint as u64 ^ low) * u128::from((fingerprint >> 64) as u64 ^ high);
        self.hash = product as u64 ^ (product >> 64) as u64;
    }
}
