//! Sitemaps and feeds as a source of links.
//!
//! Input: the bytes of a document as fetched, its URL and its `Content-Type`. Output: the URLs of pages, with their
//! `lastmod`, and of further sitemaps, in document order. Supported are the sitemap protocol's `urlset`, `sitemapindex`
//! and plain text list (sitemaps.org), with `xhtml:link` alternates, and RSS 0.9–2.0 and Atom feeds. The document type
//! is detected from its bytes, because names and headers are often wrong. From malformed documents, as much as possible
//! is read.
//!
//! Time, memory and the number of URLs are linear in the number of bytes, which [`SitemapLimits`] bounds.

mod collect;
mod contents;
mod decode;
mod lastmod;
mod queue;
mod role;
#[cfg(test)]
mod tests;
mod xml;

use collect::Collector;
pub use contents::{SitemapContents, SitemapError, SitemapLimits};
pub use decode::to_text;
use harvestman_core::lines::lines;
pub use queue::{Entry, SitemapQueue};
pub(super) use xml::{attribute, has_unknown_entity, raw_attribute};

/// The usual place of a sitemap, which is tried where robots.txt names none.
pub const SITEMAP_PATH: &str = "/sitemap.xml";

/// Parses a document that was fetched from `url`.
///
/// # Errors
///
/// Returns a [`SitemapError`] if the document is not a sitemap, feed or list of URLs, or cannot be decompressed within
/// the limits.
pub fn parse(
    bytes: &[u8],
    url: &str,
    content_type: Option<&str>,
    limits: SitemapLimits,
) -> Result<SitemapContents, SitemapError> {
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

/// Maximum offset in bytes at which the markup of a document may start, after other output of a faulty generator.
const PROLOGUE: usize = 1_024;

/// Returns the part of `text` that is markup, or `None` if it is plain text.
fn markup(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
    if text.starts_with('<') {
        return Some(text);
    }
    let prologue = decode::beginning(text, PROLOGUE);
    let starts = ["<?xml", "<urlset", "<sitemapindex", "<rss", "<feed"];
    starts.iter().filter_map(|start| prologue.find(start)).min().map(|at| &text[at..])
}

/// Parses a list of URLs, one per line.
fn read_list(text: &str, collector: &mut Collector) -> Result<(), SitemapError> {
    for line in lines(text) {
        let line = line.trim();
        if !line.is_empty() {
            collector.listed_page(line);
        }
    }
    if collector.is_empty() { Err(SitemapError::NotASitemap) } else { Ok(()) }
}
