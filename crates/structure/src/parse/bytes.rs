//! Classes of bytes in HTML, and searches for them. Most runs on a page are a few bytes long, so the searches look at
//! eight bytes at once before they call the machinery for long runs.

use memchr::memchr;

/// Bytes that a search looks at by itself.
const NEAR: usize = 32;
/// The byte 1 in each byte of a 64-bit word.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns whether `b` is white space in HTML.
#[inline(always)]
pub(super) const fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\n' | b'\t' | b'\r' | 0x0c)
}

/// Bytes that end a tag's name.
pub(super) const ENDS_TAG_NAME: [bool; 256] = ends(b"/>");
/// Bytes that end an attribute's name.
pub(super) const ENDS_ATTRIBUTE_NAME: [bool; 256] = ends(b"/>=");
/// Bytes that end a value without quotes.
pub(super) const ENDS_UNQUOTED: [bool; 256] = ends(b">");

/// Returns the eight bytes at `at`, little-endian; `None` if there are fewer.
#[inline(always)]
pub(super) fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*eight))
}

/// Returns the number of lower-case letters (or one of a few signs that end no name) that the eight bytes at `at` begin
/// with, together with the eight bytes; `None` unless the run ends within them.
#[inline(always)]
pub(super) fn leading_letters(bytes: &[u8], at: usize) -> Option<(usize, u64)> {
    const LETTER_BITS: u64 = ONES * 0x60;
    let word = eight(bytes, at)?;
    // The bytes that end a name have one of these bits unset, as have capitals, digits and hyphens.
    let ends = !word & LETTER_BITS;
    (ends != 0).then(|| (ends.trailing_zeros() as usize / 8, word))
}

/// Returns the position of the first `wanted` in `bytes`.
#[inline(always)]
pub(super) fn find(wanted: u8, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < NEAR {
        let Some(word) = eight(bytes, at) else { break };
        // The lowest zero byte has its top bit set here; there may be false ones above it.
        let same = word ^ (ONES * u64::from(wanted));
        let zeros = same.wrapping_sub(ONES) & !same & (ONES << 7);
        if zeros != 0 {
            return Some(at + zeros.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    memchr(wanted, bytes.get(at..)?).map(|found| at + found)
}

/// Returns the number of bytes of white space that `bytes` begins with.
#[inline(always)]
pub(super) fn leading_space(bytes: &[u8]) -> usize {
    let mut at = usize::from(bytes.first().is_some_and(|b| is_space(*b)));
    // Indentation.
    while let Some(word) = eight(bytes, at).filter(|_| at > 0) {
        let other = word ^ (ONES * u64::from(b' '));
        at += other.trailing_zeros() as usize / 8;
        if other != 0 {
            break;
        }
    }
    while bytes.get(at).is_some_and(|b| is_space(*b)) {
        at += 1;
    }
    at
}

/// Returns a table of white space and the bytes `more`.
const fn ends(more: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = is_space(b as u8);
        b += 1;
    }
    let mut i = 0;
    while i < more.len() {
        table[more[i] as usize] = true;
        i += 1;
    }
    table
}

/// Removes white space at both ends of `text`, and collapses inner white space to single blanks.
pub(super) fn squeeze_in_place(text: &mut Vec<u8>) {
    let mut length = 0;
    for at in 0..text.len() {
        let space = is_space(text[at]);
        if !space || (length > 0 && text[length - 1] != b' ') {
            text[length] = if space { b' ' } else { text[at] };
            length += 1;
        }
    }
    text.truncate(length);
    if text.last() == Some(&b' ') {
        text.pop();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn searches_find_what_looking_at_each_byte_finds(bytes in proptest::collection::vec(30..36_u8, 0..80)) {
            prop_assert_eq!(find(33, &bytes), bytes.iter().position(|b| *b == 33));
            let space = bytes.iter().position(|b| !is_space(*b)).unwrap_or(bytes.len());
            prop_assert_eq!(leading_space(&bytes), space);
        }

        #[test]
        fn indentation_is_white_space(newline in any::<bool>(), blanks in 0..40_usize, end in "[a<]?") {
            let text = format!("{}{}{end}", if newline { "\n" } else { "" }, " ".repeat(blanks));
            prop_assert_eq!(leading_space(text.as_bytes()), text.len() - end.len());
        }
    }
}
