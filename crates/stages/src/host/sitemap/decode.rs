//! Decodes bytes to text: gzip, then the character encoding.

use std::borrow::Cow;
use std::io::Read;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use flate2::read::MultiGzDecoder;

use super::collect::{SitemapError, SitemapLimits};
use harvestman_core::model::ContentType;

const GZIP_MAGIC: &[u8] = b"\x1f\x8b";

/// Maximum number of compression layers: some servers compress `sitemap.xml.gz` a second time.
const LAYERS: usize = 2;

/// The size up to which a document may always expand, whatever the ratio: small XML can be very repetitive.
const ALWAYS_ALLOWED: usize = 1 << 20;

/// Number of bytes that are searched for the encoding in an XML declaration.
const DECLARATION: usize = 256;

/// Decompresses a document to at most `limits.bytes`. Returns it and whether it is truncated. Data that breaks off
/// yields what precedes the break.
pub fn decompress(bytes: &[u8], limits: SitemapLimits) -> Result<(Cow<'_, [u8]>, bool), SitemapError> {
    let mut plain = Cow::Borrowed(bytes);
    let mut cut = false;
    for _ in 0..LAYERS {
        if !plain.starts_with(GZIP_MAGIC) {
            break;
        }
        let (inner, inner_cut) = decompress_layer(&plain, limits)?;
        plain = Cow::Owned(inner);
        cut |= inner_cut;
    }
    if plain.starts_with(GZIP_MAGIC) {
        return Err(SitemapError::Gzip);
    }
    if plain.len() > limits.bytes {
        cut = true;
        match &mut plain {
            Cow::Borrowed(bytes) => *bytes = &bytes[..limits.bytes],
            Cow::Owned(bytes) => bytes.truncate(limits.bytes),
        }
    }
    Ok((plain, cut))
}

fn decompress_layer(bytes: &[u8], limits: SitemapLimits) -> Result<(Vec<u8>, bool), SitemapError> {
    let by_ratio = bytes.len().saturating_mul(limits.ratio).max(ALWAYS_ALLOWED);
    let budget = limits.bytes.min(by_ratio);
    let mut plain = Vec::new();
    // One byte more than allowed distinguishes a document of the maximum size from a larger one.
    let readable = u64::try_from(budget).unwrap_or(u64::MAX).saturating_add(1);
    let result = MultiGzDecoder::new(bytes).take(readable).read_to_end(&mut plain);
    match result {
        Err(_) if plain.is_empty() => Err(SitemapError::Gzip),
        _ if plain.len() > budget && by_ratio < limits.bytes => Err(SitemapError::Bomb(limits.ratio)),
        result => Ok((plain, result.is_err())),
    }
}

/// Decodes a document. Its encoding is that of the byte order mark, else of the header, else of the XML declaration
/// (RFC 7303, section 3), else UTF-8, or Windows-1252 if it is not valid UTF-8.
pub fn to_text<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let declared = utf_16_without_mark(bytes)
        .or_else(|| header_encoding(bytes, content_type))
        .or_else(|| declared_encoding(bytes));
    let fallback = if is_utf_8(bytes) { UTF_8 } else { WINDOWS_1252 };
    declared.unwrap_or(fallback).decode_without_bom_handling(bytes).0
}

/// Returns whether the text is UTF-8, apart from a truncated last character.
fn is_utf_8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Detects UTF-16 by the zero bytes between the ASCII characters of `<?` or `<u`.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, next, 0, ..] if *next != 0 => Some(UTF_16LE),
        [0, b'<', 0, next, ..] if *next != 0 => Some(UTF_16BE),
        _ => None,
    }
}

fn header_encoding(bytes: &[u8], content_type: Option<&str>) -> Option<&'static Encoding> {
    let label = ContentType::charset_of(content_type?)?;
    readable(Encoding::for_label(label.as_bytes()), bytes)
}

fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.trim_ascii_start();
    let declaration = &start[..start.len().min(DECLARATION)];
    let declaration = declaration.strip_prefix(b"<?xml")?;
    let declaration = String::from_utf8_lossy(declaration.split(|&byte| byte == b'>').next()?);
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let label = value.trim_matches(['"', '\'', '?']).split(['"', '\'', '?']).next()?;
    readable(Encoding::for_label(label.trim().as_bytes()), bytes)
}

/// Rejects UTF-16 for a document that starts with plain ASCII, whatever is declared.
fn readable(encoding: Option<&'static Encoding>, bytes: &[u8]) -> Option<&'static Encoding> {
    encoding.filter(|encoding| encoding.is_ascii_compatible() || !bytes.trim_ascii_start().starts_with(b"<"))
}

/// Returns the characters of `text` that lie entirely within its first `bytes` bytes.
pub fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
