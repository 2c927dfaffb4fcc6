//! What a set is made for.

use super::shape::Shape;

/// Number of layers at most; all of them together hold 65,535 times what was planned. The last one accepts everything.
pub(super) const LAYERS_MAX: usize = 16;

/// How large a [`super::BloomSet`] is planned and how often it may be wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BloomOptions {
    /// URLs it is planned for: so many fit into its first layer. More may come; each further layer costs one more look-up.
    /// At 0.001 the first layer takes about 2.2 bytes a planned URL, at once (somewhat more below a million).
    pub planned: u64,
    /// The share of new URLs that may be taken for known ones, however many come; between 10⁻⁷ and 0.5.
    pub false_positives: f64,
    /// Locks for those who add, rounded up to a power of two; a few times the number of threads.
    pub shards: usize,
    /// What the hashes start from; a child of the crawl's [`harvestman_core::seed::Seed`].
    pub seed: u64,
}

impl BloomOptions {
    const PLANNED: (u64, u64) = (64, 1 << 36);
    const RATES: (f64, f64) = (1e-7, 0.5);

    /// The same within the bounds of each option. A rate that is not a number becomes the least one.
    pub(super) fn bounded(self) -> Self {
        Self {
            planned: self.planned.clamp(Self::PLANNED.0, Self::PLANNED.1),
            false_positives: self.false_positives.max(Self::RATES.0).min(Self::RATES.1),
            shards: self.shards.clamp(1, 1 << 12).next_power_of_two(),
            seed: self.seed,
        }
    }

    /// Fingerprints that the layer of this number is for.
    pub(super) fn capacity(&self, layer: usize) -> u64 {
        self.planned << layer
    }

    /// Fingerprints that a shard's share of this layer is for: with four standard deviations to spare, as fingerprints fall on shards by
    /// chance, and none is to go on to the next layer before as many have come as were planned for.
    pub(super) fn share(&self, layer: usize) -> u64 {
        let even = self.capacity(layer).div_ceil(self.shards as u64);
        if self.shards > 1 { even + 4 * even.isqrt() } else { even }
    }

    /// The size of this layer: so large that its rate is kept when all shards have filled their shares.
    pub(super) fn shape(&self, layer: usize) -> Shape {
        Shape::new(self.share(layer) * self.shards as u64, self.rate(layer), self.shards)
    }

    /// The rate that this layer may have when it is full. All of them sum up to less than the whole.
    pub(super) fn rate(&self, layer: usize) -> f64 {
        self.false_positives / (2_u64 << layer) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_out_of_bounds_are_brought_within() {
        let wild = BloomOptions { planned: 0, false_positives: f64::NAN, shards: 0, seed: 3 };
        assert_eq!(wild.bounded(), BloomOptions { planned: 64, false_positives: 1e-7, shards: 1, seed: 3 });
        let wild = BloomOptions { planned: u64::MAX, false_positives: 7.0, shards: usize::MAX, seed: 3 };
        assert_eq!(wild.bounded(), BloomOptions { planned: 1 << 36, false_positives: 0.5, shards: 4096, seed: 3 });
    }

    #[test]
    fn the_rates_of_all_layers_sum_up_to_less_than_the_whole() {
        let options = BloomOptions { planned: 100, false_positives: 0.01, shards: 1, seed: 0 };
        let sum: f64 = (0..super::LAYERS_MAX).map(|layer| options.rate(layer)).sum();
        assert!(sum < 0.01 && sum > 0.0099, "{sum}");
    }
}
