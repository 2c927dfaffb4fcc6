//! One request and what came of it.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;

use super::Failure;
use crate::clock::Instant;
use crate::url::CanonicalUrl;

/// When the steps of a request happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timings {
    /// The request was handed to the client.
    pub started: Instant,
    /// The response's head was there; none where it never came.
    pub first_byte: Option<Instant>,
    /// The body was there, or the request had failed.
    pub ended: Instant,
}

/// Why a body was not read to its end (the WARC-Truncated reasons).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// Longer than the body limit.
    Length,
    /// Took longer than the time limit.
    Time,
    /// The connection ended early.
    Disconnect,
    /// Not read on purpose: its media type is not wanted.
    UnwantedType,
}

impl Truncation {
    /// The reason as it stands in metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
            Self::Disconnect => "disconnect",
            Self::UnwantedType => "unwanted_type",
        }
    }
}

/// A response.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The HTTP version.
    pub version: http::Version,
    /// The response's headers.
    pub headers: HeaderMap,
    /// The body: transfer coding removed, content coding kept.
    pub body: Bytes,
    /// Whether the body is whole, and if not, why.
    pub truncated: Option<Truncation>,
    /// Who answered; none behind a proxy.
    pub remote: Option<IpAddr>,
    /// The place that a large body takes of the memory set aside for such; free again when the answer is dropped.
    pub reservation: Option<BodyReservation>,
}

/// Holds a place for a large body as long as it lives. What kind of place is the fetcher's business.
#[derive(Clone)]
pub struct BodyReservation {
    _held: Arc<dyn Send + Sync>,
}

impl BodyReservation {
    /// Holds `place`.
    pub fn new(place: impl Send + Sync + 'static) -> Self {
        Self { _held: Arc::new(place) }
    }
}

impl fmt::Debug for BodyReservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyReservation")
    }
}

impl Answer {
    /// The value of a header, where it is there and readable text.
    pub fn header(&self, name: http::header::HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The `Content-Type`, where it is there and readable.
    pub fn content_type(&self) -> Option<&str> {
        self.header(http::header::CONTENT_TYPE)
    }
}

/// One request with its result: what goes to the archive and to the parser.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// What was asked for.
    pub url: CanonicalUrl,
    /// The request's headers as sent (the request line is `GET path HTTP/version`).
    pub request_headers: HeaderMap,
    /// What came.
    pub result: Result<Answer, Failure>,
    /// When.
    pub timings: Timings,
}
