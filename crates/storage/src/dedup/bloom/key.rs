//! Where in a layer the bits of a fingerprint are.

use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;

/// 2⁶⁴ divided by the golden ratio, the multiplier of Fibonacci hashing (Knuth, volume 3, section 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Makes keys of fingerprints, with a seed.
pub(super) struct Keys {
    salts: [u64; 4],
}

/// Two hashes of a fingerprint: it is one already, but who knows it must not know which URLs share their bits.
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
    /// Its place in a row of `count`, by the top bits: where `many` is a multiple of `few`, the place in a row of `few`
    /// is the place in a row of `many` divided by `many / few`.
    pub(super) fn place(self, count: usize) -> usize {
        ((u128::from(self.place) * count as u128) >> 64) as usize
    }

    /// Its bits in a block: `probes` times the word and the bit in it.
    pub(super) fn probes(self, probes: u32) -> impl Iterator<Item = (usize, u64)> {
        let mut state = self.bits;
        (0..probes).map(move |_| {
            state = state.wrapping_mul(GOLDEN);
            ((state >> 61) as usize, 1 << ((state >> 55) & 63))
        })
    }
}

/// Both halves of the whole product.
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_among_shards_is_the_place_among_blocks_divided() {
        let keys = Keys::new(5);
        for n in 0..1_000_u32 {
            let key = keys.of(Fingerprint::of(&n.to_string()));
            assert_eq!(key.place(16), key.place(16 * 37) / 37);
        }
    }

    #[test]
    fn seeds_give_other_places_and_other_bits() {
        let fingerprint = Fingerprint::of("https://example.org/");
        let (one, two) = (Keys::new(1).of(fingerprint), Keys::new(2).of(fingerprint));
        assert!(one.place != two.place && one.bits != two.bits);
        assert_eq!(one, Keys::new(1).of(fingerprint));
    }
}
