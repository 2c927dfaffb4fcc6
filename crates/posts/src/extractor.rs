//! Learns the templates of sites from some of their pages, and finds the records of any page.

use jiff::civil::DateTime;
use url::Url;

use crate::page::find_posts;
use crate::records::PageRecords;
use crate::tree::Tree;

/// A page to find records in.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its address.
    pub url: Url,
    /// When it was fetched, in UTC: dates such as `yesterday` count from then.
    pub fetched: DateTime,
    /// Its content.
    pub tree: Tree,
}

impl Page {
    /// Parses a page. Returns `None` if it exceeds a bound on elements or their nesting.
    pub fn parse(url: &Url, html: &str, fetched: DateTime) -> Option<Self> {
        Some(Self { url: url.clone(), fetched, tree: Tree::parse(html)? })
    }
}

/// Knows the templates of sites.
#[derive(Debug, Clone, Default)]
pub struct Extractor {}

impl Extractor {
    /// Learns from a page.
    pub fn learn(&mut self, page: &Page) {
        let _ = page;
    }

    /// Finds the records of a page.
    pub fn extract(&self, page: &Page) -> PageRecords {
        let mut posts = find_posts(&page.tree, page.fetched);
        for link in posts.iter_mut().filter_map(|post| post.author_url.as_mut()) {
            if let Ok(resolved) = page.url.join(link) {
                *link = resolved.into();
            }
        }
        PageRecords { posts, ..PageRecords::default() }
    }
}
