//! Reads recorded responses: the blocks of the `response` records of WARC files of any tool. Heads are parsed
//! leniently, because a recording cannot be repeated; the transfer coding and content coding of the body are removed.

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue, TRANSFER_ENCODING};
use http::{HeaderMap, Version};

use super::decode::{DecodeLimits, decode_answer};
use harvestman_core::config::FetchOptions;
use harvestman_core::model::Answer;

/// A recorded response without its codings.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedResponse {
    /// Its status.
    pub status: u16,
    /// Its header fields, as they were recorded.
    pub headers: HeaderMap,
    /// Its decoded body.
    pub body: Bytes,
    /// Whether the body was decoded completely.
    pub is_whole: bool,
}

impl RecordedResponse {
    /// Reads the block of a `response` record. `None` if it is not HTTP.
    pub fn read(message: &Bytes) -> Option<Self> {
        Self::read_if(message, |_, _| true)
    }

    /// The same for a response whose status and header fields are wanted; the bodies of others are not decoded.
    pub fn read_if(message: &Bytes, wanted: impl FnOnce(u16, &HeaderMap) -> bool) -> Option<Self> {
        let head = read(message).filter(|head| wanted(head.status, &head.headers))?;
        let plain = plain(head.status, &head.headers, message.slice(head.length..));
        Some(Self { status: head.status, headers: head.headers, body: plain.bytes, is_whole: plain.whole })
    }
}

/// Returns the header fields and the decoded body of a recorded response; `None` if it is not HTTP.
pub fn recorded_response(message: &Bytes) -> Option<(HeaderMap, Bytes)> {
    RecordedResponse::read(message).map(|response| (response.headers, response.body))
}

/// The head of a response, and the start of its body.
#[derive(Debug, PartialEq)]
struct Head {
    pub status: u16,
    pub headers: HeaderMap,
    /// Number of bytes before the body.
    pub length: usize,
}

/// Maximum number of fields of a head; further ones are skipped.
const FIELDS_MAX: usize = 1_000;

/// Parses the head of `message`: line ends may be bare line feeds, folded values are joined, invalid fields are
/// skipped, and a head without an end has no body. Returns `None` if it does not start like an HTTP response.
fn read(message: &[u8]) -> Option<Head> {
    let mut lines = Lines { rest: message, taken: 0 };
    let status = status(lines.next()?)?;
    let mut fields: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for line in lines.by_ref() {
        if line.is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            if let Some((_, value)) = fields.last_mut() {
                value.push(b' ');
                value.extend_from_slice(line.trim_ascii());
            }
        } else if let Some(colon) = memchr::memchr(b':', line)
            && fields.len() < FIELDS_MAX
        {
            fields.push((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii().to_vec()));
        }
    }
    let mut headers = HeaderMap::with_capacity(fields.len());
    for (name, value) in fields {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(&value)) {
            headers.append(name, value);
        }
    }
    Some(Head { status, headers, length: lines.taken })
}

/// The status in `HTTP/1.1 200 OK`.
fn status(line: &[u8]) -> Option<u16> {
    let mut words = line.strip_prefix(b"HTTP/")?.split(|byte| *byte == b' ').skip(1).filter(|word| !word.is_empty());
    let status = str::from_utf8(words.next()?).ok()?.parse().ok()?;
    (100..1000).contains(&status).then_some(status)
}

/// An iterator over lines, without line ends.
struct Lines<'a> {
    rest: &'a [u8],
    taken: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest);
        let length = end.map_or(self.rest.len(), |end| end + 1);
        let (line, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.taken += length;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// A body without its codings.
struct Plain {
    pub bytes: Bytes,
    /// Whether it was decoded completely.
    pub whole: bool,
}

/// Removes the codings named by `headers`.
///
/// Some tools record the message as received, others remove one coding or both but keep the headers; therefore a body
/// that does not look encoded as its header says is treated as already decoded, like one that a server sends so.
fn plain(status: u16, headers: &HeaderMap, body: Bytes) -> Plain {
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

    #[test]
    fn a_response_is_read_without_its_codings() {
        let message =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n";
        let read = RecordedResponse::read(&Bytes::from_static(message)).unwrap();
        assert_eq!((read.headers["content-type"].to_str().unwrap(), &read.body[..]), ("text/html", &b"<p>"[..]));
        assert!(read.status == 200 && read.is_whole);
        assert!(RecordedResponse::read(&Bytes::from_static(b"GET / HTTP/1.1")).is_none());
    }

    #[test]
    fn a_head_is_read_up_to_its_body() {
        let message = b"HTTP/1.1 301 Moved: here\r\nLocation: /x\r\nset-cookie: a\r\nSet-Cookie: b\r\n\r\nbody\n\n";
        let head = read(message).unwrap();
        assert_eq!((head.status, &message[head.length..]), (301, &b"body\n\n"[..]));
        assert_eq!(head.headers["location"], "/x");
        assert_eq!(head.headers.get_all("set-cookie").iter().count(), 2);
    }

    #[test]
    fn common_mistakes_of_tools_are_tolerated() {
        let message = b"HTTP/1.0  200\nA: b\n  c\nno field\nbad name: x\nD : e\n\nbody";
        let head = read(message).unwrap();
        assert_eq!((head.status, &message[head.length..]), (200, &b"body"[..]));
        assert_eq!(
            (&head.headers["a"], &head.headers["d"], head.headers.len()),
            (&HeaderValue::from_static("b c"), &HeaderValue::from_static("e"), 2)
        );
        assert_eq!(read(b"HTTP/1.1 404 Not Found\r\nA: b").unwrap().length, 28);
    }

    #[test]
    fn other_messages_have_no_head() {
        for none in
            ["", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 abc\r\n", "HTTP/1.1 99999 x\r\n", "<html>"]
        {
            assert_eq!(read(none.as_bytes()), None, "{none}");
        }
    }

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
