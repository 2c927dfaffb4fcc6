//! The words of an ASCII text, sixteen bytes at a time: hashing words is most of the work of reading a page's text.

use std::ops::Range;

use super::path::{fold_run, step};

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const TOPS: u64 = ONES << 7;
const LONG_ONES: u128 = u128::from_ne_bytes([1; 16]);
const LONG_TOPS: u128 = LONG_ONES << 7;
/// For each length of a word up to fifteen, its bytes among the first eight and among the next eight.
const WORD_BYTES: [[u64; 2]; 16] = word_bytes();

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

/// Passes the words of the `text` of a page to `push`: what white space separates. The text is ASCII; what follows it
/// on the page need not be.
#[inline]
pub(super) fn ascii_words(page: &[u8], text: Range<usize>, mut push: impl FnMut(HashedWord)) {
    let (mut at, end) = (text.start, text.end.min(page.len()));
    while at < end {
        if is_space(page[at]) {
            at += 1;
            continue;
        }
        let short = page[at..].first_chunk::<16>().and_then(|bytes| short_word(bytes, end - at));
        let (word, length) = short.unwrap_or_else(|| long_word(&page[at..end]));
        push(word);
        // White space ends it, or the text does.
        at += length + 1;
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Returns the word at the beginning of sixteen bytes and its length, if white space ends it there, or the text does,
/// which ends after `rest` bytes. The first byte is no white space.
///
/// It does the same for words of any length: a branch that depends on the length could not be predicted.
#[inline]
fn short_word(bytes: &[u8; 16], rest: usize) -> Option<(HashedWord, usize)> {
    let chunk = u128::from_le_bytes(*bytes);
    let spaces = chunk.wrapping_sub(LONG_ONES * (b' ' as u128 + 1)) & !chunk & LONG_TOPS;
    let solid = spaces.trailing_zeros() as usize / 8;
    let length = solid.min(rest);
    let [low, high] = *WORD_BYTES.get(length)?;
    // Other control characters are no white space.
    if solid < rest && !is_space(bytes[solid & 15]) {
        return None;
    }
    let (low, high) = (chunk as u64 & low, (chunk >> 64) as u64 & high);
    let first = step(length as u64, low);
    let hash = if length > 8 { step(first, high) } else { first };
    // Without the word's bytes only zeros are left, which are no digits.
    let digit = |word: u64| below(word ^ (ONES * b'0' as u64), 10);
    Some((HashedWord { hash, has_digit: digit(low) | digit(high) != 0 }, length))
}

const fn word_bytes() -> [[u64; 2]; 16] {
    let mut all = [[0; 2]; 16];
    let mut length = 1;
    while length < 16 {
        let bytes = (1_u128 << (8 * length)) - 1;
        all[length] = [bytes as u64, (bytes >> 64) as u64];
        length += 1;
    }
    all
}

/// Returns the word at the beginning of `text`, however long, and its length.
#[inline(never)]
fn long_word(text: &[u8]) -> (HashedWord, usize) {
    let length = length_of(text);
    (HashedWord::of(&text[..length]), length)
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

    /// The words of a text that `behind` follows on its page.
    fn words_before(text: &[u8], behind: &[u8]) -> Vec<HashedWord> {
        let mut words = Vec::new();
        ascii_words(&[b"<p>", text, behind].concat(), 3..3 + text.len(), |word| words.push(word));
        words
    }

    fn words(text: &[u8]) -> Vec<HashedWord> {
        words_before(text, b"")
    }

    #[test]
    fn words_of_any_length_are_found_at_any_place() {
        let word = |text: &str| HashedWord::of(text.as_bytes());
        assert_eq!(words(b" a1\tb\n\nabcdefgh abcdefghi x"), ["a1", "b", "abcdefgh", "abcdefghi", "x"].map(word));
        assert_eq!(words(b"c\x01d e"), ["c\u{1}d", "e"].map(word));
        assert_eq!((words(b""), words(b"  \t")), (vec![], vec![]));
        for length in 1..40 {
            let long = "abcdefgh7".repeat(5);
            let text = format!("{} b", &long[..length]);
            assert_eq!(words_before(text.as_bytes(), &[b'-'; 40]), [word(&long[..length]), word("b")], "{length}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn they_are_those_between_white_space(text in "([ \t\r\nab09/:~\u{1}\u{b}\u{1c}\u{7f}]{0,9}[a-z]{0,20}){0,6}") {
            let expected: Vec<HashedWord> = text.split_whitespace().map(|word| HashedWord::of(word.as_bytes())).collect();
            // A vertical tab is white space, an information separator is none.
            prop_assert_eq!(&words(text.as_bytes()), &expected);
            // What is behind the text is none of its words.
            for behind in ["x", "</p> 7 and so on until here", "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}"] {
                prop_assert_eq!(&words_before(text.as_bytes(), behind.as_bytes()), &expected);
            }
        }
    }
}
