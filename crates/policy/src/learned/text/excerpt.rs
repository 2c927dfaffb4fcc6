//! Where a page says something.

use super::key::TextKey;
use std::collections::HashSet;
use std::ops::Range;

use harvestman_core::model::PageText;

use super::content::{SHINGLE_WORDS, placed_shingles};

/// The first run of at least this many words is taken, even if a later one is longer.
const WORDS_MIN: usize = 8;

/// Returns the words of a page, by their positions, that say some of `shingles`: its first long run, or else its
/// longest one, and `words_max` words of it at most. `None` if the page says nothing of it.
pub fn excerpt(text: &PageText, shingles: &[TextKey], words_max: usize) -> Option<Range<usize>> {
    let wanted: HashSet<TextKey> = shingles.iter().copied().collect();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in placed_shingles(text).filter(|(_, shingle)| wanted.contains(shingle)) {
        match runs.last_mut() {
            Some(run) if run.end + 1 == at + SHINGLE_WORDS => run.end += 1,
            _ => runs.push(at..at + SHINGLE_WORDS),
        }
    }
    let long = runs.iter().find(|run| run.len() >= WORDS_MIN);
    // Of several, the first.
    let run = long.or_else(|| runs.iter().rev().max_by_key(|run| run.len()))?;
    Some(run.start..run.end.min(run.start + words_max))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(texts: &[&[u32]]) -> PageText {
        let mut page = PageText::default();
        texts.iter().for_each(|words| page.push(words, false, false));
        page
    }

    fn said(shown: &[&[u32]], by: &[&[u32]], words_max: usize) -> Option<Range<usize>> {
        let shingles: Vec<TextKey> = placed_shingles(&page(by)).map(|(_, shingle)| shingle).collect();
        excerpt(&page(shown), &shingles, words_max)
    }

    #[test]
    fn the_first_long_run_is_shown_or_else_the_longest_one() {
        let long: Vec<u32> = (100..140).collect();
        let longer: Vec<u32> = (200..260).collect();
        let shown: [&[u32]; 4] = [&[1, 2, 3, 4, 5, 6], &[7, 8, 9], &long, &longer];
        assert_eq!(said(&shown, &[&long, &longer], 99), Some(9..49));
        assert_eq!(said(&shown, &[&longer, &long], 12), Some(9..21));
        assert_eq!(said(&shown, &[&[2, 3, 4, 5]], 12), Some(1..5));
        assert_eq!(said(&shown, &[&[1, 2, 3, 9], &long[10..15]], 12), Some(19..24));
        assert_eq!(said(&shown, &[&[7, 8, 9, 10]], 12), None, "three words are a label");
        assert_eq!(said(&[], &[&long], 12), None);
    }

    #[test]
    fn runs_do_not_continue_in_the_next_text() {
        assert_eq!(said(&[&[1, 2, 3, 4], &[5, 6, 7, 8]], &[&[1, 2, 3, 4, 5, 6, 7, 8]], 9), Some(0..4));
    }
}
