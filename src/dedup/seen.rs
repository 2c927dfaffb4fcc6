//! The exact set of URLs seen.

use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashSet;
use parking_lot::Mutex;

use crate::url::Fingerprint;

/// Passes a fingerprint's low half through: it is a hash already.
#[derive(Debug, Default)]
struct Passed(u64);

impl Hasher for Passed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 ^= u64::from_le_bytes(word);
        }
    }

    fn write_u128(&mut self, fingerprint: u128) {
        self.0 = fingerprint as u64;
    }
}

type Shard = HashSet<u128, BuildHasherDefault<Passed>>;

/// A concurrent exact set of fingerprints: 16 bytes and the table's slack (about 20 to 35 bytes in all) an entry.
pub struct SeenSet {
    shards: Box<[Mutex<Shard>]>,
    len: AtomicU64,
}

impl SeenSet {
    /// An empty set of `shards` shards, rounded up to a power of two.
    pub fn new(shards: usize) -> Self {
        let shards = shards.clamp(1, 1 << 12).next_power_of_two();
        Self { shards: (0..shards).map(|_| Mutex::new(Shard::default())).collect(), len: AtomicU64::new(0) }
    }

    /// Adds a fingerprint; true if it was new. Of several callers with the same new fingerprint exactly one is told so
    /// (invariant DED-1).
    pub fn insert(&self, fingerprint: Fingerprint) -> bool {
        let new = self.shard(fingerprint).lock().insert(fingerprint.0);
        if new {
            self.len.fetch_add(1, Ordering::Relaxed);
        }
        new
    }

    /// Whether a fingerprint is there.
    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.shard(fingerprint).lock().contains(&fingerprint.0)
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// By the top bits, as the table uses the low ones.
    fn shard(&self, fingerprint: Fingerprint) -> &Mutex<Shard> {
        let top = (fingerprint.0 >> 64) as usize >> 7;
        &self.shards[top & (self.shards.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_answers_as_a_plain_set_does(
            inserts in prop::collection::vec(0_u128..64, 0..300),
            spread in any::<u64>(),
            shards in 1_usize..40,
        ) {
            let seen = SeenSet::new(shards);
            let mut twin = BTreeSet::new();
            for n in inserts {
                let fingerprint = Fingerprint(n.wrapping_mul(u128::from(spread) | 1 << 70));
                prop_assert_eq!(seen.contains(fingerprint), twin.contains(&fingerprint));
                prop_assert_eq!(seen.insert(fingerprint), twin.insert(fingerprint));
            }
            prop_assert_eq!(seen.len(), twin.len() as u64);
        }
    }

    #[test]
    fn of_many_threads_with_the_same_urls_each_url_is_new_to_one() {
        let seen = SeenSet::new(8);
        let new: u64 = std::thread::scope(|scope| {
            let count =
                || (0..10_000_u128).filter(|n| seen.insert(Fingerprint(n * 0x9E37_79B9_7F4A_7C15_F39C))).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap() as u64).sum()
        });
        assert_eq!((new, seen.len()), (10_000, 10_000));
    }
}
