//! Estimates of how often the set is wrong, derived from its fill.

use super::BloomSet;
use super::shape::Shape;

/// Number of intervals for the numerical integration over a layer's fill; must be even. With 32 the error is below
/// 0.001.
const PIECES: u32 = 32;

impl BloomSet {
    /// Returns the current expected false-positive rate: the share of new fingerprints that would be reported as known.
    /// It is based on the fingerprints that were reported as new. Where many were not, as at rates above 0.1, it is
    /// somewhat low.
    pub fn expected_false_positive_rate(&self) -> f64 {
        let full = self.layers().enumerate().map(|(index, layer)| layer.shape().rate(self.inserted(index) as f64));
        let right = full.map(|rate| 1.0 - rate);
        1.0 - right.product::<f64>()
    }

    /// Returns the expected share of set bits over all layers, based on the number of fingerprints in each layer.
    pub fn expected_fill(&self) -> f64 {
        let (mut set, mut all) = (0.0, 0.0);
        for (index, layer) in self.layers().enumerate() {
            let bits = layer.shape().bits();
            all += bits;
            set += bits * layer.shape().fill(self.inserted(index) as f64);
        }
        set / all
    }

    /// Returns the expected number of false positives so far: new fingerprints that were reported as known, each
    /// counted once. These are the URLs that the crawl has lost.
    ///
    /// For each fingerprint reported as new at a rate p, p / (1 − p) others are expected to have been lost. The sum
    /// over all new fingerprints depends only on their number, so it is computed on demand, in about a millisecond. It
    /// needs no synchronisation and is neither saved nor restored.
    pub fn expected_false_positives(&self) -> f64 {
        let (mut sum, mut right) = (0.0, 1.0);
        for (index, layer) in self.layers().enumerate() {
            let (shape, inserted) = (layer.shape(), self.inserted(index) as f64);
            sum += lost(shape, inserted, right);
            right *= 1.0 - shape.rate(inserted);
        }
        sum
    }
}

/// Returns the expected number of fingerprints lost while a layer filled up, by Simpson's rule. `right` is the share of
/// new fingerprints that the previous layers report correctly.
fn lost(shape: Shape, inserted: f64, right: f64) -> f64 {
    let step = inserted / f64::from(PIECES);
    let odds = |piece: u32| 1.0 / (right * (1.0 - shape.rate(f64::from(piece) * step))).max(f64::EPSILON) - 1.0;
    let weight = |piece| if piece == 0 || piece == PIECES { 1.0 } else { 2.0 + 2.0 * f64::from(piece % 2) };
    (0..=PIECES).map(|piece| weight(piece) * odds(piece)).sum::<f64>() * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::super::BloomOptions;
    use super::*;
    use harvestman_core::url::Fingerprint;

    #[test]
    fn the_expected_fill_matches_the_set_bits_of_all_layers() {
        let options = BloomOptions { planned: 20_000, false_positives: 0.01, shards: 4, seed: 3 };
        let set = BloomSet::new(&options);
        assert_eq!(set.expected_fill(), 0.0);
        let mut mixed = 7_u128;
        for urls in [5_000, 15_000, 30_000] {
            while set.len() < urls {
                mixed = mixed.wrapping_mul(0x2d99_7879_26d4_6932_a4c1_f326_8d35_0001).wrapping_add(99);
                set.insert(Fingerprint(mixed ^ (mixed >> 64)));
            }
            let words = set.layers().flat_map(|layer| layer.blocks().iter().flat_map(|block| block.words()));
            let (ones, bits) = words.fold((0, 0), |(ones, bits), word| (ones + word.count_ones(), bits + 64));
            let counted = f64::from(ones) / f64::from(bits);
            assert!((set.expected_fill() - counted).abs() < 0.01, "{urls}: {} and {counted}", set.expected_fill());
        }
    }

    #[test]
    fn expected_losses_are_the_sum_over_all_new_fingerprints() {
        for (inserted, right) in [(1_u32, 1.0), (100, 0.9), (2_000, 1.0), (5_000, 0.999)] {
            let shape = Shape { blocks: 64, probes: 8 };
            let odds = |before: u32| 1.0 / (right * (1.0 - shape.rate(f64::from(before) + 0.5))) - 1.0;
            let sum: f64 = (0..inserted).map(odds).sum();
            let made = lost(shape, f64::from(inserted), right);
            assert!((made - sum).abs() <= 0.002 * sum + 1e-9, "{inserted}: {made} for {sum}");
        }
    }
}
