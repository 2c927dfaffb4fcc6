//! The base that the links of a page are resolved against.

use std::borrow::Cow;

use super::{authority, canonical};

/// A canonical URL with the positions of its parts.
///
/// Links may be resolved against the canonical form instead of the original address: what canonicalisation removes
/// (user information, fragment, parameters) reaches no link, or would be removed from the link too.
#[derive(Debug, Clone)]
pub(super) struct Base<'a> {
    text: Cow<'a, str>,
    authority_start: usize,
    origin_end: usize,
    directory_end: usize,
    path_end: usize,
}

impl<'a> Base<'a> {
    /// Creates a base from `text`, which must be canonical.
    pub(super) fn new(text: Cow<'a, str>) -> Self {
        let origin_end = canonical::origin_of(&text).len();
        let path_end = memchr::memchr(b'?', text.as_bytes()).unwrap_or(text.len());
        let directory_end = memchr::memrchr(b'/', &text.as_bytes()[..path_end]).map_or(path_end, |at| at + 1);
        Self { authority_start: authority::start(&text), origin_end, directory_end, path_end, text }
    }

    /// Returns the whole URL.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns `https:` or `http:`.
    pub(super) fn scheme(&self) -> &str {
        &self.text[..self.authority_start - 2]
    }

    /// Returns host and port.
    pub(super) fn authority(&self) -> &str {
        &self.text[self.authority_start..self.origin_end]
    }

    /// Returns scheme and authority.
    pub(super) fn origin(&self) -> &str {
        &self.text[..self.origin_end]
    }

    /// Returns the directory of the path: from the first `/` to the last.
    pub(super) fn directory(&self) -> &str {
        &self.text[self.origin_end..self.directory_end]
    }

    /// Returns everything except the query.
    pub(super) fn without_query(&self) -> &str {
        &self.text[..self.path_end]
    }
}
