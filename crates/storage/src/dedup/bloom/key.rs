//! The positions of a fingerprint's bits in a layer.

use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;

/// 2⁶⁴ divided by the golden ratio, the multiplier of Fibonacci hashing (Knuth, volume 3, section 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Derives keys from fingerprints with a seed.
pub(super) struct Keys {
    salts: [u64; 4],
}

/// Two seeded hashes of a fingerprint. Fingerprints are hashes already, but with the seed nobody outside can predict
/// which URLs share bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    place: u64,
    bits: u64,
}

impl Keys {
    pub(super) fn new(seed: u64) -> Self {
        Self { salts: std::array::from_fn(|index| Seed(seed).nth(index as u64).0) }
    }

    pub(super) fn of(&self, fingerprint: Fingerprint) -> Key {
        let (low, high) = (fingerprint.0 as u64, (fingerprint.0 >> 64) as u64);
        let [a, b, c, d] = self.salts;
        Key { place: folded(low ^ a, high ^ b), bits: folded(low ^ c, high ^ d) }
    }
}

impl Key {
    /// Returns the key's index in an array of `count` elements, by the top bits. If `many` is a multiple of `few`, the
    /// index among `few` elements is the index among `many` divided by `many / few`.
    pub(super) fn place(self, count: usize) -> usize {
        ((u128::from(self.place) * count as u128) >> 64) as usize
    }

    /// Returns the key's bits in a block as `probes` pairs of word index and bit mask.
    pub(super) fn probes(self, probes: u32) -> impl Iterator<Item = (usize, u64)> {
        let mut state = self.bits;
        (0..probes).map(move |_| {
            state = state.wrapping_mul(GOLDEN);
            ((state >> 61) as usize, 1 << ((state >> 55) & 63))
        })
    }
}

/// Multiplies to 128 bits and XORs both halves of the product.
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shard_index_is_the_block_index_divided() {
        let keys = Keys::new(5);
        for n in 0..1_000_u32 {
            let key = keys.of(Fingerprint::of(&n.to_string()));
            assert_eq!(key.place(16), key.place(16 * 37) / 37);
        }
    }

    #[test]
    fn different_seeds_give_different_places_and_bits() {
        let fingerprint = Fingerprint::of("https://example.org/");
        let (one, two) = (Keys::new(1).of(fingerprint), Keys::new(2).of(fingerprint));
        assert!(one.place != two.place && one.bits != two.bits);
        assert_eq!(one, Keys::new(1).of(fingerprint));
    }
}
