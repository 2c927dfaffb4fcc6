//! Decodes content codings.
//!
//! gzip, deflate (with and without the zlib wrapper, RFC 9110 section 8.4.1.2), br and zstd, also stacked. Pure and
//! CPU-bound: runs on a worker. Bounded in bytes and in ratio, because a few KiB can decode to GiB. Broken or truncated
//! data yield what could be decoded. O(output).
//!
//! Servers name codings that are none (`none`, `UTF-8`), name one and send the body plain, or send another one. As in
//! browsers, a name that is not known changes nothing; where data are not what their name says, [`guess`] tells what
//! they are.

use bytes::Bytes;
use http::header::CONTENT_ENCODING;

use harvestman_core::model::{Answer, MediaType};

mod coding;
mod guess;
mod member;

use coding::{Coding, undo};
pub use coding::{DecodeError, DecodeLimits, Decoded};
use guess::{GZIP_MAGIC, as_it_looks, is_as_named, is_plain};

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

#[cfg(test)]
mod tests;
