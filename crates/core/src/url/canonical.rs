//! The value types of URLs, and the base that the links of a page are resolved against.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::authority;

/// 128-bit fingerprint of a canonical URL (xxh3). With 100 million URLs the probability of any collision is below
/// 10⁻²².
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// Returns the fingerprint of a canonical URL's text.
    pub fn of(canonical: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(canonical.as_bytes()))
    }
}

impl From<u128> for Fingerprint {
    fn from(number: u128) -> Self {
        Self(number)
    }
}

/// An absolute http(s) URL in its canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CanonicalUrl {
    text: Box<str>,
}

impl CanonicalUrl {
    /// Wraps a text that is already canonical. Only the canonicaliser, and stores of its results, may call this.
    pub fn from_canonical(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into() }
    }

    /// Returns the URL.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns scheme and authority: `https://example.org` or `http://example.org:8080`.
    pub fn origin(&self) -> &str {
        origin_of(&self.text)
    }

    /// Returns path and query, from the first `/` on.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.origin().len()..]
    }

    /// Returns the politeness key.
    pub fn host_key(&self) -> HostKey {
        HostKey(Arc::from(self.origin()))
    }

    /// Returns its fingerprint.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.text)
    }
}

/// Returns scheme and authority of a canonical URL's text (which always has a path, at least `/`).
pub fn origin_of(text: &str) -> &str {
    &text[..super::authority::end(text)]
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The politeness key: scheme and authority, such as `https://example.org:8443`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostKey(Arc<str>);

impl HostKey {
    /// Creates the key from an origin as returned by [`CanonicalUrl::origin`].
    pub fn from_origin(origin: &str) -> Self {
        Self(Arc::from(origin))
    }

    /// Returns scheme and authority.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host name or address without scheme and port; IPv6 keeps its brackets.
    pub fn host(&self) -> &str {
        let authority = self.0.split_once("://").map_or(&*self.0, |(_, rest)| rest);
        match authority.rfind(':') {
            Some(at) if !authority[at..].contains(']') => &authority[..at],
            _ => authority,
        }
    }

    /// Returns the URL of a path (from `/` on) on this host.
    pub fn url(&self, path: &str) -> CanonicalUrl {
        CanonicalUrl::from_canonical(format!("{}{path}", self.0))
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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
        let origin_end = origin_of(&text).len();
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
