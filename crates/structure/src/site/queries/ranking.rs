//! The order of tokens by TF-IDF and search weight, and the way from its middle outwards.

use crate::site::harmonic_mean;
use crate::site::tokens::TokenWeight;

/// A token with the weights that its rank comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedToken {
    /// The token.
    pub token: String,
    /// TF-IDF in the sample documents, from 0 to 1.
    pub tf_idf: f64,
    /// The number of hits of the token alone relative to that of the token with most hits, from 0 to 1.
    pub search: f64,
    /// The harmonic mean of both.
    pub mean: f64,
}

/// Returns the search weights: each number of hits divided by the largest one; all 0 if there are no hits.
#[expect(clippy::cast_precision_loss, reason = "search engines estimate numbers of hits")]
pub fn search_weights(hits: &[u64]) -> Vec<f64> {
    let most = hits.iter().copied().max().unwrap_or(0).max(1);
    hits.iter().map(|&hits| hits as f64 / most as f64).collect()
}

/// Orders tokens by decreasing harmonic mean of TF-IDF and search weight, given the number of hits of each token alone;
/// equal ones by token.
pub fn ranked(tokens: impl IntoIterator<Item = (TokenWeight, u64)>) -> Vec<RankedToken> {
    let (tokens, hits): (Vec<TokenWeight>, Vec<u64>) = tokens.into_iter().unzip();
    let rank = |(TokenWeight { token, weight: tf_idf }, search)| {
        let mean = harmonic_mean(tf_idf, search);
        RankedToken { token, tf_idf, search, mean }
    };
    let mut ranked: Vec<RankedToken> = tokens.into_iter().zip(search_weights(&hits)).map(rank).collect();
    ranked.sort_by(|one, other| other.mean.total_cmp(&one.mean).then_with(|| one.token.cmp(&other.token)));
    ranked
}

/// Returns the positions 0 to `length` - 1 in the order of their distance from the middle. Of two positions at the same
/// distance the smaller one is first: the paper takes `sensor`, before the middle, ahead of `zoom`, behind it. With an
/// even length both middle positions are at the same distance.
pub fn middle_out(length: usize) -> Vec<usize> {
    let last = length.saturating_sub(1);
    let mut positions: Vec<usize> = (0..length).collect();
    positions.sort_by_key(|position| ((2 * position).abs_diff(last), *position));
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 1: token, hits in thousands, search weight, TF-IDF, harmonic mean.
    pub(super) const TABLE_1: [(&str, u64, f64, f64, f64); 7] = [
        ("resolution", 275_000, 0.288, 0.894, 0.435),
        ("review", 956_000, 1.000, 0.090, 0.165),
        ("sensor", 85_500, 0.089, 0.694, 0.158),
        ("specifications", 142_000, 0.149, 0.090, 0.112),
        ("zoom", 20_100, 0.021, 0.745, 0.041),
        ("lens", 84_600, 0.088, 0.014, 0.024),
        ("hot-shoe", 992, 0.001, 0.456, 0.002),
    ];

    #[test]
    fn the_weights_of_table_1_are_those_printed() {
        let tokens = TABLE_1.map(|(token, hits, _, weight, _)| (TokenWeight { token: token.to_owned(), weight }, hits));
        // The order of the input does not matter.
        let found = ranked(tokens.into_iter().rev());
        for (one, (token, _, search, _, mean)) in found.iter().zip(TABLE_1) {
            assert_eq!(one.token, token);
            assert!((one.search - search).abs() < 0.0006, "{token}: {} is not {search}", one.search);
            assert!((one.mean - mean).abs() < 0.0006, "{token}: {} is not {mean}", one.mean);
        }
    }

    #[test]
    fn the_printed_search_weights_give_the_printed_means() {
        for (token, _, search, tf_idf, mean) in TABLE_1 {
            // `resolution` was computed with a search weight of more digits: .4356 is printed as .435.
            assert!((harmonic_mean(search, tf_idf) - mean).abs() < 0.001, "{token}");
        }
    }

    #[test]
    fn from_the_middle_outwards_the_smaller_position_is_first() {
        assert_eq!(middle_out(7), [3, 2, 4, 1, 5, 0, 6]);
        assert_eq!(middle_out(4), [1, 2, 0, 3]);
        assert_eq!(middle_out(1), [0]);
        assert!(middle_out(0).is_empty());
    }

    #[test]
    fn without_hits_all_search_weights_are_zero() {
        assert_eq!(search_weights(&[0, 0]), [0.0, 0.0]);
        assert!(search_weights(&[]).is_empty());
        assert_eq!(search_weights(&[u64::MAX, 0]), [1.0, 0.0]);
    }
}
