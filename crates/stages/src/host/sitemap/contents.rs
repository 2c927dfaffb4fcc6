//! The contents of a sitemap or feed, the limits on them, and the reasons to reject a document.

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
