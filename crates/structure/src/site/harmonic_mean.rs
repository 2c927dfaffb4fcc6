//! The harmonic mean, by which xCrawl combines weights.

/// Returns the harmonic mean of two weights: near the smaller one, and 0 if one of them is 0 or less, or NaN.
pub fn harmonic_mean(one: f64, other: f64) -> f64 {
    if one > 0.0 && other > 0.0 { 2.0 * one * other / (one + other) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_two_divided_by_the_sum_of_the_inverses() {
        assert!((harmonic_mean(0.5, 0.25) - 2.0 / (2.0 + 4.0)).abs() < 1e-15);
        assert_eq!(harmonic_mean(0.7, 0.7), 0.7);
    }

    #[test]
    fn without_one_of_the_weights_it_is_zero() {
        assert_eq!([harmonic_mean(0.0, 1.0), harmonic_mean(0.0, 0.0), harmonic_mean(f64::NAN, 1.0)], [0.0; 3]);
    }
}
