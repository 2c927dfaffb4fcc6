//! The body of a request by POST.

use std::fmt;

use bytes::Bytes;
use http::HeaderValue;

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
    fn debug_output_has_no_body() {
        let body =
            PostBody { content_type: HeaderValue::from_static("text/plain"), bytes: Bytes::from_static(b"secret") };
        let text = format!("{body:?}");
        assert!(text.contains("text/plain") && !text.contains("secret") && !text.contains("115"), "{text}");
    }
}
