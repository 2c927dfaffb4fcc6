//! Revisit records: a head whose body is that of another response (WARC 1.1, section 6.7).

use harvestman_core::url::{CanonicalUrl, Canonicaliser};
use harvestman_storage::archive::reader::RecordHeader;

/// The location of the body of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BodyOf {
    /// In the record itself.
    Itself,
    /// In the response to this URL.
    Another(CanonicalUrl),
    /// Unknown: the response is not named, or the server only reported no change.
    Unknown,
}

/// Determines the body from the header of a `response` or `revisit` record. A revisit that names no URL refers to its
/// own URL.
pub(super) fn body_of(header: &RecordHeader, url: &CanonicalUrl, canonicaliser: &Canonicaliser) -> BodyOf {
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
