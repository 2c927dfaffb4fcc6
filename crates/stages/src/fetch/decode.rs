//! Decodes content codings.
//!
//! gzip, deflate (with and without the zlib wrapper, RFC 9110 section 8.4.1.2), br and zstd, also stacked. Pure and
//! CPU-bound: runs on a worker. Bounded in bytes and in ratio, because a few KiB can decode to GiB. Broken or truncated
//! data yield what could be decoded. O(output).
//!
//! Servers name codings that are none (`none`, `UTF-8`), name one and send the body plain, or send another one. As in
//! browsers, a name that is not known changes nothing; where data are not what their name says, it is guessed what they
//! are.
//!
//! gzip, zstd and zlib data begin with a mark. brotli and raw deflate have none: data count as such if they decode to
//! their end and yield text.

mod coding;
mod member;

use bytes::Bytes;
use http::header::CONTENT_ENCODING;

use coding::{Coding, undo};
use harvestman_core::model::{Answer, MediaType};

pub use coding::{DecodeError, DecodeLimits, Decoded};

/// The codings that a header lists.
#[derive(Debug, Default)]
struct Listed {
    codings: Vec<Coding>,
    /// The first name that is none of a known coding.
    unknown: Option<String>,
}

/// Removes the codings that a `Content-Encoding` lists, the last one first.
pub fn decode(body: &Bytes, content_encoding: Option<&str>, limits: &DecodeLimits) -> Decoded {
    let listed = match listed(content_encoding.unwrap_or_default(), limits.codings_max) {
        Ok(listed) => listed,
        Err(error) => return Decoded { bytes: Bytes::new(), cut: None, error: Some(error) },
    };
    let mut decoded = Decoded::whole(body.clone());
    for coding in listed.codings.into_iter().rev() {
        // Responses to conditional requests have an empty body, whatever coding they announce.
        if decoded.bytes.is_empty() {
            break;
        }
        let next = remove(coding, &decoded.bytes, body.len(), limits);
        decoded = decoded.then(next);
    }
    match listed.unknown {
        Some(name) if !is_plain(&decoded.bytes) => {
            let next = as_it_looks(&decoded.bytes, body.len(), limits);
            let as_it_is =
                || Decoded { error: Some(DecodeError::Unknown(name)), ..Decoded::whole(decoded.bytes.clone()) };
            let next = next.unwrap_or_else(as_it_is);
            decoded.then(next)
        }
        _ => decoded,
    }
}

/// Removes the codings from a response's body. Several Content-Encoding lines count as one list (RFC 9110, section
/// 5.3). A page that is compressed although no coding is named is decompressed too.
pub fn decode_answer(answer: &Answer, limits: &DecodeLimits) -> Decoded {
    let lines = answer.headers.get_all(CONTENT_ENCODING).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let decoded = decode(&answer.body, Some(&lines.collect::<Vec<_>>().join(",")), limits);
    let is_page = || matches!(MediaType::of(answer.content_type()), MediaType::Html | MediaType::Xml);
    if decoded.bytes.starts_with(GZIP_MAGIC) && is_page() {
        let next = remove(Coding::Gzip, &decoded.bytes, answer.body.len(), limits);
        return decoded.then(next);
    }
    decoded
}

fn listed(header: &str, max: u32) -> Result<Listed, DecodeError> {
    let mut listed = Listed::default();
    for name in header.split(',').map(str::trim) {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        let coding = match name {
            _ if name.is_empty() || is("identity") => continue,
            _ if is("gzip") || is("x-gzip") => Coding::Gzip,
            _ if is("deflate") => Coding::Deflate,
            _ if is("br") => Coding::Brotli,
            _ if is("zstd") => Coding::Zstd,
            _ => {
                listed.unknown.get_or_insert_with(|| name.chars().take(40).collect());
                continue;
            }
        };
        if listed.codings.len() >= max as usize {
            return Err(DecodeError::TooMany);
        }
        listed.codings.push(coding);
    }
    Ok(listed)
}

/// Removes one coding, or what the data have instead of it. `coded_len` is the length of the body as received, which
/// the ratio is relative to.
fn remove(coding: Coding, data: &Bytes, coded_len: usize, limits: &DecodeLimits) -> Decoded {
    let named = undo(coding, data, coded_len, limits);
    if is_as_named(coding, data, &named) {
        return named;
    }
    let plain = is_plain(data).then(|| Decoded::whole(data.clone()));
    plain.or_else(|| as_it_looks(data, coded_len, limits)).unwrap_or(named)
}

/// The first bytes of a gzip member that is compressed with deflate.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b, 8];
/// The first bytes of a zstd frame.
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Number of bytes at the beginning of data that are looked at.
const LOOKED_AT: usize = 512;
/// Data of so many bytes without a control character are text in any charset: of compressed data, one in 10^12.
const CONVINCING: usize = 256;

/// Returns whether `decoded` is to be taken for the content of `data`, which the server says to be in `coding`.
fn is_as_named(coding: Coding, data: &[u8], decoded: &Decoded) -> bool {
    match (coding, &decoded.error) {
        // They begin with a mark, so that what was decoded before an error is their content.
        (Coding::Gzip | Coding::Zstd, error) => error.is_none() || !decoded.bytes.is_empty(),
        (Coding::Deflate | Coding::Brotli, Some(_)) => false,
        // Few texts are also valid data, whose content is noise.
        (Coding::Deflate | Coding::Brotli, None) => !is_plain(data) || is_plain(&decoded.bytes),
    }
}

/// Decodes data by what they look like; `None` if they look like no coding.
fn as_it_looks(data: &Bytes, coded_len: usize, limits: &DecodeLimits) -> Option<Decoded> {
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
fn is_plain(data: &[u8]) -> bool {
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
mod tests;
