//! Tells what data are that are not in the coding that a server names.
//!
//! gzip, zstd and zlib data begin with a mark. brotli and raw deflate have none: data count as such if they decode to
//! their end and yield text.

use bytes::Bytes;

use super::coding::{Coding, DecodeLimits, Decoded, undo};

/// The first bytes of a gzip member that is compressed with deflate.
pub(super) const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b, 8];
/// The first bytes of a zstd frame.
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Number of bytes at the beginning of data that are looked at.
const LOOKED_AT: usize = 512;
/// Data of so many bytes without a control character are text in any charset: of compressed data, one in 10^12.
const CONVINCING: usize = 256;

/// Returns whether `decoded` is to be taken for the content of `data`, which the server says to be in `coding`.
pub(super) fn is_as_named(coding: Coding, data: &[u8], decoded: &Decoded) -> bool {
    match (coding, &decoded.error) {
        // They begin with a mark, so that what was decoded before an error is their content.
        (Coding::Gzip | Coding::Zstd, error) => error.is_none() || !decoded.bytes.is_empty(),
        (Coding::Deflate | Coding::Brotli, Some(_)) => false,
        // Few texts are also valid data, whose content is noise.
        (Coding::Deflate | Coding::Brotli, None) => !is_plain(data) || is_plain(&decoded.bytes),
    }
}

/// Decodes data by what they look like; `None` if they look like no coding.
pub(super) fn as_it_looks(data: &Bytes, coded_len: usize, limits: &DecodeLimits) -> Option<Decoded> {
    let by_mark = match data.as_ref() {
        data if data.starts_with(GZIP_MAGIC) => Some(Coding::Gzip),
        data if data.starts_with(ZSTD_MAGIC) => Some(Coding::Zstd),
        _ => None,
    };
    if let Some(coding) = by_mark {
        return Some(undo(coding, data, coded_len, limits)).filter(|decoded| !decoded.bytes.is_empty());
    }
    [Coding::Deflate, Coding::Brotli].into_iter().map(|coding| undo(coding, data, coded_len, limits)).find(is_text)
}

fn is_text(decoded: &Decoded) -> bool {
    decoded.error.is_none() && !decoded.bytes.is_empty() && is_plain(&decoded.bytes)
}

/// Returns whether data look like text rather than compressed data.
pub(super) fn is_plain(data: &[u8]) -> bool {
    if data.starts_with(&[0xfe, 0xff]) || data.starts_with(&[0xff, 0xfe]) {
        return true;
    }
    let start = &data[..data.len().min(LOOKED_AT)];
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 11 | 14..=31 | 127);
    if start.iter().any(is_control) {
        return false;
    }
    let is_utf8 = std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 || start.len() >= CONVINCING || start.trim_ascii_start().starts_with(b"<")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_any_charset_is_plain_and_compressed_data_are_not() {
        let latin_1 = b"Gr\xf6\xdfe ".repeat(64);
        for plain in [b"".as_slice(), b"<p>\xd1\xe0\xe9\xf2", "größer\t\r\n".as_bytes(), b"\xff\xfe<\0", &latin_1] {
            assert!(is_plain(plain), "{plain:?}");
        }
        let cut_in_a_letter = "ä".repeat(LOOKED_AT);
        assert!(is_plain(&cut_in_a_letter.as_bytes()[1..]) && is_plain(&cut_in_a_letter.as_bytes()[..LOOKED_AT - 1]));
        for coded in [GZIP_MAGIC, b"\x78\x9c\x03\x00", b"a\0", b"Gr\xf6\xdfe"] {
            assert!(!is_plain(coded), "{coded:?}");
        }
    }
}
