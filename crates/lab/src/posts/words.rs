//! Texts as bags of words, and how far two of them agree.

use std::hash::{BuildHasher, Hasher as _};

use foldhash::fast::FixedState;

/// The words of a text, in no order: runs of letters and digits, without case. In scripts that do not part words by
/// spaces, each letter is a word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// Their hashes, sorted. Two words of a text share one by chance only, which changes its agreement by a word at
    /// most.
    hashes: Vec<u64>,
}

impl Words {
    /// Returns the words of a text.
    pub fn of(text: &str) -> Self {
        let state = FixedState::with_seed(0);
        let (mut hashes, mut hasher, mut length) = (Vec::new(), state.build_hasher(), 0_usize);
        for letter in text.chars().flat_map(char::to_lowercase) {
            let (is_letter, is_alone) = (letter.is_alphanumeric(), is_unspaced(letter));
            if length > 0 && (!is_letter || is_alone) {
                hashes.push(hasher.finish());
                (hasher, length) = (state.build_hasher(), 0);
            }
            if is_letter {
                hasher.write_u32(u32::from(letter));
                length += 1;
            }
            if is_alone {
                hashes.push(hasher.finish());
                (hasher, length) = (state.build_hasher(), 0);
            }
        }
        if length > 0 {
            hashes.push(hasher.finish());
        }
        hashes.sort_unstable();
        Self { hashes }
    }

    /// Returns the number of words.
    pub const fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns whether there is no word.
    pub const fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Returns the harmonic mean of precision and recall; 1 for two empty bags.
    #[expect(clippy::cast_precision_loss, reason = "numbers of words are far below 2^52")]
    pub fn f1(&self, other: &Self) -> f64 {
        match self.len() + other.len() {
            0 => 1.0,
            both => 2.0 * self.common(other) as f64 / both as f64,
        }
    }

    /// Returns the share of the words that are in `whole`; 0 without words.
    #[expect(clippy::cast_precision_loss, reason = "numbers of words are far below 2^52")]
    pub fn share_in(&self, whole: &Self) -> f64 {
        if self.is_empty() { 0.0 } else { self.common(whole) as f64 / self.len() as f64 }
    }

    /// Returns the number of words in both.
    fn common(&self, other: &Self) -> usize {
        let (mut at, mut count) = (0, 0);
        for hash in &self.hashes {
            while other.hashes.get(at).is_some_and(|there| there < hash) {
                at += 1;
            }
            if other.hashes.get(at) == Some(hash) {
                at += 1;
                count += 1;
            }
        }
        count
    }
}

/// Whether a letter is of a script that does not part words by spaces: Thai, Lao, Burmese, Khmer, Kana, Han.
fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
    ) && letter.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f1(one: &str, other: &str) -> f64 {
        Words::of(one).f1(&Words::of(other))
    }

    #[test]
    fn agreement_is_that_of_bags_without_case_and_signs() {
        // Common: a, b. 2 * 2 / (4 + 3).
        assert_eq!(f1("a b b c", "B, a! d"), 4.0 / 7.0);
        assert_eq!(f1("It's 5 o'clock", "its 5 oclock"), 2.0 / 8.0);
        assert_eq!((f1("", "--"), f1("a", ""), f1("Über", "über")), (1.0, 0.0, 1.0));
    }

    #[test]
    fn a_repeated_word_counts_as_often_as_it_is_in_both() {
        assert_eq!(f1("a a a", "a"), 2.0 / 4.0);
        assert_eq!(f1("a a", "a a b b"), 4.0 / 6.0);
    }

    #[test]
    fn letters_of_scripts_without_spaces_are_words() {
        assert_eq!(Words::of("日本語 text").len(), 4);
        assert_eq!(f1("日本語", "日本"), 4.0 / 5.0);
        assert_eq!(f1("x日y", "y 日 x"), 1.0);
    }

    #[test]
    fn shares_are_of_the_words_of_the_part() {
        let whole = Words::of("one two three four");
        assert_eq!(Words::of("two five").share_in(&whole), 0.5);
        assert_eq!(Words::of("").share_in(&whole), 0.0);
    }
}
