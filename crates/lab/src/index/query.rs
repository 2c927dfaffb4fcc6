//! What a search query asks for.

use std::collections::BTreeSet;

use harvestman_structure::site::tokens;

/// Maximum number of tokens of a query that count; those behind them are ignored.
pub const QUERY_TOKENS_MAX: usize = 32;

/// Tokens that a document must contain one directly after another, in this order: a word, or a phrase of several.
pub type Clause = Vec<String>;

/// Returns the clauses of `query`. A document matches if it contains all of them; a query without a token matches none.
///
/// What stands between two straight double quotes is a phrase; a quote without a partner separates words. All other
/// characters mean what they mean in a text: there are no operators.
pub fn clauses(query: &str) -> BTreeSet<Clause> {
    let mut found = BTreeSet::new();
    let mut left = QUERY_TOKENS_MAX;
    let parts: Vec<&str> = query.splitn(QUOTES_MAX + 1, '"').collect();
    for (at, part) in parts.iter().enumerate() {
        let words: Vec<String> = tokens(part).take(left).collect();
        left -= words.len();
        // The last part has no closing quote.
        if at % 2 == 1 && at + 1 < parts.len() {
            found.extend((!words.is_empty()).then_some(words));
        } else {
            found.extend(words.into_iter().map(|word| vec![word]));
        }
    }
    found
}

/// Maximum number of quotes of a query that count: as many as phrases of one token have.
const QUOTES_MAX: usize = 2 * QUERY_TOKENS_MAX;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str) -> Vec<String> {
        clauses(query).into_iter().map(|clause| clause.join(" ")).collect()
    }

    #[test]
    fn words_are_clauses_and_quoted_parts_are_phrases() {
        assert_eq!(of("Zoom \"Hot-Shoe flash\" lens zoom"), ["hot-shoe flash", "lens", "zoom"]);
        assert_eq!(of("\"one two\"\"three\""), ["one two", "three"]);
    }

    #[test]
    fn a_quote_without_a_partner_separates_words() {
        assert_eq!(of("one\"two three"), ["one", "three", "two"]);
        assert_eq!(of("\"one two\" three\" four five"), ["five", "four", "one two", "three"]);
    }

    #[test]
    fn operators_are_texts() {
        assert_eq!(
            of("-lens +zoom (a1 OR b1) title:x2 x~2 wild*"),
            ["a1", "b1", "lens", "or", "title", "wild", "x2", "zoom"]
        );
        assert!(of("\"\" \" 12 ' * ? { \\ \u{0}").is_empty());
    }

    #[test]
    fn the_tokens_of_a_query_are_bounded() {
        let words: Vec<String> = (0..100).map(|at| format!("word{at:03}")).collect();
        assert_eq!(of(&words.join(" ")), words[..QUERY_TOKENS_MAX]);
        assert_eq!(of(&"\"a1 b1\" ".repeat(10_000)), ["a1 b1"]);
    }
}
