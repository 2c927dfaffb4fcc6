//! What the set of URLs seen has cost, and where it was wrong.

use serde::{Deserialize, Serialize};

use harvestman_core::config::DedupStore;

/// The 97.5 % point of the normal distribution, for bounds that hold in 95 of 100 cases.
const BOUND: f64 = 1.96;

/// A count, or an estimate of one with bounds that hold in 95 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Estimate {
    /// The count.
    pub count: f64,
    /// The least that it may be.
    pub low: f64,
    /// The most that it may be.
    pub high: f64,
}

impl Estimate {
    /// What was counted.
    pub const fn exact(count: u64) -> Self {
        let count = count as f64;
        Self { count, low: count, high: count }
    }

    /// What is estimated where `found` were found among those of a sample of one in 2^`level`. The bounds are those of a Poisson
    /// distribution's mean, in Byar's approximation (Breslow and Day 1987, "Statistical methods in cancer research", volume 2,
    /// equation 2.13).
    pub fn of_sample(found: u64, level: u32) -> Self {
        if level == 0 {
            return Self::exact(found);
        }
        let times = 2_f64.powi(level as i32);
        let byar = |n: f64, side: f64| n * (1.0 - 1.0 / (9.0 * n) + side * BOUND / (3.0 * n.sqrt())).powi(3);
        let found = found as f64;
        let low = if found > 0.0 { byar(found, -1.0) } else { 0.0 };
        Self { count: found * times, low: low * times, high: byar(found + 1.0, 1.0) * times }
    }
}

/// URLs about which the Bloom filter was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FalsePositives {
    /// How many are expected, by how full it is.
    pub expected: f64,
    /// How many there were.
    pub measured: Estimate,
}

/// How full the Bloom filter is, as its number of URLs lets expect it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BloomStats {
    /// Share of the bits that are set.
    pub fill: f64,
    /// Share of the new URLs that it would take for known now.
    pub error: f64,
}

/// The set of URLs seen, in figures.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DedupStats {
    /// What keeps the URLs.
    pub store: DedupStore,
    /// URLs that were new.
    pub urls: u64,
    /// Bytes of memory: filter, exact set, sample.
    pub memory_bytes: u64,
    /// Bytes of files.
    pub disk_bytes: u64,
    /// The Bloom filter; none where there is none.
    pub bloom: Option<BloomStats>,
    /// New URLs that the Bloom filter took for known ones; none where there is no filter.
    pub false_positives: Option<FalsePositives>,
    /// Those of them that were dropped, as there is no exact set to know better.
    pub wrongly_dropped: FalsePositives,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_a_poisson_distribution() {
        // Exact bounds by its table: 10 found, 4.80 to 18.39; none found, at most 3.69.
        let ten = Estimate::of_sample(10, 1);
        assert!((ten.low / 2.0 - 4.80).abs() < 0.05 && (ten.high / 2.0 - 18.39).abs() < 0.05, "{ten:?}");
        let none = Estimate::of_sample(0, 1);
        assert!(none.count == 0.0 && none.low == 0.0 && (none.high / 2.0 - 3.69).abs() < 0.1, "{none:?}");
    }

    #[test]
    fn what_was_counted_has_no_bounds_but_itself() {
        assert_eq!(Estimate::of_sample(7, 0), Estimate { count: 7.0, low: 7.0, high: 7.0 });
    }
}
