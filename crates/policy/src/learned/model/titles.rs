//! The common parts of the titles of a cluster's pages.

use std::collections::{BTreeMap, BTreeSet};

/// A word in at least this share of the titles is part of their shape.
const COMMON_SHARE: f64 = 0.5;
/// Maximum number of words of a shape.
const WORDS_MAX: usize = 20;

/// The most frequent shape of `titles`, of equally frequent ones the first by the alphabet: words that most of them
/// share stay, numbers become `N`, and sequences of other words `*`. `None` where there is no title.
pub fn commonest_shape(titles: &[&str]) -> Option<String> {
    let mut with: BTreeMap<&str, usize> = BTreeMap::new();
    for title in titles {
        let words: BTreeSet<&str> = title.split_whitespace().collect();
        words.into_iter().for_each(|word| *with.entry(word).or_default() += 1);
    }
    let is_common = |word: &str| {
        let count = with.get(word).copied().unwrap_or(0);
        count > 1 && count as f64 >= COMMON_SHARE * titles.len() as f64
    };
    let mut shapes: BTreeMap<String, usize> = BTreeMap::new();
    titles.iter().for_each(|title| *shapes.entry(shape(title, is_common)).or_default() += 1);
    let most = shapes.values().copied().max()?;
    shapes.into_iter().find(|(_, count)| *count == most).map(|(shape, _)| shape)
}

fn shape(title: &str, is_common: impl Fn(&str) -> bool) -> String {
    let masked = |word| match word {
        word if is_common(word) => word,
        word if word.chars().all(|c| c.is_ascii_digit()) => "N",
        _ => "*",
    };
    let mut words: Vec<&str> = title.split_whitespace().map(masked).collect();
    words.dedup_by(|next, before| *next == "*" && *before == "*");
    words.truncate(WORDS_MAX);
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_titles_share_stays_and_what_varies_is_a_star() {
        let titles =
            ["How to boil rice - Page 2 - Kitchen", "Soup - Page 1 - Kitchen", "Bread and salt - Page 14 - Kitchen"];
        assert_eq!(commonest_shape(&titles).as_deref(), Some("* - Page N - Kitchen"));
    }

    #[test]
    fn the_most_frequent_shape_is_returned() {
        assert_eq!(commonest_shape(&["Log in", "Log in", "Error 404"]).as_deref(), Some("Log in"));
        assert_eq!(commonest_shape(&["Only one"]).as_deref(), Some("*"));
        assert_eq!((commonest_shape(&[]), commonest_shape(&[""]).as_deref()), (None, Some("")));
    }
}
