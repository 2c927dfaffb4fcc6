//! A stored response.

use bytes::Bytes;
use http::HeaderMap;

use harvestman_core::model::{ContentType, MediaType};
use harvestman_core::url::CanonicalUrl;

/// The response to a URL when the corpus was recorded.
#[derive(Debug, Clone)]
pub struct StoredResponse {
    /// The status.
    pub status: u16,
    /// The headers, as recorded; they may name codings that the body no longer has.
    pub headers: HeaderMap,
    /// The body without transfer and content codings.
    pub body: Bytes,
    /// The target of a redirect; `None` if there is none, or not a web address.
    pub location: Option<CanonicalUrl>,
}

impl StoredResponse {
    /// Returns the `Content-Type`; of several, the one that counts.
    pub fn content_type(&self) -> Option<&str> {
        ContentType::field_of(&self.headers)
    }

    /// Returns whether it is a page: HTML with status 200.
    pub fn is_page(&self) -> bool {
        self.status == 200 && MediaType::of_body(self.content_type(), &self.body) == MediaType::Html
    }

    /// Returns its approximate size in bytes.
    pub(super) fn size(&self) -> u64 {
        let headers = self.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
        (self.body.len() + headers.sum::<usize>()) as u64
    }
}
