//! Revisit records: a head whose body is that of another response (WARC 1.1, section 6.7).

use harvestman_core::url::{CanonicalUrl, Canonicaliser};
use harvestman_storage::archive::reader::Header;

/// What a record says of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BodyOf {
    /// It has one of its own.
    Itself,
    /// It is that of the response to this URL.
    Another(CanonicalUrl),
    /// It is that of a response that is not named, or the server only said that nothing had changed.
    Unknown,
}

/// What the header of a `response` or `revisit` record says. A revisit that names no URL is one of its own URL.
pub(super) fn body_of(header: &Header, url: &CanonicalUrl, canonicaliser: &Canonicaliser) -> BodyOf {
    if header.get("WARC-Type") != Some("revisit") {
        return BodyOf::Itself;
    }
    if !header.get("WARC-Profile").is_some_and(|profile| profile.contains("identical-payload-digest")) {
        return BodyOf::Unknown;
    }
    match header.get("WARC-Refers-To-Target-URI") {
        None => BodyOf::Another(url.clone()),
        Some(uri) => {
            let uri = uri.trim_start_matches('<').trim_end_matches('>');
            canonicaliser.parse(uri).map_or(BodyOf::Unknown, BodyOf::Another)
        }
    }
}
