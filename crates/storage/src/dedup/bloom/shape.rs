//! The capacity and error rate of a set, and the size of a layer that follows from them.

/// Maximum number of layers; all of them together hold 65,535 times the planned number. The last layer has no limit.
pub(super) const LAYERS_MAX: usize = 16;

/// The planned size and error rate of a [`super::set::BloomSet`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BloomOptions {
    /// The planned number of URLs, which fit into the first layer. More are accepted; each further layer costs one more
    /// look-up. At a rate of 0.001 the first layer takes about 2.2 bytes per planned URL, allocated at once (somewhat
    /// more below a million).
    pub planned: u64,
    /// The share of new URLs that may be reported as known, regardless of the number of URLs; between 10⁻⁷ and 0.5.
    pub false_positives: f64,
    /// The number of write locks, rounded up to a power of two; should be a few times the number of threads.
    pub shards: usize,
    /// The seed of the hashes; a child of the crawl's [`harvestman_core::seed::Seed`].
    pub seed: u64,
}

impl BloomOptions {
    const PLANNED: (u64, u64) = (64, 1 << 36);
    const RATES: (f64, f64) = (1e-7, 0.5);

    /// Returns the options clamped to their bounds. A rate of NaN becomes the minimum.
    pub(super) fn bounded(self) -> Self {
        Self {
            planned: self.planned.clamp(Self::PLANNED.0, Self::PLANNED.1),
            false_positives: self.false_positives.max(Self::RATES.0).min(Self::RATES.1),
            shards: self.shards.clamp(1, 1 << 12).next_power_of_two(),
            seed: self.seed,
        }
    }

    /// Returns the number of fingerprints that a layer is planned for.
    pub(super) fn capacity(&self, layer: usize) -> u64 {
        self.planned << layer
    }

    /// Returns the number of fingerprints that a shard may add to a layer. It includes a margin of four standard
    /// deviations because fingerprints are distributed randomly over the shards, and no shard should move on to the
    /// next layer before the planned number is reached.
    pub(super) fn share(&self, layer: usize) -> u64 {
        let even = self.capacity(layer).div_ceil(self.shards as u64);
        if self.shards > 1 { even + 4 * even.isqrt() } else { even }
    }

    /// Returns the size of a layer, large enough that its rate holds when all shards have filled their shares.
    pub(super) fn shape(&self, layer: usize) -> Shape {
        Shape::new(self.share(layer) * self.shards as u64, self.rate(layer), self.shards)
    }

    /// Returns the maximum error rate of a layer when it is full. The rates of all layers add up to less than the total
    /// rate.
    pub(super) fn rate(&self, layer: usize) -> f64 {
        self.false_positives / (2_u64 << layer) as f64
    }
}

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
    fn options_out_of_bounds_are_clamped() {
        let wild = BloomOptions { planned: 0, false_positives: f64::NAN, shards: 0, seed: 3 };
        assert_eq!(wild.bounded(), BloomOptions { planned: 64, false_positives: 1e-7, shards: 1, seed: 3 });
        let wild = BloomOptions { planned: u64::MAX, false_positives: 7.0, shards: usize::MAX, seed: 3 };
        assert_eq!(wild.bounded(), BloomOptions { planned: 1 << 36, false_positives: 0.5, shards: 4096, seed: 3 });
    }

    #[test]
    fn the_rates_of_all_layers_add_up_to_less_than_the_total() {
        let options = BloomOptions { planned: 100, false_positives: 0.01, shards: 1, seed: 0 };
        let sum: f64 = (0..super::LAYERS_MAX).map(|layer| options.rate(layer)).sum();
        assert!(sum < 0.01 && sum > 0.0099, "{sum}");
    }

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
