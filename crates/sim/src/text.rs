//! Generates words, sentences, titles and names from a seed.
//!
//! Words consist of syllables; their frequencies follow Zipf's law (the word of rank r has probability ∝ 1/r), so that
//! text compresses and repeats like natural text. Everything is ASCII, because titles become parts of URLs.

use std::collections::BTreeSet;

use rand::RngCore;

use harvestman_core::seed::{Rng, Seed};

/// Number of distinct words: small enough for pages to look written in one language, large enough for titles to differ.
const WORDS: usize = 2_048;
/// Size of the look-up table from a random number to a word; a power of two.
const SLOTS: usize = 1 << 14;
const ONSETS: [&str; 16] = ["b", "br", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v", "z"];
const NUCLEI: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
const CODAS: [&str; 8] = ["", "", "", "l", "n", "r", "s", "t"];

/// The vocabulary of a world.
#[derive(Debug)]
pub(super) struct Text {
    words: Vec<String>,
    by_slot: Vec<u16>,
}

impl Text {
    /// Generates the vocabulary of `seed`.
    pub fn new(seed: Seed) -> Self {
        let words = vocabulary(&mut seed.rng());
        // Slots are assigned to ranks in proportion to 1/rank by inverting the (continuous) distribution function.
        let by_slot = (0..SLOTS)
            .map(|slot| {
                let rank = (WORDS as f64).powf(slot as f64 / SLOTS as f64) - 1.0;
                u16::try_from(rank as usize).unwrap_or(0)
            })
            .collect();
        Self { words, by_slot }
    }

    /// Returns the `index`-th word, cyclically; `WORDS` neighbouring indices give distinct words.
    pub fn nth(&self, index: u64) -> &str {
        &self.words[(index % WORDS as u64) as usize]
    }

    /// Returns a word by frequency: often one of the first.
    fn draw(&self, bits: u32) -> &str {
        &self.words[usize::from(self.by_slot[bits as usize % SLOTS])]
    }

    /// Appends the title of `seed`, its words separated by `separator`.
    pub fn title(&self, seed: Seed, separator: char, out: &mut String) {
        let bits = seed.0;
        let count = 3 + (bits >> 60) % 4;
        for index in 0..count {
            if index > 0 {
                out.push(separator);
            }
            // Titles draw uniformly, so that they differ; the multiplier cycles through all words.
            out.push_str(self.nth((bits >> (index * 8)).wrapping_mul(0x9E37_79B9) >> 7));
        }
    }

    /// Appends the name of person `id`; names repeat, so add the number where they must be unique.
    pub fn name(&self, seed: Seed, id: u64, out: &mut String) {
        let bits = seed.nth(id).0;
        out.push_str(self.nth(bits));
        out.push_str(ONSETS[(bits >> 20) as usize % ONSETS.len()]);
        out.push_str(NUCLEI[(bits >> 30) as usize % NUCLEI.len()]);
    }

    /// Appends sentences of about `bytes` bytes in total, at least one word.
    pub fn prose(&self, rng: &mut Rng, bytes: usize, out: &mut String) {
        let end = out.len() + bytes;
        loop {
            let bits = rng.next_u64();
            let words = 4 + (bits >> 58) % 12;
            for index in 0..words {
                // One draw gives four words.
                let bits = if index % 4 == 0 { rng.next_u64() } else { bits.rotate_left(16 * index as u32) };
                let word = self.draw(bits as u32);
                if index == 0 {
                    out.push(word.as_bytes()[0].to_ascii_uppercase() as char);
                    out.push_str(&word[1..]);
                } else {
                    out.push(' ');
                    out.push_str(word);
                }
            }
            out.push('.');
            if out.len() >= end {
                return;
            }
            out.push(' ');
        }
    }
}

fn vocabulary(rng: &mut Rng) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut words = Vec::with_capacity(WORDS);
    while words.len() < WORDS {
        let mut word = String::new();
        // Frequent words are short, as in natural languages.
        let syllables = if words.len() < 64 { 1 } else { 2 + rng.next_u32() % 2 };
        for _ in 0..syllables {
            word.push_str(pick(&ONSETS, rng));
            word.push_str(pick(&NUCLEI, rng));
            word.push_str(pick(&CODAS, rng));
        }
        if seen.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

fn pick<'a>(from: &[&'a str], rng: &mut Rng) -> &'a str {
    from[rng.next_u32() as usize % from.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_text_and_another_seed_another() {
        let prose = |seed: u64| {
            let mut out = String::new();
            Text::new(Seed(seed)).prose(&mut Seed(1).rng(), 500, &mut out);
            out
        };
        assert_eq!(prose(1), prose(1));
        assert_ne!(prose(1), prose(2));
    }

    #[test]
    fn prose_has_the_requested_length_within_one_sentence_and_is_ascii() {
        let text = Text::new(Seed(3));
        for bytes in [0, 1, 100, 5_000] {
            let mut out = String::new();
            text.prose(&mut Seed(4).rng(), bytes, &mut out);
            assert!(out.len() >= bytes && out.len() < bytes + 400, "{bytes}: {}", out.len());
            assert!(out.bytes().all(|b| b.is_ascii_alphabetic() || b == b' ' || b == b'.'));
        }
    }

    #[test]
    fn the_first_word_is_about_twice_as_frequent_as_the_second() {
        let text = Text::new(Seed(5));
        let count = |word: u16| text.by_slot.iter().filter(|w| **w == word).count() as f64;
        let ratio = count(0) / count(1);
        assert!((1.5..2.5).contains(&ratio), "{ratio}");
    }

    #[test]
    fn neighbouring_words_are_distinct() {
        let text = Text::new(Seed(6));
        let distinct: BTreeSet<&str> = (0..WORDS as u64).map(|i| text.nth(i)).collect();
        assert_eq!(distinct.len(), WORDS);
    }
}
