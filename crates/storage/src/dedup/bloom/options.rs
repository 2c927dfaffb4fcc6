//! The capacity and error rate of a set.

use super::shape::Shape;

/// Maximum number of layers; all of them together hold 65,535 times the planned number. The last layer has no limit.
pub(super) const LAYERS_MAX: usize = 16;

/// The planned size and error rate of a [`super::BloomSet`].
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
}
