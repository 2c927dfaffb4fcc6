//! The content of a page: its text without template, as hashes.

use super::key::TextKey;
use foldhash::fast::FixedState;
use harvestman_core::model::{PageText, TextRun};
use std::collections::HashSet;

/// A text with fewer words is a label, a name or a date, not running text.
const RUNNING_WORDS: usize = 4;
/// Number of words of a shingle.
pub(super) const SHINGLE_WORDS: usize = 3;
/// Number of successive words that may be template.
const STOCK_WORDS: usize = 4;
/// Maximum number of shingles of a page.
pub(super) const SHINGLES_MAX: usize = 512;
/// Maximum number of whole texts of a page.
pub(super) const TEXTS_MAX: usize = 256;
/// A page with fewer shingles is compared with others by its whole texts.
pub const SHINGLES_MIN: usize = 8;

/// The content of a page. Lists are sorted and without repetition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content {
    /// The shingles of its running text.
    pub shingles: Box<[TextKey]>,
    /// Its texts as wholes, links included; only where there are few shingles.
    pub texts: Box<[TextKey]>,
    /// Those of them that are no running text: names, dates, links.
    pub labels: Box<[TextKey]>,
}

impl Content {
    /// Returns the content of a page with `text`, where `is_template` tells the keys that belong to its template.
    ///
    /// A shingle is content if none of its words is in four successive words that are template. So the edges of a slot
    /// in a stock sentence are no content, and neither is what is shorter than a shingle in the slot.
    pub fn of(text: &PageText, is_template: impl Fn(u64) -> bool) -> Self {
        let (mut shingles, mut texts, mut labels) = (Vec::with_capacity(text.len()), Vec::new(), Vec::new());
        for (run, words) in text.runs() {
            let whole = key(words);
            if is_template(whole) {
                continue;
            }
            texts.push(whole as TextKey);
            if is_running(run, words) {
                add_shingles(words, &is_template, &mut shingles);
            } else {
                labels.push(whole as TextKey);
            }
        }
        preselect(&mut shingles, SHINGLES_MAX);
        let shingles = smallest(shingles, SHINGLES_MAX);
        if shingles.len() >= SHINGLES_MIN {
            return Self { shingles, ..Self::default() };
        }
        Self { shingles, texts: smallest(texts, TEXTS_MAX), labels: smallest(labels, TEXTS_MAX) }
    }

    /// Returns whether the page shows nothing but its template.
    pub const fn is_empty(&self) -> bool {
        self.shingles.is_empty() && self.texts.is_empty()
    }

    /// Returns what the page is compared by, and whether that is its running text.
    pub fn compared(&self) -> (&[TextKey], bool) {
        let by_text = self.shingles.len() >= SHINGLES_MIN;
        (if by_text { &self.shingles } else { &self.texts }, by_text)
    }
}

/// Returns the shingles of running text, template included, in page order, each with the position of its first word
/// among the words of the page.
pub fn placed_shingles(text: &PageText) -> impl Iterator<Item = (usize, TextKey)> {
    let mut begin = 0;
    let placed = text.runs().map(move |(run, words)| {
        let at = begin;
        begin += words.len();
        (at, words, is_running(run, words))
    });
    let running = placed.filter(|(_, _, is_running)| *is_running);
    running.flat_map(|(at, words, _)| (at..).zip(words.windows(SHINGLE_WORDS).map(short_key)))
}

/// Returns all shingles of a page's content, however many: sorted and without repetition.
pub fn all_shingles(text: &PageText, is_template: impl Fn(u64) -> bool) -> Vec<TextKey> {
    let mut shingles = Vec::new();
    let content = text.runs().filter(|(run, words)| is_running(*run, words) && !is_template(key(words)));
    content.for_each(|(_, words)| add_shingles(words, &is_template, &mut shingles));
    shingles.sort_unstable();
    shingles.dedup();
    shingles
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

/// Adds the shingles of a running text that have no word in [`STOCK_WORDS`] successive words that are template.
fn add_shingles(words: &[u32], is_template: impl Fn(u64) -> bool, shingles: &mut Vec<TextKey>) {
    let stock = |from: usize| words.get(from..from + STOCK_WORDS).is_some_and(|words| is_template(key(words)));
    // The word behind the last stock words that begin before the end of the shingle.
    let mut stock_end = 0;
    for begin in 0..SHINGLE_WORDS - 1 {
        if stock(begin) {
            stock_end = begin + STOCK_WORDS;
        }
    }
    for (begin, shingle) in words.windows(SHINGLE_WORDS).enumerate() {
        let last = begin + SHINGLE_WORDS - 1;
        if stock(last) {
            stock_end = last + STOCK_WORDS;
        }
        if stock_end <= begin {
            shingles.push(short_key(shingle));
        }
    }
}

fn is_running(run: TextRun, words: &[u32]) -> bool {
    !run.in_anchor && words.len() >= RUNNING_WORDS
}

/// Removes repetitions and keeps the smallest values: of two pages that share one, both keep it or neither.
fn smallest(mut values: Vec<TextKey>, max: usize) -> Box<[TextKey]> {
    values.sort_unstable();
    values.dedup();
    values.truncate(max);
    values.into()
}

/// Keeps the smallest values, somewhat more than `max`: sorting these is several times faster than sorting all.
fn preselect(values: &mut Vec<TextKey>, max: usize) {
    let kept = max + max / 4;
    if values.len() > kept {
        values.select_nth_unstable(kept);
        values.truncate(kept);
    }
}

/// The key of successive words.
fn key(words: &[u32]) -> u64 {
    let step = |key: u64, word: &u32| (key ^ u64::from(*word)).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(31);
    words.iter().fold(words.len() as u64, step)
}

/// The key of a shingle.
fn short_key(words: &[u32]) -> TextKey {
    key(words) as TextKey
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    /// The definition: each word is marked, and a shingle is kept if none of its words is.
    fn shingles_without_stock(words: &[u32], is_template: impl Fn(u64) -> bool) -> Vec<TextKey> {
        let mut stock = vec![false; words.len()];
        for (at, successive) in words.windows(STOCK_WORDS).enumerate() {
            if is_template(key(successive)) {
                stock[at..at + STOCK_WORDS].fill(true);
            }
        }
        let all = words.windows(SHINGLE_WORDS).zip(stock.windows(SHINGLE_WORDS));
        all.filter(|(_, stock)| !stock.contains(&true)).map(|(words, _)| short_key(words)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn shingles_without_a_word_of_stock_are_kept(
            words in prop::collection::vec(0..9_u32, 0..40), stock in prop::collection::vec(0..36_usize, 0..4),
        ) {
            let template: Vec<u64> = stock.iter().filter_map(|at| words.get(*at..at + STOCK_WORDS)).map(key).collect();
            let mut shingles = Vec::new();
            add_shingles(&words, |key| template.contains(&key), &mut shingles);
            prop_assert_eq!(shingles, shingles_without_stock(&words, |key| template.contains(&key)));
        }

        #[test]
        fn preselection_keeps_the_smallest(values in prop::collection::btree_set(any::<TextKey>(), 0..60), max in 1..30_usize) {
            let mut kept: Vec<TextKey> = values.iter().rev().copied().collect();
            preselect(&mut kept, max);
            prop_assert!(kept.len() <= max + max / 4 || kept.len() == values.len());
            prop_assert_eq!(smallest(kept, max).to_vec(), values.into_iter().take(max).collect::<Vec<_>>());
        }
    }
}
