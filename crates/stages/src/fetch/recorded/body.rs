//! Removes the transfer coding and content coding of a recorded message body.

use bytes::Bytes;
use http::Version;
use http::header::{HeaderMap, TRANSFER_ENCODING};

use crate::fetch::decode::{DecodeLimits, decode_answer};
use harvestman_core::config::FetchOptions;
use harvestman_core::model::Answer;

/// A body without its codings.
pub(super) struct Plain {
    pub bytes: Bytes,
    /// Whether it was decoded completely.
    pub whole: bool,
}

/// Removes the codings named by `headers`.
///
/// Some tools record the message as received, others remove one coding or both but keep the headers; therefore a body
/// that does not look encoded as its header says is treated as already decoded, like one that a server sends so.
pub(super) fn plain(status: u16, headers: &HeaderMap, body: Bytes) -> Plain {
    let chunked = headers.get_all(TRANSFER_ENCODING).iter().any(|value| {
        value.to_str().is_ok_and(|codings| codings.split(',').any(|name| name.trim().eq_ignore_ascii_case("chunked")))
    });
    let joined = if chunked { dechunk(&body) } else { None };
    let (body, joined_whole) = match joined {
        Some((joined, whole)) => (Bytes::from(joined), whole),
        None => (body, true),
    };
    let decoded = decode(status, headers, body);
    Plain { whole: decoded.whole && joined_whole, ..decoded }
}

fn decode(status: u16, headers: &HeaderMap, body: Bytes) -> Plain {
    let answer = Answer {
        status,
        version: Version::HTTP_11,
        headers: headers.clone(),
        body,
        truncated: None,
        remote: None,
        reservation: None,
    };
    let decoded = decode_answer(&answer, &DecodeLimits::from(&FetchOptions::default()));
    Plain { whole: decoded.error.is_none() && decoded.cut.is_none(), bytes: decoded.bytes }
}

/// Joins the chunks of a body (RFC 9112, section 7.1), and returns whether the last one was present. `None` if the body
/// does not start with a chunk.
fn dechunk(body: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut joined = Vec::with_capacity(body.len());
    let (mut size, mut rest) = chunk_size(body)?;
    while size > 0 {
        let Some((chunk, behind)) = rest.split_at_checked(size) else {
            joined.extend_from_slice(rest);
            return Some((joined, false));
        };
        joined.extend_from_slice(chunk);
        let behind = behind.strip_prefix(b"\r").unwrap_or(behind);
        let behind = behind.strip_prefix(b"\n").unwrap_or(behind);
        match chunk_size(behind) {
            Some(next) => (size, rest) = next,
            None => return Some((joined, false)),
        }
    }
    Some((joined, true))
}

/// Returns the size in the first line of a chunk, and the bytes after that line.
fn chunk_size(body: &[u8]) -> Option<(usize, &[u8])> {
    let line_end = memchr::memchr(b'\n', &body[..body.len().min(1_024)])?;
    let line = body[..line_end].split(|byte| *byte == b';').next()?;
    let size = usize::from_str_radix(str::from_utf8(line).ok()?.trim(), 16).ok()?;
    Some((size, &body[line_end + 1..]))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn chunked(text: &[u8], size: usize) -> Vec<u8> {
        let mut out = Vec::new();
        for chunk in text.chunks(size) {
            write!(out, "{:x};name=value\r\n", chunk.len()).unwrap();
            out.extend_from_slice(chunk);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
        out
    }

    fn of(fields: &[(&'static str, &'static str)], body: &[u8]) -> (Vec<u8>, bool) {
        let plain = plain(200, &headers(fields), Bytes::copy_from_slice(body));
        (plain.bytes.to_vec(), plain.whole)
    }

    const BOTH: &[(&str, &str)] = &[("transfer-encoding", "chunked"), ("content-encoding", "gzip")];

    #[test]
    fn remaining_codings_are_removed() {
        let text = b"<html><p>hello, hello, hello</html>".to_vec();
        for body in [chunked(&gzip(&text), 7), gzip(&text), text.clone(), chunked(&text, 5)] {
            assert_eq!(of(BOTH, &body), (text.clone(), true));
        }
        assert_eq!(of(&[], &text), (text.clone(), true));
        assert_eq!(of(BOTH, b""), (Vec::new(), true));
    }

    #[test]
    fn a_truncated_body_keeps_its_beginning_and_is_incomplete() {
        let text = b"<html>0123456789</html>";
        let (body, whole) = of(BOTH, &chunked(text, 10)[..25]);
        assert!(!whole && text.starts_with(&body) && !body.is_empty());
        let packed = gzip(&b"0123456789".repeat(1_000));
        assert!(!of(BOTH, &packed[..packed.len() - 9]).1);
        assert_eq!(of(&[("content-encoding", "gzip")], b"\x1f\x8b\x08\x00broken"), (Vec::new(), false));
    }

    proptest! {
        #[test]
        fn chunks_of_any_size_are_joined(text in prop::collection::vec(any::<u8>(), 1..300), size in 1_usize..50) {
            prop_assert_eq!(dechunk(&chunked(&text, size)), Some((text, true)));
        }

        #[test]
        fn any_bytes_are_taken(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let (bytes, _) = of(BOTH, &body);
            prop_assert!(bytes.len() <= 2 << 20);
        }
    }
}
