//! Queries from combinations of tokens.

use std::fmt;

use super::ranking::middle_out;

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

    const TABLE_1: [&str; 7] = ["resolution", "review", "sensor", "specifications", "zoom", "lens", "hot-shoe"];

    fn texts(queries: Queries) -> Vec<String> {
        queries.map(|query| query.to_string()).collect()
    }

    #[test]
    fn the_first_query_of_table_1_is_the_one_printed() {
        let found = texts(Queries::new(&TABLE_1, 3, 3, 100));
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
