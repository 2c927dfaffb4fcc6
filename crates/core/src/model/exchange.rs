//! One request, with its initiator, body and signature, and its response.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};

use super::{ContentType, Failure, Lease};
use crate::clock::Instant;
use crate::url::{CanonicalUrl, HostKey};

/// The times of the steps of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timings {
    /// When the request was passed to the client.
    pub started: Instant,
    /// When the response's head was complete; `None` if it never was.
    pub first_byte: Option<Instant>,
    /// When the body was complete, or the request had failed.
    pub ended: Instant,
}

/// The reason why a body was not read to its end (the WARC-Truncated reasons).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// Longer than the body limit.
    Length,
    /// Took longer than the time limit.
    Time,
    /// The connection ended early.
    Disconnect,
    /// Not read because its media type is not wanted.
    UnwantedType,
}

impl Truncation {
    /// Returns the reason as a metric label.
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
    /// The body: transfer coding removed, content coding retained.
    pub body: Bytes,
    /// The reason why the body is incomplete; `None` if it is complete.
    pub truncated: Option<Truncation>,
    /// The address of the server; `None` behind a proxy.
    pub remote: Option<IpAddr>,
    /// The memory reserved for a large body; released when the answer is dropped.
    pub reservation: Option<BodyReservation>,
}

/// A reservation of memory for a large body, held as long as it lives. Its type is private to the fetcher.
#[derive(Clone)]
pub struct BodyReservation {
    _held: Arc<dyn Send + Sync>,
}

impl BodyReservation {
    /// Holds the reservation `place`.
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
    /// Returns the value of a header, if it is present and readable text.
    pub fn header(&self, name: http::header::HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the `Content-Type`; of several, the one that counts.
    pub fn content_type(&self) -> Option<&str> {
        ContentType::field_of(&self.headers)
    }
}

/// One request with its result: the input of the archive and the parser.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The requested URL.
    pub url: CanonicalUrl,
    /// The request's headers as sent (the request line is `GET path HTTP/version`).
    pub request_headers: HeaderMap,
    /// The signature of the request.
    pub signature: RequestSignature,
    /// The response or the failure.
    pub result: Result<Answer, Failure>,
    /// The times of its steps.
    pub timings: Timings,
}

impl Exchange {
    /// Returns the number of bytes of the answer's body; 0 if there is no answer.
    pub fn body_bytes(&self) -> u64 {
        self.result.as_ref().map_or(0, |answer| answer.body.len() as u64)
    }
}

/// A page that was fetched, or failed for good, with the lease that is out for it.
#[derive(Debug, Clone)]
pub struct FetchedPage {
    /// The lease of its URL.
    pub lease: Lease,
    /// The request and its result.
    pub exchange: Exchange,
}

/// Who causes a request, which decides whether it may carry credentials: what one origin sends must not act as a member
/// of another, and must not read what that one shows to members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Initiator {
    /// The crawl itself: for a page, which a link leads to, or for a log-in.
    Crawl,
    /// What this origin sent: its robots.txt, or a page whose scripts, frames and data are requested.
    Origin(HostKey),
    /// An origin that is not known, or several.
    Unknown,
}

impl Initiator {
    /// Returns whether a request to `origin` may carry credentials.
    pub fn permits(&self, origin: &str) -> bool {
        match self {
            Self::Crawl => true,
            Self::Origin(own) => own.as_str() == origin,
            Self::Unknown => false,
        }
    }
}

/// Why a request is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignReason {
    /// All requests are.
    Always,
    /// Its host asks for signatures.
    Asked,
}

impl SignReason {
    /// The names of all of them.
    pub const LABELS: &'static [&'static str] = &[Self::Always.label(), Self::Asked.label()];

    /// Returns its name in metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Asked => "asked",
        }
    }
}

/// The signature of a request, and what the server said of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestSignature {
    /// Why the request was signed; `None` if it was not.
    pub reason: Option<SignReason>,
    /// Whether the server refused the request and asks for a signature that it did not have. The next request to the
    /// host has it.
    pub is_wanted: bool,
}

/// The body of a request by POST, which may hold a password: its debug output has none of it, and it is never archived.
#[derive(Clone, PartialEq, Eq)]
pub struct PostBody {
    /// Its media type.
    pub content_type: HeaderValue,
    /// The body.
    pub bytes: Bytes,
}

impl fmt::Debug for PostBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostBody").field("content_type", &self.content_type).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_crawl_and_the_origin_itself_may_use_credentials_of_an_origin() {
        let own = Initiator::Origin(HostKey::from_origin("https://a.test"));
        assert!(own.permits("https://a.test") && Initiator::Crawl.permits("https://a.test"));
        for other in ["http://a.test", "https://a.test:8443", "https://b.test"] {
            assert!(!own.permits(other), "{other}");
        }
        assert!(!Initiator::Unknown.permits("https://a.test"));
    }

    #[test]
    fn debug_output_has_no_body() {
        let body =
            PostBody { content_type: HeaderValue::from_static("text/plain"), bytes: Bytes::from_static(b"secret") };
        let text = format!("{body:?}");
        assert!(text.contains("text/plain") && !text.contains("secret") && !text.contains("115"), "{text}");
    }
}
