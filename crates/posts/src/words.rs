//! Texts as sequences of words, to compare what two sources say of one post.

use harvestman_core::model::path_hash::step;

/// The hash of no characters.
const SEED: u64 = 11;
/// Number of words that are compared of a text.
const WORDS_MAX: usize = 20_000;
/// Minimum share of the words of a text that was cut short with which the whole one begins.
const BEGINNING_MIN: f64 = 0.8;
/// From here on, scripts are mostly written without blanks: every character counts as a word.
const UNSPACED_FROM: char = '\u{2e80}';

/// The words of a text as hashes, in order, without case and punctuation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Words {
    /// In the order of the text.
    pub ordered: Vec<u64>,
    sorted: Vec<u64>,
}

impl Words {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let ordered = hashes(text);
        let mut sorted = ordered.clone();
        sorted.sort_unstable();
        Self { ordered, sorted }
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.ordered.len()
    }

    /// Returns the F-measure of two bags of words: 1 if they are equal, 0 if they have no word in common.
    pub fn f_measure(&self, other: &Self) -> f64 {
        let both = self.len() + other.len();
        if both == 0 { 1.0 } else { 2.0 * self.common(other) as f64 / both as f64 }
    }

    /// Whether this is the beginning of the other, as a text that was cut short, perhaps within a word, or that was
    /// written a little differently at the end.
    pub fn begins(&self, other: &Self) -> bool {
        let same = self.ordered.iter().zip(&other.ordered).take_while(|(one, two)| one == two).count();
        self.len() <= other.len() && (same + 1 >= self.len() || same as f64 >= BEGINNING_MIN * self.len() as f64)
    }

    /// Whether this is the end of the other, as a text without the quote before it.
    pub fn ends(&self, other: &Self) -> bool {
        other.ordered.ends_with(&self.ordered)
    }

    /// Whether the words of the other follow each other in this.
    pub fn contains(&self, other: &Self) -> bool {
        other.len() == 0 || self.ordered.windows(other.len()).any(|words| words == other.ordered)
    }

    fn common(&self, other: &Self) -> usize {
        let (mut one, mut two, mut common) = (0, 0, 0);
        while let (Some(left), Some(right)) = (self.sorted.get(one), other.sorted.get(two)) {
            common += usize::from(left == right);
            one += usize::from(left <= right);
            two += usize::from(right <= left);
        }
        common
    }
}

/// Returns the hashes of the words of a text.
pub(crate) fn hashes(text: &str) -> Vec<u64> {
    let (mut hashes, mut word) = (Vec::new(), None);
    for c in text.chars() {
        if hashes.len() >= WORDS_MAX {
            return hashes;
        }
        if !c.is_alphanumeric() {
            hashes.extend(word.take());
            continue;
        }
        if c >= UNSPACED_FROM {
            hashes.extend(word.take());
        }
        let add = |word: u64, c: char| step(word, u64::from(c));
        let start = word.unwrap_or(SEED);
        let lower = if c.is_ascii() { add(start, c.to_ascii_lowercase()) } else { c.to_lowercase().fold(start, add) };
        if c >= UNSPACED_FROM {
            hashes.push(lower);
        } else {
            word = Some(lower);
        }
    }
    hashes.extend(word);
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_of_bags_of_words() {
        let f_measure = |one, other| Words::of(one).f_measure(&Words::of(other));
        assert_eq!(f_measure("a b b c", "B, b d!"), 4.0 / 7.0);
        assert_eq!((f_measure("", ""), f_measure("a", ""), f_measure("Äpfel", "äpfel")), (1.0, 0.0, 1.0));
        assert_eq!(f_measure("你好吗", "你好"), 0.8);
    }

    #[test]
    fn parts_of_texts_are_told_by_their_order() {
        let whole = Words::of("one two three four");
        assert!(Words::of("One two thr").begins(&whole) && !Words::of("two three").begins(&whole));
        assert!(Words::of("three, four").ends(&whole) && !Words::of("one two").ends(&whole));
        assert!(whole.contains(&Words::of("two three")) && !whole.contains(&Words::of("two four")));
        assert!(Words::of("").begins(&whole) && Words::of("").ends(&whole));
    }
}
