//! The capture in a record.

use std::io::{BufRead as _, Read};

use super::http::{self, ResponseSummary};
use crate::archive::digest::{Digest, Hasher};
use crate::archive::reader::{HttpHead, Record, WarcError};
use harvestman_core::config::archive::DigestAlgorithm;

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
            || (kind == "metadata" && content_type.as_deref().map(http::mime) == Some("text/anvl"));
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
        let mime = if revisit { REVISIT } else { http::mime(answer.content_type.as_deref().unwrap_or("unk")) };
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
