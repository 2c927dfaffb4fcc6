//! Pages with the words of several examples.
//!
//! A user has a few pages that are wanted and none that are not, so this is a classifier of one class: a page is wanted
//! if the cosine of its vector of words and the centroid of the examples' vectors reaches a threshold (Rocchio's
//! classifier without negative examples).
//!
//! * A block that stands on two examples with the same words (menus, footers) is not read, on the examples or on pages.
//! * A word that occurs `n` times on a page weighs `(1 + ln n) · ln(1 + W / w)`. `w` of the `W` windows of
//!   [`WINDOW`] words of the examples contain it. Words that are everywhere count little without any list of them.
//! * The threshold is [`CAUTION`] times the least cosine of an example and the centroid of the others. The examples
//!   themselves are always accepted: adding a vector to a sum does not increase the angle between the two.
//!
//! It tells subjects apart that differ in their vocabulary, in languages that separate words. It does not tell types of
//! pages apart that have the same subject (a question and the list that quotes it), knows no synonyms, and cannot know
//! what the wanted pages have in common with those of the rest of the site. Words that all examples share by accident,
//! such as those of a signature, count as well. A page with less than [`WORDS_MIN`] words is rejected.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::FixedState;

use crate::{InvalidWant, PageView, Validator};

/// Minimum number of examples.
const EXAMPLES_MIN: usize = 2;
/// Maximum number of examples that are read.
const EXAMPLES_MAX: usize = 64;
/// Minimum number of words of an example, and of an accepted page, outside shared blocks.
const WORDS_MIN: usize = 5;
/// Number of words of a window.
const WINDOW: usize = 20;
/// The share of the least likeness of an example to the others from which on a page is accepted.
const CAUTION: f64 = 0.8;

/// Accepts pages whose words are like those of the examples.
#[derive(Debug, Clone)]
pub struct Words {
    /// The blocks that are not read, as their words.
    shared: BTreeSet<String>,
    /// For each word of the examples: its weight for one occurrence, and its weight in the centroid, whose norm is 1.
    vocabulary: HashMap<Box<str>, (f64, f64), FixedState>,
    /// The weight of words that no example has.
    strange: f64,
    threshold: f64,
    name: String,
}

impl Words {
    /// Learns from examples. Without `threshold`, it is learned too; a given one is from 0 to 1.
    ///
    /// # Errors
    /// Fewer than two examples are readable and have words of their own.
    pub fn learn(examples: &[PageView<'_>], threshold: Option<f64>) -> Result<Self, InvalidWant> {
        let texts: Vec<String> = examples.iter().take(EXAMPLES_MAX).filter_map(lowercase).collect();
        let shared = shared_blocks(&texts);
        let pages = texts.iter().map(|text| own_words(text, &shared));
        let pages: Vec<_> = pages.filter(|words| words.len() >= WORDS_MIN).collect();
        if pages.len() < EXAMPLES_MIN {
            return Err(InvalidWant::Words { examples: examples.len(), usable: pages.len() });
        }
        let (weights, strange) = weights(&pages);
        let vectors: Vec<Vector<'_>> = pages.iter().map(|words| unit(words, &weights, strange)).collect();
        let mut centroid = BTreeMap::new();
        vectors.iter().for_each(|vector| add(&mut centroid, vector, 1.0));
        let learned = CAUTION * least_likeness(&vectors, &centroid);
        let norm = norm(&centroid);
        let weighed = |(word, weight): (&str, f64)| (Box::from(word), (weights[word], weight / norm));
        Ok(Self {
            vocabulary: centroid.into_iter().map(weighed).collect(),
            shared,
            strange,
            threshold: threshold.unwrap_or(learned),
            name: threshold.map_or_else(|| "words".to_owned(), |threshold| format!("words:{threshold}")),
        })
    }

    /// The cosine of a page and the centroid of the examples, from 0 to 1; `None` if the page has too few words.
    fn likeness(&self, text: &str) -> Option<f64> {
        let words = own_words(text, &self.shared);
        if words.len() < WORDS_MIN {
            return None;
        }
        let (mut dot, mut squares) = (0.0, 0.0);
        for (word, times) in counts(&words) {
            let (weight, in_centroid) = self.vocabulary.get(word).copied().unwrap_or((self.strange, 0.0));
            let weight = dampened(times) * weight;
            dot += weight * in_centroid;
            squares += weight * weight;
        }
        Some(dot / squares.sqrt())
    }
}

impl Validator for Words {
    fn accepts(&self, page: &PageView<'_>) -> Option<bool> {
        // The last bits of a sum depend on its order: an example must not fail by them.
        const ROUNDING: f64 = 1e-9;
        let text = lowercase(page)?;
        Some(self.likeness(&text).is_some_and(|likeness| likeness + ROUNDING >= self.threshold))
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// A vector with a weight for each word.
type Vector<'a> = BTreeMap<&'a str, f64>;

fn lowercase(page: &PageView<'_>) -> Option<String> {
    page.visible_text().map(str::to_lowercase)
}

/// The words of a block, by which it is recognised.
fn signature(block: &str) -> String {
    words(block).collect::<Vec<_>>().join(" ")
}

/// Returns the blocks that several texts have.
fn shared_blocks(texts: &[String]) -> BTreeSet<String> {
    let (mut seen, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for text in texts {
        let blocks: BTreeSet<String> = text.lines().map(signature).filter(|block| !block.is_empty()).collect();
        for block in blocks {
            if seen.contains(&block) {
                shared.insert(block);
            } else {
                seen.insert(block);
            }
        }
    }
    shared
}

/// Returns the words of a text outside shared blocks.
fn own_words<'a>(text: &'a str, shared: &BTreeSet<String>) -> Vec<&'a str> {
    text.lines().filter(|block| !shared.contains(&signature(block))).flat_map(words).collect()
}

/// Returns the weight of one occurrence of each word, and that of words that no example has.
fn weights<'a>(pages: &[Vec<&'a str>]) -> (Vector<'a>, f64) {
    let (mut windows, mut containing) = (0.0, BTreeMap::<&str, f64>::new());
    for window in pages.iter().flat_map(|words| words.chunks(WINDOW)) {
        windows += 1.0;
        let distinct: BTreeSet<&str> = window.iter().copied().collect();
        distinct.into_iter().for_each(|word| *containing.entry(word).or_default() += 1.0);
    }
    let weight = |containing: f64| (windows / containing).ln_1p();
    (containing.into_iter().map(|(word, of)| (word, weight(of))).collect(), weight(1.0))
}

