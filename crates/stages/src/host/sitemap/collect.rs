//! The contents of a sitemap or feed: its URLs are collected, resolved, deduplicated, counted and bounded; and the
//! limits on them, and the reasons to reject a document.

use std::collections::HashSet;

use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use harvestman_core::config::RobotsOptions;

/// How many times larger than its compressed form a document may be before it counts as a decompression bomb. XML
/// rarely exceeds 100; the limit of gzip itself is 1032.
const RATIO_MAX: usize = 400;

/// Maximum number of URLs of one document: the entries that the sitemap protocol allows.
const URLS_MAX: usize = 50_000;

/// Maximum length of a URL, in bytes: four times what the sitemap protocol allows, as canonicalisation may shorten it.
const URL_BYTES_MAX: usize = 8 << 10;

/// Maximum nesting depth of elements. The protocol needs three levels, its extensions and feeds a few more; deeper
/// documents are made to cost memory.
const NESTING_MAX: usize = 64;

/// Limits for one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SitemapLimits {
    /// Maximum number of bytes read, after decompression.
    pub bytes: usize,
    /// Maximum number of bytes after decompression per byte before it.
    pub ratio: usize,
    /// Maximum number of URLs, pages and sitemaps together.
    pub urls: usize,
    /// Maximum length of a URL in bytes.
    pub url_bytes: usize,
    /// Maximum nesting depth of elements.
    pub nesting: usize,
}

impl From<&RobotsOptions> for SitemapLimits {
    fn from(options: &RobotsOptions) -> Self {
        Self {
            bytes: options.sitemap_max_bytes.as_usize(),
            ratio: RATIO_MAX,
            urls: URLS_MAX,
            url_bytes: URL_BYTES_MAX,
            nesting: NESTING_MAX,
        }
    }
}

/// The reason for which a document is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SitemapError {
    /// An HTML page, usually an error page with status 200.
    #[error("the document is an HTML page, not a sitemap")]
    Html,
    /// Neither a sitemap, a feed nor a list of URLs.
    #[error("the document is not a sitemap, feed or list of URLs")]
    NotASitemap,
    /// Compressed data that cannot be read.
    #[error("the gzip data cannot be decompressed")]
    Gzip,
    /// Compressed data whose size after decompression exceeds the ratio limit.
    #[error("the compressed data expands to more than {0} times its size")]
    Bomb(usize),
}

impl SitemapError {
    /// Returns whether the document is something else, rather than a sitemap that cannot be read.
    pub const fn is_no_sitemap(self) -> bool {
        matches!(self, Self::Html | Self::NotASitemap)
    }
}

/// The URLs that a document names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SitemapContents {
    /// URLs of pages, without duplicates. Absolute URLs are as written, so that only the canonicaliser decides on their
    /// spelling; relative ones are resolved.
    pub urls: Vec<String>,
    /// For each of these URLs its `lastmod`, in seconds since 1970; `None` if it has none. A date without a time counts
    /// as its end.
    pub lastmods: Vec<Option<u64>>,
    /// URLs of further sitemaps, without duplicates.
    pub sitemaps: Vec<String>,
    /// Number of dropped entries: not an http or https URL, an unknown entity in it, too long, or over the count limit.
    pub dropped: u32,
    /// Number of those whose address has an entity of unknown meaning, such as one that the document defines.
    pub unreadable: u32,
    /// The first of these addresses, as written.
    pub first_unreadable: Option<String>,
    /// Whether the document was truncated at a limit, or is malformed so that the remainder could not be read.
    pub cut: bool,
}

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
