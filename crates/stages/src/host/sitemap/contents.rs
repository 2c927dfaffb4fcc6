//! What is read from a sitemap or feed, the limits on it, and why one is rejected.

use harvestman_core::config::RobotsOptions;

/// Bounds on one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SitemapLimits {
    /// Bytes read, after decompression.
    pub bytes: usize,
    /// Bytes after decompression for each byte before it.
    pub ratio: usize,
    /// URLs taken, pages and sitemaps together.
    pub urls: usize,
    /// Bytes of one URL.
    pub url_bytes: usize,
    /// Elements nested in each other.
    pub nesting: usize,
}

impl From<&RobotsOptions> for SitemapLimits {
    fn from(options: &RobotsOptions) -> Self {
        let count = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        Self {
            bytes: options.sitemap_max_bytes.as_usize(),
            ratio: count(options.sitemap_max_ratio),
            urls: count(options.sitemap_max_urls),
            url_bytes: options.sitemap_max_url_bytes.as_usize(),
            nesting: count(options.sitemap_max_nesting),
        }
    }
}

/// Why a document is of no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SitemapError {
    /// A web page, mostly an error page with status 200.
    #[error("this is an HTML page, not a sitemap")]
    Html,
    /// Neither a sitemap, a feed nor a list of URLs.
    #[error("this is no sitemap, feed or list of URLs")]
    NotASitemap,
    /// Compressed data that cannot be read.
    #[error("the gzip data is broken from its start")]
    Gzip,
    /// Compressed data that grows beyond the ratio limit.
    #[error(
        "the compressed data grows to more than {0} times its size; raise robots.sitemap_max_ratio if that is right"
    )]
    Bomb(usize),
}

/// What a document names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SitemapContents {
    /// URLs of pages, each once. Absolute URLs are as written, so that one place (the canonicaliser) decides on spelling; relative
    /// ones are resolved.
    pub urls: Vec<String>,
    /// URLs of further sitemaps, each once.
    pub sitemaps: Vec<String>,
    /// Entries left out: no http or https URL, too long, or over the count limit.
    pub dropped: u32,
    /// Whether the document was cut at a limit, or is broken so that its rest could not be read.
    pub cut: bool,
}
