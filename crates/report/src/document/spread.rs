//! How a length of time is spread, in a bounded number of counts: the least exactly, quantiles to a sixteenth.
//!
//! Counts are kept for ranges that double every sixteen, as in HDR histograms: what falls into a range is known to 1/16 of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

/// Ranges between a length and its double, as a power of two.
const SUB_BITS: u32 = 4;

/// Counts lengths of time by their microseconds. At most some 960 counts, whatever is added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spread {
    counts: BTreeMap<u16, u64>,
    total: u64,
    least: Option<u64>,
}

impl Spread {
    /// Adds one.
    pub fn add(&mut self, length: Duration) {
        let micros = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
        *self.counts.entry(range_of(micros)).or_default() += 1;
        self.total += 1;
        self.least = Some(self.least.map_or(micros, |least| least.min(micros)));
    }

    /// How many were added.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The least, exactly.
    pub fn least(&self) -> Option<Duration> {
        self.least.map(Duration::from_micros)
    }

    /// The length that `share` of all (0 to 1) do not exceed, to a sixteenth: the middle of its range.
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

/// Milliseconds of a length of time, for documents.
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
    // Of the bits behind the first the next four tell the range within its octave.
    ((u64::from(above) << SUB_BITS) + (micros >> above)) as u16
}

/// The least length of a range.
fn bound(range: u16) -> u64 {
    let (octave, within) = (range >> SUB_BITS, u64::from(range & ((1 << SUB_BITS) - 1)));
    if octave == 0 {
        return within;
    }
    // What lies behind the last range is beyond 64 bits.
    let bound = u128::from((1 << SUB_BITS) + within).checked_shl(u32::from(octave) - 1);
    bound.and_then(|bound| u64::try_from(bound).ok()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_length_lies_in_its_range() {
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
            let (exact, told) = (lengths[rank - 1] as f64, spread.quantile(share).unwrap().as_micros() as f64);
            prop_assert!((told - exact).abs() <= exact / 16.0 + 1.0, "{} for {}", told, exact);
            prop_assert_eq!(spread.least(), Some(Duration::from_micros(lengths[0])));
            prop_assert_eq!(spread.count(), lengths.len() as u64);
        }
    }

    #[test]
    fn nothing_has_no_middle() {
        assert_eq!((Spread::default().quantile(0.5), Spread::default().least()), (None, None));
    }
}
