//! The spread of a measure over runs that differ only in their seed.

/// Mean and spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Number of values.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, estimated from a sample (n − 1); 0 for one value.
    pub deviation: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
}

impl Spread {
    /// Computes the spread of `values`; `None` if there are none.
    #[expect(clippy::cast_precision_loss, reason = "counts of runs")]
    pub fn of(values: &[f64]) -> Option<Self> {
        let (first, count) = (*values.first()?, values.len() as f64);
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            count: values.len() as u64,
            mean,
            deviation: if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 },
            min: values.iter().copied().fold(first, f64::min),
            max: values.iter().copied().fold(first, f64::max),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_spread_matches_the_textbook() {
        let spread = Spread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((spread.count, spread.mean, spread.min, spread.max), (8, 5.0, 2.0, 9.0));
        assert!((spread.deviation - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[3.0]).unwrap().deviation, 0.0);
        assert_eq!(Spread::of(&[0.25; 9]).unwrap().deviation, 0.0);
    }

    proptest! {
        #[test]
        fn a_shift_moves_the_mean_and_nothing_else(
            values in prop::collection::vec(-100.0_f64..100.0, 1..30), shift in -50.0_f64..50.0,
        ) {
            let (spread, moved) = (Spread::of(&values).unwrap(), values.iter().map(|v| v + shift).collect::<Vec<_>>());
            let moved = Spread::of(&moved).unwrap();
            prop_assert!((spread.mean + shift - moved.mean).abs() < 1e-9);
            prop_assert!((spread.deviation - moved.deviation).abs() < 1e-6);
            prop_assert!(spread.min <= spread.mean + 1e-9 && spread.mean <= spread.max + 1e-9);
        }
    }
}
