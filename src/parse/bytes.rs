//! Classes of bytes in HTML.

/// Whether `b` is white space to HTML.
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

/// A table of white space and the bytes `more`.
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
