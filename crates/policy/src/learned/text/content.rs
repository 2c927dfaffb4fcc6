//! The content of a page: its text without template, as hashes.

use foldhash::fast::FixedState;
use harvestman_core::model::{PageText, TextRun};
use std::collections::HashSet;

/// A text with fewer words is a label, a name or a date, not running text.
const RUNNING_WORDS: usize = 4;
/// Number of words of a shingle.
const SHINGLE_WORDS: usize = 3;
/// Number of successive words that may be template.
const STOCK_WORDS: usize = 4;
/// Maximum number of shingles of a page.
const SHINGLES_MAX: usize = 1_024;
/// Maximum number of whole texts of a page.
const TEXTS_MAX: usize = 256;
/// A page with fewer shingles is compared with others by its whole texts.
pub const SHINGLES_MIN: usize = 8;

/// The content of a page. Lists are sorted and without repetition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content {
    /// The shingles of its running text.
    pub shingles: Box<[u64]>,
    /// Its texts as wholes, links included; only where there are few shingles.
    pub texts: Box<[u64]>,
}

impl Content {
    /// Returns the content of a page with `text`, where `is_template` tells the keys that belong to its template.
    ///
    /// A shingle is content if none of its words is in four successive words that are template. So the edges of a slot in
    /// a stock sentence are no content, and neither is what is shorter than a shingle in the slot.
    pub fn of(text: &PageText, is_template: impl Fn(u64) -> bool) -> Self {
        let (mut shingles, mut texts) = (Vec::new(), Vec::new());
        let mut stock = Vec::new();
        for (run, words) in text.runs() {
            let whole = key(words);
            if is_template(whole) {
                continue;
            }
            texts.push(whole);
            if !is_running(run, words) {
                continue;
            }
            stock.clear();
            stock.resize(words.len(), false);
            for (at, successive) in words.windows(STOCK_WORDS).enumerate() {
                if is_template(key(successive)) {
                    stock[at..at + STOCK_WORDS].fill(true);
                }
            }
            let shingle = |(words, stock): (&[u32], &[bool])| (!stock.contains(&true)).then(|| key(words));
            shingles.extend(words.windows(SHINGLE_WORDS).zip(stock.windows(SHINGLE_WORDS)).filter_map(shingle));
        }
        let shingles = smallest(shingles, SHINGLES_MAX);
        let texts = if shingles.len() < SHINGLES_MIN { smallest(texts, TEXTS_MAX) } else { Box::default() };
        Self { shingles, texts }
    }

    /// Returns whether the page shows nothing but its template.
    pub const fn is_empty(&self) -> bool {
        self.shingles.is_empty() && self.texts.is_empty()
    }

    /// Returns what the page is compared by, and whether that is its running text.
    pub fn compared(&self) -> (&[u64], bool) {
        let by_text = self.shingles.len() >= SHINGLES_MIN;
        (if by_text { &self.shingles } else { &self.texts }, by_text)
    }
}

/// Returns the keys of a page that may belong to a template: its whole texts, and each four successive words of its
/// running text.
pub fn template_keys(text: &PageText) -> HashSet<u64, FixedState> {
    let mut keys = HashSet::default();
    for (run, words) in text.runs() {
        keys.insert(key(words));
        if is_running(run, words) {
            keys.extend(words.windows(STOCK_WORDS).map(key));
        }
    }
    keys
}

fn is_running(run: TextRun, words: &[u32]) -> bool {
    !run.in_anchor && words.len() >= RUNNING_WORDS
}

/// Removes repetitions and keeps the smallest values: of two pages that share one, both keep it or neither.
fn smallest(mut values: Vec<u64>, max: usize) -> Box<[u64]> {
    values.sort_unstable();
    values.dedup();
    values.truncate(max);
    values.into()
}

/// The key of successive words.
fn key(words: &[u32]) -> u64 {
    let step = |key: u64, word: &u32| (key ^ u64::from(*word)).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(31);
    words.iter().fold(words.len() as u64, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(texts: &[(&[u32], bool)]) -> PageText {
        let mut text = PageText::default();
        texts.iter().for_each(|(words, in_anchor)| text.push(words, *in_anchor, false));
        text
    }

    #[test]
    fn shingles_are_three_successive_words_of_running_text() {
        let content =
            Content::of(&page(&[(&[1, 2, 3, 4, 5], false), (&[6, 7, 8], false), (&[1, 2, 3, 4], true)]), |_| false);
        assert_eq!(content.shingles.len(), 3);
        assert_eq!(content.texts.len(), 3);
        let long: Vec<u32> = (0..40).collect();
        let content = Content::of(&page(&[(&long, false)]), |_| false);
        assert_eq!((content.shingles.len(), content.texts.len()), (38, 0));
    }

    #[test]
    fn a_slot_of_two_words_in_stock_sentences_is_no_content_and_a_long_one_is() {
        let stock: Vec<u32> = (100..120).collect();
        let with = |slot: &[u32]| [&stock[..10], slot, &stock[10..]].concat();
        let template: HashSet<u64> = stock.windows(STOCK_WORDS).map(key).collect();
        let shingles =
            |slot: &[u32]| Content::of(&page(&[(&with(slot), false)]), |key| template.contains(&key)).shingles.len();
        assert_eq!((shingles(&[1]), shingles(&[1, 2])), (0, 0));
        assert_eq!(shingles(&[1, 2, 3, 4, 5, 6, 7, 8]), 6);
    }

    #[test]
    fn whole_texts_of_the_template_are_no_content() {
        let text = page(&[(&[1, 2, 3, 4, 5], false), (&[8, 9], true)]);
        let keys = template_keys(&text);
        assert_eq!(keys.len(), 2 + 2);
        assert_eq!(Content::of(&text, |key| keys.contains(&key)), Content::default());
    }
}
