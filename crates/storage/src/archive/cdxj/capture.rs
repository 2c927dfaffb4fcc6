//! The capture in a record, with the status and media type from its HTTP head. The head is parsed tolerantly because
//! archives contain whatever servers have sent.

use std::io::{BufRead as _, Read};

use crate::archive::digest::{Digest, Hasher};
use crate::archive::reader::{HttpHead, Record, WarcError};
use harvestman_core::config::archive::DigestAlgorithm;
use harvestman_core::model::ContentType;

/// The media type of all revisits in an index.
const REVISIT: &str = "warc/revisit";

/// The index fields of a record, except its location.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Capture {
    /// `WARC-Target-URI`.
    pub url: String,
    /// `WARC-Date`.
    pub date: String,
    /// The media type without its parameters.
    pub mime: String,
    /// The status of the answer, for responses only.
    pub status: Option<String>,
    /// The digest of the payload, for SHA-1 without the name of the algorithm.
    pub digest: Option<String>,
    /// `WARC-Identified-Payload-Type`.
    pub mime_detected: Option<String>,
    /// `WARC-Json-Metadata`.
    pub metadata: Option<String>,
}

impl Capture {
    /// Reads a record. Returns `None` if its type is not indexed, or it has no URL.
    pub fn of<R: Read>(record: &mut Record<'_, R>) -> Result<Option<Self>, WarcError> {
        let header = record.header();
        let text = |name: &str| header.get(name).filter(|value| !value.is_empty()).map(str::to_owned);
        let kind = record.record_type().to_owned();
        let content_type = text("Content-Type");
        // Heritrix 1 wrote metadata of another type next to its responses, under their URLs.
        let about_others = matches!(kind.as_str(), "warcinfo" | "request")
            || content_type.as_deref() == Some("application/warc-fields")
            || (kind == "metadata" && content_type.as_deref().map(mime) == Some("text/anvl"));
        let Some(url) = record.target_uri().filter(|url| !about_others && !url.is_empty()) else { return Ok(None) };
        let url = url.replace(' ', "%20");
        let (date, stated) = (text("WARC-Date").unwrap_or_default(), text("WARC-Payload-Digest"));
        let (mime_detected, metadata) = (text("WARC-Identified-Payload-Type"), text("WARC-Json-Metadata"));
        let revisit = kind == "revisit";
        let has_head = (kind == "response" || revisit) && (url.starts_with("http:") || url.starts_with("https:"));
        let (answer, digest) = read_block(record, has_head, stated.is_none() && !revisit)?;
        let answer = answer.unwrap_or(ResponseSummary { status: "200".to_owned(), content_type });
        if answer.status == "-" {
            return Ok(None);
        }
        let mime = if revisit { REVISIT } else { mime(answer.content_type.as_deref().unwrap_or("unk")) };
        Ok(Some(Self {
            mime: mime.to_owned(),
            status: (kind == "response").then_some(answer.status).filter(|status| !status.is_empty()),
            digest: stated.or(digest).map(|digest| digest.strip_prefix("sha1:").map(str::to_owned).unwrap_or(digest)),
            mime_detected: mime_detected.filter(|_| !revisit),
            url,
            date,
            metadata,
        }))
    }
}

/// Reads the HTTP head of a block if `has_head`, and computes the digest of the remainder if `digested`.
fn read_block<R: Read>(
    record: &mut Record<'_, R>,
    has_head: bool,
    digested: bool,
) -> Result<(Option<ResponseSummary>, Option<String>), WarcError> {
    let mut head = has_head.then(HttpHead::default);
    let mut hasher = digested.then(|| Hasher::new(DigestAlgorithm::Sha1));
    loop {
        let piece = record.peek()?;
        if piece.is_empty() {
            break;
        }
        let in_head = head.as_mut().map_or(0, |head| head.take(piece));
        let (length, ended) = (piece.len(), in_head < piece.len());
        if let Some(hasher) = &mut hasher {
            hasher.update(&piece[in_head..]);
        }
        record.consume(length);
        // Skipping the remainder is faster than reading it.
        if ended && hasher.is_none() {
            break;
        }
    }
    let answer = head.and_then(|head| ResponseSummary::of(&head.kept));
    Ok((answer, hasher.map(Hasher::finish).as_ref().map(Digest::to_string)))
}

/// The parts of an HTTP response head that an index needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResponseSummary {
    /// The status as sent; empty if there is none.
    pub status: String,
    /// `Content-Type`.
    pub content_type: Option<String>,
}

impl ResponseSummary {
    /// Parses a head. Returns `None` if it is empty.
    pub fn of(head: &[u8]) -> Option<Self> {
        let mut lines = head.split(|byte| *byte == b'\n').map(decoded);
        let first = lines.next()?;
        if first.is_empty() {
            return None;
        }
        let said = first.split_once(' ').map_or("", |(_, said)| said.trim());
        let status = said.split(' ').next().unwrap_or_default();
        // Some recorders wrote this if there was no answer.
        let status = if status == "204" && said.contains("Error") { "" } else { status };
        Some(Self { status: status.to_owned(), content_type: content_type(lines) })
    }
}

/// Returns the first `Content-Type`, including folded lines.
fn content_type(lines: impl Iterator<Item = String>) -> Option<String> {
    let mut found: Option<String> = None;
    for line in lines {
        match (&mut found, line.split_once(':')) {
            (Some(value), _) if line.starts_with([' ', '\t']) => value.push_str(&line),
            (Some(_), _) => break,
            (None, Some((name, value))) if name.trim_end().eq_ignore_ascii_case("content-type") => {
                found = Some(value.trim_start().to_owned());
            }
            _ => {}
        }
    }
    found.filter(|value| !value.is_empty())
}

/// Returns a media type without its parameters.
pub(super) fn mime(content_type: &str) -> &str {
    let stated = ContentType::of(content_type).map(|stated| stated.essence);
    stated.unwrap_or_else(|| content_type.split([';', ' ']).next().unwrap_or_default())
}

/// Decodes a line without its line break. Bytes that are not valid UTF-8 are decoded as Latin-1.
fn decoded(line: &[u8]) -> String {
    let line = line.trim_ascii_end();
    match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => line.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(head: &str) -> Option<(String, Option<String>)> {
        ResponseSummary::of(head.as_bytes()).map(|answer| (answer.status, answer.content_type))
    }

    #[test]
    fn status_and_type_are_found_in_any_notation() {
        let some = |status: &str, kind: Option<&str>| Some((status.to_owned(), kind.map(str::to_owned)));
        for (head, expected) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n",
                some("200", Some("text/html; charset=x")),
            ),
            ("HTTP/1.0 404\ncontent-TYPE :a/b\n\n", some("404", Some("a/b"))),
            ("HTTP/1.1 200 OK\r\nA: b\r\nContent-Type: a/b;\r\n c=d\r\nX: y\r\n", some("200", Some("a/b; c=d"))),
            ("HTTP/1.1 204 WarcError\r\n\r\n", some("", None)),
            ("HTTP/1.1\r\nContent-Type:\r\n", some("", None)),
            ("\r\nContent-Type: a/b", None),
            ("", None),
        ] {
            assert_eq!(answer(head), expected, "{head:?}");
        }
        assert_eq!(["text/html,text/html", "text/html ;a=b", "html x"].map(mime), ["text/html", "text/html", "html"]);
        let latin = ResponseSummary::of(b"HTTP/1.1 200 OK\r\nContent-Type: text/\xe4\r\n").expect("an answer");
        assert_eq!(latin.content_type.as_deref().map(mime), Some("text/ä"));
    }
}
