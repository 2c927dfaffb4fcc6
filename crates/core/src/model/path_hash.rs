//! Texts and paths as numbers.
//!
//! A path is one 64-bit hash: the hash of the path above, mixed with the *word* (a 64-bit code) of its last step.
//! Apaths, leaf paths and URL patterns are such hashes. They are persisted (in site models and the frontier) and are
//! the same on every platform: **any change here invalidates existing models.**

const LEFT: u64 = 0x9e37_79b9_7f4a_7c15;
const RIGHT: u64 = 0xd6e8_feb8_6659_fd93;

/// Returns the path of the step `word` below `above`: a folded multiplication, the strongest mixer for the price of one
/// multiplication.
#[inline]
pub const fn step(above: u64, word: u64) -> u64 {
    let product = (above ^ LEFT) as u128 * (word ^ RIGHT) as u128;
    (product as u64) ^ ((product >> 64) as u64)
}

/// Returns a hash of `bytes`, computed from eight bytes at a time.
pub const fn fold(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = step(hash, pack(bytes, at));
        at += 8;
    }
    hash
}

/// Computes [`fold`] at run time, faster, by reading whole words.
#[inline]
pub fn fold_run(bytes: &[u8]) -> u64 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let hash = eights.iter().fold(bytes.len() as u64, |hash, eight| step(hash, u64::from_le_bytes(*eight)));
    if rest.is_empty() {
        return hash;
    }
    let last = rest.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b));
    step(hash, last)
}

/// Returns up to eight bytes from `at` as a little-endian number.
pub const fn pack(bytes: &[u8], at: usize) -> u64 {
    let mut word = 0;
    let mut i = 0;
    while i < 8 && at + i < bytes.len() {
        word |= (bytes[at + i] as u64) << (8 * i);
        i += 1;
    }
    word
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_ways_to_fold_give_the_same(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(fold(&bytes), fold_run(&bytes));
        }
    }
}
