//! The size of a layer, and its false-positive rate.

/// Bits per block. A block is a cache line.
const BLOCK_BITS: f64 = 512.0;
/// Maximum number of bits per fingerprint.
const PROBES_MAX: u32 = 32;
/// Number of fingerprints per block above which the weights of the Poisson distribution underflow. Blocks that full
/// differ little from one another.
const LOAD_MAX: f64 = 512.0;

/// The dimensions of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Number of blocks of 512 bits; a multiple of the number of shards.
    pub(super) blocks: u64,
    /// Bits per fingerprint.
    pub(super) probes: u32,
}

impl Shape {
    /// Returns the smallest shape for `capacity` fingerprints with a false-positive rate of at most `rate`.
    pub(super) fn new(capacity: u64, rate: f64, shards: usize) -> Self {
        let (load, probes) = best(rate);
        let blocks = (capacity as f64 / load).ceil() as u64;
        Self { blocks: blocks.max(1).next_multiple_of(shards as u64), probes }
    }

    /// Returns whether numbers read from a file are a valid shape.
    pub(super) fn is_sound(self, shards: usize) -> bool {
        self.blocks > 0 && self.blocks.is_multiple_of(shards as u64) && (1..=PROBES_MAX).contains(&self.probes)
    }

    /// Returns the total number of bits.
    pub(super) const fn bits(self) -> f64 {
        self.blocks as f64 * BLOCK_BITS
    }

    /// Returns the expected share of set bits in a layer with `inserted` fingerprints. Each probe leaves a bit unset
    /// with the same probability.
    pub(super) fn fill(self, inserted: f64) -> f64 {
        1.0 - (-inserted * f64::from(self.probes) / self.bits()).exp()
    }

    /// Returns the false-positive rate of a layer with `inserted` fingerprints.
    pub(super) fn rate(self, inserted: f64) -> f64 {
        rate(inserted / self.blocks as f64, self.probes)
    }
}

/// Returns the maximum average number of fingerprints per block for a rate, and the number of probes that achieves it.
/// More probes help up to an optimum and harm beyond it.
fn best(rate: f64) -> (f64, u32) {
    let mut best = (load(rate, 1), 1);
    for probes in 2..=PROBES_MAX {
        let load = load(rate, probes);
        if load < best.0 {
            break;
        }
        best = (load, probes);
    }
    best
}

/// Returns the maximum average number of fingerprints per block at which the rate does not exceed `limit`. The upper
/// bound of the search is the load of a filter without blocks: n such that (1 − e^(−probes·n/512))^probes equals the
/// limit.
fn load(limit: f64, probes: u32) -> f64 {
    let undivided = -(-limit.powf(1.0 / f64::from(probes))).ln_1p() * BLOCK_BITS / f64::from(probes);
    let (mut low, mut high) = (0.0, undivided.min(LOAD_MAX));
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        *(if rate(middle, probes) <= limit { &mut low } else { &mut high }) = middle;
    }
    low
}

/// Returns the rate of a blocked filter (Putze et al., equation 3): the rate of a block with a given number of
/// fingerprints, weighted by the Poisson distribution of that number over the blocks.
fn rate(load: f64, probes: u32) -> f64 {
    if load > LOAD_MAX {
        return block_rate(load, probes);
    }
    let (mut weight, mut sum, mut held) = ((-load).exp(), 0.0, 0.0);
    while held <= load + 12.0 * load.sqrt() + 24.0 {
        sum += weight * block_rate(held, probes);
        held += 1.0;
        weight *= load / held;
    }
    sum
}

/// Returns the rate of one block: the probability that all probes hit set bits. The share of set bits varies, which
/// matters because it is raised to the power of `probes`; hence the second term with its variance (that of occupied
/// cells, Feller, volume 1, section IV.2).
fn block_rate(held: f64, probes: u32) -> f64 {
    if held == 0.0 {
        return 0.0;
    }
    let (throws, probes) = (held * f64::from(probes), f64::from(probes));
    let free = (throws * (-1.0 / BLOCK_BITS).ln_1p()).exp();
    let both_free = (throws * (-2.0 / BLOCK_BITS).ln_1p()).exp();
    let (set, variance) = (1.0 - free, (both_free - free * free) + (free - both_free) / BLOCK_BITS);
    let spread = 1.0 + 0.5 * probes * (probes - 1.0) * variance / (set * set);
    (set.powf(probes) * spread).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_a_block_matches_balls_in_cells() {
        // One fingerprint of one bit; then two bits, computed by hand: the first two throws collide with probability
        // 1/512.
        assert!((block_rate(1.0, 1) - 1.0 / 512.0).abs() < 1e-12);
        let (one, two) = (1.0 / 512.0_f64, 2.0 / 512.0_f64);
        let by_hand = one.powi(2) * one + two.powi(2) * (1.0 - one);
        assert!((block_rate(1.0, 2) / by_hand - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_shape_meets_its_rate_with_little_waste() {
        for (rate, bits_max) in [(0.1, 5.5), (0.01, 11.0), (0.001, 17.5), (1e-4, 25.0), (1e-6, 45.0)] {
            let shape = Shape::new(1_000_000, rate, 64);
            let bits = shape.blocks as f64 * BLOCK_BITS / 1e6;
            assert!(shape.rate(1e6) <= rate && shape.rate(1.02e6) > rate, "{rate}: {shape:?}");
            assert!(bits < bits_max, "{rate}: {bits} bits per fingerprint, {} probes", shape.probes);
        }
    }

    #[test]
    fn the_rate_grows_with_the_contents_and_never_exceeds_one() {
        let shape = Shape { blocks: 10, probes: 9 };
        let rates: Vec<f64> = (0..2_000).map(|step| shape.rate(f64::from(step * step))).collect();
        assert_eq!(rates[0], 0.0);
        assert!(rates.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9));
        assert!(rates.iter().all(|rate| *rate <= 1.0) && rates[1_999] > 0.999);
    }

    #[test]
    fn the_number_of_blocks_is_a_multiple_of_the_number_of_shards() {
        for capacity in [1, 64, 1_000, 123_457] {
            let shape = Shape::new(capacity, 0.001, 16);
            assert!(shape.is_sound(16), "{shape:?}");
        }
        assert!(!Shape { blocks: 17, probes: 4 }.is_sound(16));
        assert!(!Shape { blocks: 0, probes: 4 }.is_sound(16));
        assert!(!Shape { blocks: 16, probes: 33 }.is_sound(16));
    }
}
