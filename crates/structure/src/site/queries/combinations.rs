//! The order of tokens by TF-IDF and search weight, combined by the harmonic mean, and queries from combinations of
//! tokens from its middle outwards.

use std::fmt;

use crate::site::tokens::TokenWeight;

/// Returns the harmonic mean of two weights: near the smaller one, and 0 if one of them is 0 or less, or NaN.
pub fn harmonic_mean(one: f64, other: f64) -> f64 {
    if one > 0.0 && other > 0.0 { 2.0 * one * other / (one + other) } else { 0.0 }
}

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

/// Maximum number of tokens that are combined.
pub const QUERY_TOKENS_MAX: usize = 64;
/// Maximum number of tokens of a query.
pub const QUERY_LENGTH_MAX: usize = 8;

/// A search query: tokens that a document must contain.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Query {
    /// The tokens, those nearest to the middle of their order first.
    pub tokens: Vec<String>,
}

impl fmt::Display for Query {
    /// The tokens separated by spaces; those that contain spaces are quoted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, token) in self.tokens.iter().enumerate() {
            let space = if at > 0 { " " } else { "" };
            let quote = if token.contains(char::is_whitespace) { "\"" } else { "" };
            write!(f, "{space}{quote}{token}{quote}")?;
        }
        Ok(())
    }
}

/// All combinations of tokens, one after the other, starting with the most central tokens. It holds the tokens and one
/// combination.
///
/// The longest combinations are first, because they are the most specific. Among those of a length, one is ahead of
/// another if its outermost token is nearer to the middle; if that is the same token, by the next one inwards. So every
/// combination of the k most central tokens is ahead of all that need a further token (colexicographic order).
#[derive(Debug, Clone)]
pub struct Queries {
    /// From the middle outwards.
    tokens: Vec<String>,
    shortest: usize,
    /// The next combination: increasing positions in `tokens`. Empty at the end.
    next: Vec<usize>,
    left: usize,
}

impl Queries {
    /// Combines `tokens`, which are in the order of their weights: `shortest` to `longest` of them, in at most
    /// `queries_max` queries. Beyond [`QUERY_TOKENS_MAX`] tokens the outermost ones are left out. The lengths are
    /// limited to 1 and [`QUERY_LENGTH_MAX`].
    pub fn new(tokens: &[impl AsRef<str>], shortest: usize, longest: usize, queries_max: usize) -> Self {
        let central = middle_out(tokens.len()).into_iter().take(QUERY_TOKENS_MAX);
        let tokens: Vec<String> = central.map(|position| tokens[position].as_ref().to_owned()).collect();
        let (shortest, longest) = (shortest.max(1), longest.min(QUERY_LENGTH_MAX).min(tokens.len()));
        let next = if longest >= shortest { (0..longest).collect() } else { Vec::new() };
        Self { tokens, shortest, next, left: queries_max }
    }

    /// Moves to the next combination: the innermost position that has room moves outwards by one, and those before it
    /// return to the middle.
    fn advance(&mut self) {
        let length = self.next.len();
        for at in 0..length {
            let moved = self.next[at] + 1;
            if moved < self.next.get(at + 1).copied().unwrap_or(self.tokens.len()) {
                self.next[at] = moved;
                (0..at).for_each(|before| self.next[before] = before);
                return;
            }
        }
        self.next = if length > self.shortest { (0..length - 1).collect() } else { Vec::new() };
    }
}

impl Iterator for Queries {
    type Item = Query;

    fn next(&mut self) -> Option<Query> {
        if self.next.is_empty() || self.left == 0 {
            return None;
        }
        self.left -= 1;
        let query = Query { tokens: self.next.iter().map(|&at| self.tokens[at].clone()).collect() };
        self.advance();
        Some(query)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

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

    const TOKENS_OF_TABLE_1: [&str; 7] =
        ["resolution", "review", "sensor", "specifications", "zoom", "lens", "hot-shoe"];

    fn texts(queries: Queries) -> Vec<String> {
        queries.map(|query| query.to_string()).collect()
    }

    #[test]
    fn the_first_query_of_table_1_is_the_one_printed() {
        let found = texts(Queries::new(&TOKENS_OF_TABLE_1, 3, 3, 100));
        assert_eq!(found[0], "specifications sensor zoom");
        assert_eq!(found.len(), 35);
        assert_eq!(found[34], "lens resolution hot-shoe");
    }

    #[test]
    fn the_most_central_tokens_are_used_up_before_a_further_one_is_added() {
        let found = texts(Queries::new(&["d", "b", "a", "c", "e"], 2, 3, 8));
        assert_eq!(found, ["a b c", "a b d", "a c d", "b c d", "a b e", "a c e", "b c e", "a d e"]);
    }

    #[test]
    fn shorter_queries_follow_the_longest_ones() {
        assert_eq!(texts(Queries::new(&["x", "y", "z"], 1, 3, 9)), ["y x z", "y x", "y z", "x z", "y", "x", "z"]);
    }

    #[test]
    fn tokens_lengths_and_queries_are_bounded() {
        let many: Vec<String> = (0..QUERY_TOKENS_MAX + 36).map(|n| format!("t{n:03}")).collect();
        assert_eq!(Queries::new(&many, 1, 1, 1_000).count(), QUERY_TOKENS_MAX);
        assert_eq!(Queries::new(&many, 0, 99, 5).map(|query| query.tokens.len()).max(), Some(QUERY_LENGTH_MAX));
        assert_eq!(Queries::new(&many, 8, 8, 77).count(), 77);
        assert_eq!(Queries::new(&["a", "b"], 3, 3, 9).count(), 0);
        assert_eq!(Queries::new(&["a", "b"], 1, 0, 9).count(), 0);
        assert_eq!(Queries::new(&[""; 0], 1, 3, 9).count(), 0);
    }

    #[test]
    fn tokens_with_spaces_are_quoted() {
        assert_eq!(texts(Queries::new(&["digital camera", "zoom"], 2, 2, 1)), ["\"digital camera\" zoom"]);
    }

    /// The reference implementation: all subsets, as bits from the middle outwards, sorted as numbers.
    fn all(tokens: usize, length: u32) -> Vec<Vec<usize>> {
        let sets = (0_u32..1 << tokens).filter(|set| set.count_ones() == length);
        sets.map(|set| (0..tokens).filter(|at| set >> at & 1 == 1).collect()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn queries_are_all_subsets_in_order(tokens in 0..9_usize, shortest in 1..4_u32, more in 0..4_u32) {
            let names: Vec<String> = (0..tokens).map(|n| format!("t{n}")).collect();
            let central = middle_out(tokens);
            let longest = shortest + more;
            let found: Vec<Query> = Queries::new(&names, shortest as usize, longest as usize, 10_000).collect();
            let wanted = (shortest..=longest).rev().flat_map(|length| all(tokens, length));
            let wanted: Vec<Vec<String>> =
                wanted.map(|set| set.into_iter().map(|at| names[central[at]].clone()).collect()).collect();
            prop_assert_eq!(found.iter().map(|query| query.tokens.clone()).collect::<BTreeSet<_>>().len(), found.len());
            prop_assert_eq!(found.into_iter().map(|query| query.tokens).collect::<Vec<_>>(), wanted);
        }
    }
}
