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
mod decode;
mod elements;
mod xml;

use std::collections::{HashSet, VecDeque};

use xxhash_rust::xxh3::xxh3_128;

use collect::Collector;
use harvestman_core::config::RobotsOptions;
use harvestman_core::lines::lines;

pub use collect::{SitemapContents, SitemapError, SitemapLimits};
pub use decode::to_text;
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

/// Maximum number of levels of sitemap indexes below the sitemaps that robots.txt names. The protocol defines one; some
/// sites have two.
const DEPTH_MAX: u32 = 3;

/// A host's sitemaps: each is fetched once, breadth first, within the configured depth and number.
#[derive(Debug, Clone)]
pub struct SitemapQueue {
    waiting: VecDeque<Entry>,
    seen: HashSet<u128>,
    files_max: u32,
}

/// A sitemap to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its URL.
    pub url: String,
    /// Number of sitemap indexes that lead to it: 0 if robots.txt names it.
    pub depth: u32,
    /// Number of requests made for it.
    pub attempts: u8,
}

impl SitemapQueue {
    /// Creates an empty queue.
    pub fn new(options: &RobotsOptions) -> Self {
        Self { waiting: VecDeque::new(), seen: HashSet::new(), files_max: options.sitemap_max_files }
    }

    /// Adds a sitemap that `depth` sitemap indexes lead to. Returns whether it is new and within the limits.
    pub fn add(&mut self, url: String, depth: u32) -> bool {
        let fingerprint = xxh3_128(url.as_bytes());
        if self.seen.contains(&fingerprint) {
            return false;
        }
        if depth > DEPTH_MAX || self.seen.len() as u64 >= u64::from(self.files_max) {
            return false;
        }
        self.seen.insert(fingerprint);
        self.waiting.push_back(Entry { url, depth, attempts: 0 });
        true
    }

    /// Returns a sitemap that was taken to the queue, to be fetched after all others.
    pub fn put_back(&mut self, entry: Entry) {
        self.waiting.push_back(entry);
    }

    /// Marks a sitemap that was read in an earlier run, so that it is skipped.
    pub fn mark_read(&mut self, url: &str) {
        self.seen.insert(xxh3_128(url.as_bytes()));
    }

    /// Returns the sitemap to fetch next.
    pub fn first(&self) -> Option<&Entry> {
        self.waiting.front()
    }

    /// Removes and returns the sitemap to fetch next.
    pub fn take(&mut self) -> Option<Entry> {
        self.waiting.pop_front()
    }
}

#[cfg(test)]
mod queue_tests {
    use super::*;

    fn queue(files: u32) -> SitemapQueue {
        SitemapQueue::new(&RobotsOptions { sitemap_max_files: files, ..RobotsOptions::default() })
    }

    #[test]
    fn each_sitemap_is_taken_once_in_the_order_found() {
        let mut queue = queue(10);
        assert!(queue.add("a".into(), 0));
        assert!(queue.add("b".into(), 0));
        assert!(!queue.add("a".into(), 0));
        let a = queue.take().unwrap();
        assert!(!queue.add("a".into(), a.depth + 1), "an index that names itself");
        assert!(queue.add("c".into(), a.depth + 1));
        let remaining: Vec<_> = std::iter::from_fn(|| queue.take()).map(|entry| (entry.url, entry.depth)).collect();
        assert_eq!(remaining, [("b".to_owned(), 0), ("c".to_owned(), 1)]);
    }

    #[test]
    fn sitemaps_read_in_an_earlier_run_are_skipped_and_count_towards_the_limit() {
        let mut queue = queue(2);
        queue.mark_read("a");
        assert!(!queue.add("a".into(), 0) && queue.add("b".into(), 0) && !queue.add("c".into(), 0));
        assert_eq!(queue.take().unwrap().url, "b");
    }

    #[test]
    fn the_file_limit_applies_to_all_sitemaps_ever_added() {
        let mut queue = queue(2);
        assert!(queue.add("a".into(), 0) && queue.add("b".into(), 0));
        queue.take();
        assert!(!queue.add("c".into(), 0));
    }

    #[test]
    fn indexes_are_followed_down_to_the_depth_limit_and_no_further() {
        let mut queue = queue(10);
        queue.add("0".into(), 0);
        for depth in 1..=DEPTH_MAX {
            let above = queue.take().unwrap();
            assert!(queue.add(depth.to_string(), above.depth + 1));
        }
        let last = queue.take().unwrap();
        assert_eq!(last.depth, DEPTH_MAX);
        assert!(!queue.add("deeper".into(), last.depth + 1));
    }
}

#[cfg(test)]
mod tests;
