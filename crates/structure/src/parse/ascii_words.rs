//! The words of an ASCII text, eight bytes at a time: hashing words is most of the work of reading a page's text.

use super::path::{fold_run, step};

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const TOPS: u64 = ONES << 7;

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HashedWord {
    /// The same as `fold` of its bytes.
    pub hash: u64,
    /// Whether a digit is in it.
    pub has_digit: bool,
}

impl HashedWord {
    /// Hashes a word.
    pub fn of(bytes: &[u8]) -> Self {
        Self { hash: fold_run(bytes), has_digit: bytes.iter().any(u8::is_ascii_digit) }
    }
}

/// Passes the words of `text`, which is ASCII, to `push`: what white space separates.
#[inline]
pub(super) fn ascii_words(text: &[u8], mut push: impl FnMut(HashedWord)) {
    let mut rest = text;
    loop {
        let Some(begin) = rest.iter().position(|byte| !is_space(*byte)) else { return };
        rest = &rest[begin..];
        if let Some((word, length)) = rest.first_chunk::<8>().and_then(short_word) {
            push(word);
            rest = &rest[length..];
        } else {
            let length = length_of(rest);
            push(HashedWord::of(&rest[..length]));
            rest = &rest[length..];
        }
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Returns the word at the beginning of eight bytes and its length, if white space ends it there. The first byte is none.
#[inline]
fn short_word(bytes: &[u8; 8]) -> Option<(HashedWord, usize)> {
    let chunk = u64::from_le_bytes(*bytes);
    let spaces = below(chunk, b' ' + 1);
    let length = spaces.trailing_zeros() as usize / 8;
    // Other control characters are no white space.
    if spaces == 0 || !is_space(bytes[length]) {
        return None;
    }
    let word = chunk & ((1 << (8 * length)) - 1);
    // Without the word's bytes only zeros are left, which are no digits.
    let has_digit = below(word ^ (ONES * b'0' as u64), 10) != 0;
    Some((HashedWord { hash: step(length as u64, word), has_digit }, length))
}

/// Returns the length of the word at the beginning of `text`.
fn length_of(text: &[u8]) -> usize {
    let (eights, _) = text.as_chunks::<8>();
    let whole = eights.iter().take_while(|eight| below(u64::from_le_bytes(**eight), b' ' + 1) == 0).count() * 8;
    text[whole..].iter().position(|byte| is_space(*byte)).map_or(text.len(), |rest| whole + rest)
}

/// Returns a word whose lowest bit is in the first byte of `word` that is below `limit`, at most 128; 0 if none is.
/// Bytes behind that one may have bits though they are not below.
const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(ONES * limit as u64) & !word & TOPS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &[u8]) -> Vec<HashedWord> {
        let mut words = Vec::new();
        ascii_words(text, |word| words.push(word));
        words
    }

    #[test]
    fn words_of_any_length_are_found_at_any_place() {
        let word = |text: &str| HashedWord::of(text.as_bytes());
        assert_eq!(words(b" a1\tb\n\nabcdefgh abcdefghi x"), ["a1", "b", "abcdefgh", "abcdefghi", "x"].map(word));
        assert_eq!(words(b"c\x01d e"), ["c\u{1}d", "e"].map(word));
        assert_eq!((words(b""), words(b"  \t")), (vec![], vec![]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn they_are_those_between_white_space(text in "([ \t\r\nab09/:~\u{1}\u{b}\u{1c}\u{7f}]{0,9}[a-z]{0,20}){0,6}") {
            let expected: Vec<HashedWord> = text.split_whitespace().map(|word| HashedWord::of(word.as_bytes())).collect();
            // A vertical tab is white space, an information separator is none.
            prop_assert_eq!(words(text.as_bytes()), expected);
        }
    }
}
