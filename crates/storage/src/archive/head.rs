//! HTTP heads as they are stored: requests and responses in the text form of HTTP/1.1 (RFC 9112), regardless of the
//! protocol version.
//!
//! The client returns bodies without their transfer coding, and HTTP/2 has no text form. So that every reader
//! understands the stored message, a stored head never claims a transfer coding (the field is renamed to
//! `x-crawler-transfer-encoding`), its `content-length` is the length of the stored body (a differing one is renamed to
//! `x-crawler-content-length`), and HTTP/2 is written as HTTP/1.1. Header names are in lower case because the client
//! does not preserve their spelling. Values are bytes and are not changed, except for bytes that would break the
//! framing.

use std::io::Write;

use http::header::{CONTENT_LENGTH, HOST, HeaderMap, HeaderName, TRANSFER_ENCODING};
use http::{StatusCode, Version};

use super::named_fields::safe_uri;
use harvestman_core::model::Answer;
use harvestman_core::url::CanonicalUrl;

/// Fields that HTTP/2 does not index, as it does no secrets, and that are none.
const SIGNATURES: [&str; 2] = ["signature", "signature-input"];
/// Replaces a header value that must not be archived.
const REDACTED: &[u8] = b"(redacted)";

/// Appends the head of `answer`, with the empty line at its end.
pub(super) fn write_response(answer: &Answer, out: &mut Vec<u8>) {
    let reason = StatusCode::from_u16(answer.status).ok().and_then(|s| s.canonical_reason()).unwrap_or_default();
    write!(out, "{} {:03} {reason}\r\n", text_version(answer.version), answer.status).expect("a Vec takes every write");
    let body_length = answer.body.len().to_string();
    let mut length_stated = false;
    for (name, value) in &answer.headers {
        if name == TRANSFER_ENCODING {
            field(b"x-crawler-transfer-encoding", value.as_bytes(), out);
        } else if name == CONTENT_LENGTH {
            // Several equal lengths count as one (RFC 9112, section 6.3). None may contradict the stored body.
            if !std::mem::replace(&mut length_stated, true) {
                field(b"content-length", body_length.as_bytes(), out);
            }
            if value.as_bytes().trim_ascii() != body_length.as_bytes() {
                field(b"x-crawler-content-length", value.as_bytes(), out);
            }
        } else {
            field(name.as_str().as_bytes(), value.as_bytes(), out);
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// Appends the head of a GET request, with the empty line at its end. The values of `redacted` headers are replaced,
/// and those that are marked as sensitive: what the user gave, and cookies.
pub(super) fn write_request(
    url: &CanonicalUrl,
    version: Version,
    headers: &HeaderMap,
    redacted: &[HeaderName],
    out: &mut Vec<u8>,
) {
    write!(out, "GET {} {}\r\n", safe_uri(url.path_and_query()), text_version(version))
        .expect("a Vec takes every write");
    if !headers.contains_key(HOST) {
        // HTTP/2 sends the authority as a pseudo-header.
        let authority = url.origin().split_once("://").map_or("", |(_, authority)| authority);
        field(b"host", authority.as_bytes(), out);
    }
    for (name, value) in headers {
        let is_secret = value.is_sensitive() && !SIGNATURES.contains(&name.as_str());
        let value = if redacted.contains(name) || is_secret { REDACTED } else { value.as_bytes() };
        field(name.as_str().as_bytes(), value, out);
    }
    out.extend_from_slice(b"\r\n");
}

/// Returns the name of the protocol for `WARC-Protocol`.
pub(super) fn protocol(version: Version) -> Option<&'static str> {
    match version {
        Version::HTTP_09 => Some("http/0.9"),
        Version::HTTP_10 => Some("http/1.0"),
        Version::HTTP_11 => Some("http/1.1"),
        Version::HTTP_2 => Some("h2"),
        Version::HTTP_3 => Some("h3"),
        _ => None,
    }
}

fn text_version(version: Version) -> &'static str {
    if version == Version::HTTP_10 { "HTTP/1.0" } else { "HTTP/1.1" }
}

fn field(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    let start = out.len();
    out.extend_from_slice(value);
    // `HeaderValue` guarantees that there are none, but the framing of the archive must not depend on another crate.
    for byte in out[start..].iter_mut().filter(|byte| matches!(**byte, b'\r' | b'\n' | 0)) {
        *byte = b' ';
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderValue;

    use super::*;

    fn answer(version: Version, headers: &[(&str, &[u8])], body: &'static [u8]) -> Answer {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::try_from(*name).unwrap(), HeaderValue::from_bytes(value).unwrap());
        }
        Answer {
            status: 200,
            version,
            headers: map,
            body: Bytes::from(body),
            truncated: None,
            remote: None,
            reservation: None,
        }
    }

    fn stored(answer: &Answer) -> Vec<u8> {
        let mut out = Vec::new();
        write_response(answer, &mut out);
        out
    }

    #[test]
    fn a_chunked_answer_is_stored_without_claiming_to_be_chunked() {
        let head = stored(&answer(Version::HTTP_11, &[("Transfer-Encoding", b"chunked"), ("A", b"b")], b"body"));
        assert_eq!(head, b"HTTP/1.1 200 OK\r\nx-crawler-transfer-encoding: chunked\r\na: b\r\n\r\n");
    }

    #[test]
    fn a_stated_length_is_that_of_the_stored_body_and_a_differing_one_is_renamed() {
        let same = stored(&answer(Version::HTTP_2, &[("content-length", b"4")], b"body"));
        assert_eq!(same, b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
        let other = stored(&answer(Version::HTTP_10, &[("content-length", b"9"), ("content-length", b"9")], b"body"));
        assert_eq!(
            other,
            b"HTTP/1.0 200 OK\r\ncontent-length: 4\r\nx-crawler-content-length: 9\r\nx-crawler-content-length: 9\r\n\r\n"
        );
    }

    #[test]
    fn values_are_bytes_and_are_not_changed() {
        let head = stored(&answer(Version::HTTP_11, &[("x", b"\xe9\t\xff")], b""));
        assert_eq!(head, b"HTTP/1.1 200 OK\r\nx: \xe9\t\xff\r\n\r\n");
    }

    #[test]
    fn what_the_user_gave_is_redacted_whatever_its_name_is() {
        let url = CanonicalUrl::from_canonical("https://example.org/");
        let mut headers = HeaderMap::new();
        let mut given = HeaderValue::from_static("secret");
        given.set_sensitive(true);
        headers.insert("x-api-key", given);
        headers.append("x-api-key", HeaderValue::from_static("own"));
        let mut out = Vec::new();
        write_request(&url, Version::HTTP_11, &headers, &[], &mut out);
        let expected = "GET / HTTP/1.1\r\nhost: example.org\r\nx-api-key: (redacted)\r\nx-api-key: own\r\n\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_request_has_its_host_and_redacted_secrets() {
        let url = CanonicalUrl::from_canonical("https://example.org:8443/a?b=c d");
        let mut headers = HeaderMap::new();
        headers.insert("cookie", HeaderValue::from_static("session=1"));
        let mut out = Vec::new();
        write_request(&url, Version::HTTP_2, &headers, &[http::header::COOKIE], &mut out);
        assert_eq!(out, b"GET /a?b=c%20d HTTP/1.1\r\nhost: example.org:8443\r\ncookie: (redacted)\r\n\r\n");
    }
}
