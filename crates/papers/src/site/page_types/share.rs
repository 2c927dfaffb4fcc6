//! A share of pages, as a threshold.

use serde::{Deserialize, Serialize};

/// A share between 0 and 1 as a threshold: the least number of `n` things that it asks for is `n` times the share,
/// rounded up, and at least 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Share(f64);

/// Part of one thing by which a product may exceed a whole number and still count as that number: 0.7 · 10 is more than
/// 7 in binary fractions.
const ROUNDING: f64 = 1e-9;

impl Share {
    /// All of them.
    pub const ALL: Self = Self(1.0);

    /// Creates a share. A number beyond 0 to 1 becomes the nearest of both; what is no number becomes 1.
    pub fn new(share: f64) -> Self {
        Self(if share.is_nan() { 1.0 } else { share.clamp(0.0, 1.0) })
    }

    /// Returns how many of `n` it asks for; 1 if `n` is 0, so that nothing never suffices.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of things in memory"
    )]
    pub fn of(self, n: usize) -> usize {
        ((n as f64 * self.0 - ROUNDING).ceil() as usize).max(1)
    }
}

impl Default for Share {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_up_and_asks_for_one_at_least() {
        let of = |share: f64| [0, 1, 3, 10].map(|n| Share::new(share).of(n));
        assert_eq!(of(1.0), [1, 1, 3, 10]);
        assert_eq!(of(0.7), [1, 1, 3, 7]);
        assert_eq!(of(0.0), [1, 1, 1, 1]);
        assert_eq!((of(7.0), of(-1.0), of(f64::NAN)), (of(1.0), of(0.0), of(1.0)));
    }
}
