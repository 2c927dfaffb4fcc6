//! What a request is for.

use http::Uri;

/// The method and the URL of a request.
#[derive(Debug, Clone, Copy)]
pub struct RequestTarget<'a> {
    /// The method.
    pub method: &'a str,
    /// The whole URL, as it is requested.
    pub uri: &'a Uri,
}
