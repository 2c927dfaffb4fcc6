//! Sitemaps and feeds as a source of links.
//!
//! Input: the bytes of a document as fetched, its URL and its `Content-Type`. Output: the URLs of pages and of further
//! sitemaps, in the document's order. Read are the sitemap protocol's `urlset`, `sitemapindex` and plain text list
//! (sitemaps.org), with `xhtml:link` alternates, and RSS 0.9–2.0 and Atom feeds. What a document is, is seen from its bytes; names
//! and headers lie too often. Broken documents give what could be read of them.
//!
//! Linear in the bytes, which [`SitemapLimits`] bounds, and so are memory and the number of URLs.

mod collect;
mod contents;
mod decode;
mod queue;
mod role;
#[cfg(test)]
mod tests;
mod xml;

use collect::Collector;
pub use contents::{SitemapContents, SitemapError, SitemapLimits};
pub use queue::{Entry, SitemapQueue};

/// Reads a document that was fetched from `url`.
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

/// How far into a document its markup may begin, behind whatever a broken generator has printed first.
const PROLOGUE: usize = 1_024;

/// The part of `text` that is markup; none where it is plain text.
fn markup(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
    if text.starts_with('<') {
        return Some(text);
    }
    let prologue = decode::beginning(text, PROLOGUE);
    let starts = ["<?xml", "<urlset", "<sitemapindex", "<rss", "<feed"];
    starts.iter().filter_map(|start| prologue.find(start)).min().map(|at| &text[at..])
}

/// Reads a list of URLs, one a line.
fn read_list(text: &str, collector: &mut Collector) -> Result<(), SitemapError> {
    for line in text.lines().flat_map(|line| line.split('\r')) {
        let line = line.trim();
        if !line.is_empty() {
            collector.listed_page(line);
        }
    }
    if collector.is_empty() { Err(SitemapError::NotASitemap) } else { Ok(()) }
}
