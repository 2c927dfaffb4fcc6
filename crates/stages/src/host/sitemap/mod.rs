//! Sitemaps and feeds as a source of links.
//!
//! Input: the bytes of a document as fetched, its URL and its `Content-Type`. Output: the URLs of pages and of further
//! sitemaps, in the document's order. Read are the sitemap protocol's `urlset`, `sitemapindex` and plain text list
//! (sitemaps.org), with `xhtml:link` alternates, and RSS 0.9–2.0 and Atom feeds. What a document is, is seen from its bytes; names
//! and headers lie too often. Broken documents give what could be read of them.
//!
//! Linear in the bytes, which [`Limits`] bounds, and so are memory and the number of URLs.

mod agenda;
mod collect;
mod decode;
mod role;
#[cfg(test)]
mod tests;
mod xml;

pub use agenda::{Agenda, Entry};
use collect::Collector;

use harvestman_core::config::RobotsOptions;

/// Bounds on one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
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

impl From<&RobotsOptions> for Limits {
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
pub enum Error {
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

/// Reads a document that was fetched from `url`.
pub fn parse(bytes: &[u8], url: &str, content_type: Option<&str>, limits: Limits) -> Result<SitemapContents, Error> {
    let (plain, cut) = decode::decompress(bytes, limits)?;
    let text = decode::to_text(&plain, content_type);
    let mut collector = Collector::new(url, limits);
    collector.cut = cut;
    match markup(&text) {
        Some(markup) => xml::read(markup, limits.nesting, &mut collector)?,
        None => read_list(&text, &mut collector)?,
    }
    Ok(collector.finish())
}

/// How far into a document its markup may begin, behind whatever a broken generator has printed first.
const PROLOGUE: usize = 1_024;

/// The part of `text` that is markup; none where it is plain text.
fn markup(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
    if text.starts_with('<') {
        return Some(text);
    }
    let prologue = beginning(text, PROLOGUE);
    let starts = ["<?xml", "<urlset", "<sitemapindex", "<rss", "<feed"];
    starts.iter().filter_map(|start| prologue.find(start)).min().map(|at| &text[at..])
}

/// The characters of `text` that lie whole within its first `bytes` bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Reads a list of URLs, one a line.
fn read_list(text: &str, collector: &mut Collector) -> Result<(), Error> {
    for line in text.lines().flat_map(|line| line.split('\r')) {
        let line = line.trim();
        if !line.is_empty() {
            collector.listed_page(line);
        }
    }
    if collector.is_empty() { Err(Error::NotASitemap) } else { Ok(()) }
}
