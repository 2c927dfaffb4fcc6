//! From bytes to text: gzip, then the character encoding.

use std::borrow::Cow;
use std::io::Read;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use flate2::read::MultiGzDecoder;

use super::contents::{SitemapError, SitemapLimits};

const GZIP_MAGIC: &[u8] = b"\x1f\x8b";

/// How often a document is decompressed: some servers compress `sitemap.xml.gz` once more.
const LAYERS: usize = 2;

/// What a document may always grow to, whatever the ratio: small XML can be very repetitive.
const ALWAYS_ALLOWED: usize = 1 << 20;

/// How much of a document is searched for an XML declaration's encoding.
const DECLARATION: usize = 256;

/// The document decompressed, at most `limits.bytes` of it, and whether it is cut. Data that breaks off gives what came before.
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
    // One byte more than allowed tells a document that is as large as allowed from one that is larger.
    let readable = u64::try_from(budget).unwrap_or(u64::MAX).saturating_add(1);
    let result = MultiGzDecoder::new(bytes).take(readable).read_to_end(&mut plain);
    match result {
        Err(_) if plain.is_empty() => Err(SitemapError::Gzip),
        _ if plain.len() > budget && by_ratio < limits.bytes => Err(SitemapError::Bomb(limits.ratio)),
        result => Ok((plain, result.is_err())),
    }
}

/// The document as text. The encoding is that of its byte order mark, else of the header, else of the XML declaration (RFC
/// 7303, section 3), else UTF-8, and Windows-1252 where it is not even that.
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

/// Whether the text is UTF-8, but for a last character that is cut.
fn is_utf_8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// UTF-16 shows by the zero bytes between the ASCII characters of `<?` or `<u`.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, next, 0, ..] if *next != 0 => Some(UTF_16LE),
        [0, b'<', 0, next, ..] if *next != 0 => Some(UTF_16BE),
        _ => None,
    }
}

fn header_encoding(bytes: &[u8], content_type: Option<&str>) -> Option<&'static Encoding> {
    let parameters = content_type?.split(';').skip(1);
    let charset =
        parameters.filter_map(|p| p.split_once('=')).find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    let label = charset.1.trim().trim_matches(['"', '\'']);
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

/// A document that starts with plain ASCII is not in UTF-16, whatever is said of it.
fn readable(encoding: Option<&'static Encoding>, bytes: &[u8]) -> Option<&'static Encoding> {
    encoding.filter(|encoding| encoding.is_ascii_compatible() || !bytes.trim_ascii_start().starts_with(b"<"))
}

/// The characters of `text` that lie whole within its first `bytes` bytes.
pub fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
