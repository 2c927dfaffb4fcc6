//! Collects the URLs of a document: resolved, deduplicated, counted and bounded.

use std::collections::HashSet;

use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use super::contents::{SitemapContents, SitemapLimits};

/// The URLs found so far.
pub struct Collector {
    base: Option<Url>,
    /// What references were resolved against around each element with a base of its own; no more than open elements.
    outer_bases: Vec<Option<Url>>,
    limits: SitemapLimits,
    seen: HashSet<u128>,
    contents: SitemapContents,
    /// Whether the document is truncated or malformed.
    pub cut: bool,
}

impl Collector {
    /// Creates an empty collector for the document at `url`.
    pub fn new(url: &str, limits: SitemapLimits) -> Self {
        let base = Url::parse(url).ok();
        Self {
            base,
            outer_bases: Vec::new(),
            limits,
            seen: HashSet::new(),
            contents: SitemapContents::default(),
            cut: false,
        }
    }

    /// Returns the maximum length of a URL, in bytes.
    pub fn url_limit(&self) -> usize {
        self.limits.url_bytes
    }

    /// Resolves further references against `base` (`xml:base`), which is itself resolved first, until
    /// [`Self::end_base`]. One that is none, or too long, changes nothing.
    pub fn begin_base(&mut self, base: &str) {
        let before = self.base.clone();
        if base.len() <= self.limits.url_bytes {
            let resolved = before.as_ref().map_or_else(|| Url::parse(base).ok(), |old| old.join(base).ok());
            self.base = resolved.filter(|base| base.as_str().len() <= self.limits.url_bytes).or(self.base.take());
        }
        self.outer_bases.push(before);
    }

    /// Resolves further references as before the base that was begun last.
    pub fn end_base(&mut self) {
        self.base = self.outer_bases.pop().flatten();
    }

    /// Returns a reference that is read the same where another base holds.
    pub fn based(&self, reference: &str) -> String {
        self.resolve(reference.trim()).unwrap_or_else(|| reference.to_owned())
    }

    /// Adds a page.
    pub fn page(&mut self, reference: &str) {
        if let Some(url) = self.take(reference) {
            self.contents.urls.push(url);
            self.contents.lastmods.push(None);
        }
    }

    /// Returns the number of pages so far.
    pub fn pages(&self) -> usize {
        self.contents.urls.len()
    }

    /// Sets the `lastmod` of the pages from this one on.
    pub fn date(&mut self, first: usize, lastmod: u64) {
        self.contents.lastmods[first..].fill(Some(lastmod));
    }

    /// Adds a page from a plain list, in which only absolute URLs are accepted.
    pub fn listed_page(&mut self, line: &str) {
        if Url::parse(line).is_ok() { self.page(line) } else { self.drop_one() }
    }

    /// Adds a sitemap.
    pub fn sitemap(&mut self, reference: &str) {
        if let Some(url) = self.take(reference) {
            self.contents.sitemaps.push(url);
        }
    }

    /// Counts an entry that is dropped.
    pub fn drop_one(&mut self) {
        self.contents.dropped = self.contents.dropped.saturating_add(1);
    }

    /// Counts an entry that is dropped because of an entity in its address.
    pub fn drop_unreadable(&mut self, reference: &str) {
        self.drop_one();
        self.contents.unreadable = self.contents.unreadable.saturating_add(1);
        self.contents.first_unreadable.get_or_insert_with(|| reference.trim().to_owned());
    }

    /// Returns whether no URL was found.
    pub fn is_empty(&self) -> bool {
        self.contents.urls.is_empty() && self.contents.sitemaps.is_empty()
    }

    /// Returns the URLs found.
    pub fn finish(self) -> SitemapContents {
        SitemapContents { cut: self.cut, ..self.contents }
    }

    /// Resolves `reference`. Returns `None` if the URL is not new or exceeds a limit.
    fn take(&mut self, reference: &str) -> Option<String> {
        let Some(url) = self.resolve(reference.trim()) else {
            self.drop_one();
            return None;
        };
        // Hashes instead of a second copy of each URL; collisions are negligible at 128 bits.
        if self.seen.contains(&xxh3_128(url.as_bytes())) {
            return None;
        }
        if self.contents.urls.len() + self.contents.sitemaps.len() >= self.limits.urls {
            self.drop_one();
            return None;
        }
        self.seen.insert(xxh3_128(url.as_bytes()));
        Some(url)
    }

    fn resolve(&self, reference: &str) -> Option<String> {
        if reference.is_empty() || reference.len() > self.limits.url_bytes {
            return None;
        }
        let (url, is_absolute) = match (Url::parse(reference), &self.base) {
            (Ok(url), _) => (url, true),
            (Err(url::ParseError::RelativeUrlWithoutBase), Some(base)) => (base.join(reference).ok()?, false),
            (Err(_), _) => return None,
        };
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        // A URL that contains whitespace, such as line breaks, is normalised by the parser.
        let as_written = is_absolute && !reference.contains(|c: char| c.is_ascii_whitespace());
        Some(if as_written { reference.to_owned() } else { url.into() })
    }
}
