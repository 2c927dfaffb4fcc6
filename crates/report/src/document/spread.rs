//! The distribution of durations in a bounded number of counts: the minimum exactly, quantiles to 1/16 of their value.
//!
//! The width of the counted ranges doubles every sixteen, as in HDR histograms: a value is known to 1/16 of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

/// The number of ranges between a value and its double, as a power of two.
const SUB_BITS: u32 = 4;

/// Counts durations by their microseconds, in at most about 960 counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spread {
    counts: BTreeMap<u16, u64>,
    total: u64,
    least: Option<u64>,
}

impl Spread {
    /// Adds a duration.
    pub fn add(&mut self, length: Duration) {
        let micros = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
        *self.counts.entry(range_of(micros)).or_default() += 1;
        self.total += 1;
        self.least = Some(self.least.map_or(micros, |least| least.min(micros)));
    }

    /// Returns the number of durations added.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Returns the exact minimum.
    pub fn least(&self) -> Option<Duration> {
        self.least.map(Duration::from_micros)
    }

    /// Returns the `share` quantile (0 to 1), to 1/16 of its value: the middle of its range.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a rank among counts")]
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut below = 0;
        let range = self.counts.iter().find_map(|(range, count)| {
            below += count;
            (below >= rank).then_some(*range)
        })?;
        let middle = bound(range).midpoint(bound(range + 1).saturating_sub(1));
        Some(Duration::from_micros(middle.max(self.least.unwrap_or(0))))
    }
}

/// A duration in milliseconds, in documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Millis(pub f64);

impl From<Duration> for Millis {
    fn from(length: Duration) -> Self {
        Self((length.as_secs_f64() * 1e6).round() / 1e3)
    }
}

fn range_of(micros: u64) -> u16 {
    let Some(above) = (u64::BITS - micros.leading_zeros()).checked_sub(SUB_BITS + 1) else { return micros as u16 };
    // The four bits after the highest select the range within its octave.
    ((u64::from(above) << SUB_BITS) + (micros >> above)) as u16
}

/// Returns the lower bound of a range.
fn bound(range: u16) -> u64 {
    let (octave, within) = (range >> SUB_BITS, u64::from(range & ((1 << SUB_BITS) - 1)));
    if octave == 0 {
        return within;
    }
    // The bound after the last range does not fit into 64 bits.
    let bound = u128::from((1 << SUB_BITS) + within).checked_shl(u32::from(octave) - 1);
    bound.and_then(|bound| u64::try_from(bound).ok()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_duration_is_in_its_range() {
        let lengths =
            (0..200).chain((5..63).flat_map(|bits| [(1 << bits) - 1, 1 << bits, (1 << bits) + (1 << bits) / 3]));
        for micros in lengths {
            let range = range_of(micros);
            assert!(bound(range) <= micros && micros < bound(range + 1), "{micros} in {range}");
        }
        assert!(range_of(u64::MAX) < 1_000);
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_lengths_to_a_sixteenth(
            mut lengths in prop::collection::vec(0u64..1 << 40, 1..200), share in 0.0f64..=1.0,
        ) {
            let mut spread = Spread::default();
            lengths.iter().for_each(|length| spread.add(Duration::from_micros(*length)));
            lengths.sort_unstable();
            let rank = ((lengths.len() as f64 * share).ceil() as usize).max(1);
            let (exact, found) = (lengths[rank - 1] as f64, spread.quantile(share).unwrap().as_micros() as f64);
            prop_assert!((found - exact).abs() <= exact / 16.0 + 1.0, "{} for {}", found, exact);
            prop_assert_eq!(spread.least(), Some(Duration::from_micros(lengths[0])));
            prop_assert_eq!(spread.count(), lengths.len() as u64);
        }
    }

    #[test]
    fn an_empty_distribution_has_no_quantiles() {
        assert_eq!((Spread::default().quantile(0.5), Spread::default().least()), (None, None));
    }
}