/// Returns how often each word occurs, in the order of the words.
fn counts<'a>(words: &[&'a str]) -> Vec<(&'a str, usize)> {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|one, other| one == other).filter_map(|same| Some((*same.first()?, same.len()))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a number of words of a page")]
fn dampened(times: usize) -> f64 {
    1.0 + (times as f64).ln()
}

/// Returns the vector of a page, of norm 1.
fn unit<'a>(words: &[&'a str], weights: &Vector<'a>, strange: f64) -> Vector<'a> {
    let weight = |word: &str, times| dampened(times) * weights.get(word).copied().unwrap_or(strange);
    let vector: Vector<'a> = counts(words).into_iter().map(|(word, times)| (word, weight(word, times))).collect();
    let norm = norm(&vector);
    vector.into_iter().map(|(word, weight)| (word, weight / norm)).collect()
}

fn norm(vector: &Vector<'_>) -> f64 {
    vector.values().map(|weight| weight * weight).sum::<f64>().sqrt()
}

/// Adds a multiple of a vector.
fn add<'a>(sum: &mut Vector<'a>, vector: &Vector<'a>, times: f64) {
    vector.iter().for_each(|(word, weight)| *sum.entry(word).or_default() += times * weight);
}

/// Returns the least cosine of one of the vectors, which have norm 1, and the sum of the others.
fn least_likeness(vectors: &[Vector<'_>], sum: &Vector<'_>) -> f64 {
    let likeness = |vector: &Vector<'_>| {
        let mut others = sum.clone();
        add(&mut others, vector, -1.0);
        let dot: f64 = vector.iter().map(|(word, weight)| weight * others.get(word).copied().unwrap_or_default()).sum();
        dot / norm(&others)
    };
    vectors.iter().map(likeness).fold(1.0, f64::min)
}

/// Maximum number of words of a page that are read.
const WORDS_MAX: usize = 100_000;
/// Maximum length of a word, in bytes; longer runs of letters are no words.
const WORD_BYTES_MAX: usize = 64;

/// Returns the words of a text in lower case, in their order: runs of letters and digits with at least one letter.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_alphanumeric());
    let is_word = |run: &&str| run.len() <= WORD_BYTES_MAX && run.chars().any(char::is_alphabetic);
    runs.filter(is_word).take(WORDS_MAX)
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
