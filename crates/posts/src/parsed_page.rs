//! A page as extraction reads it.

use harvestman_core::model::PageTree;
use jiff::civil::DateTime;
use url::Url;

use crate::head::PageHead;
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
    /// What it says of itself outside of what it shows.
    pub head: PageHead,
}

impl Page {
    /// Takes a page whose elements and texts were recorded. Returns `None` if it may be XML, which [`Page::parse`]
    /// reads.
    pub fn of(url: &Url, tree: PageTree, fetched: DateTime) -> Option<Self> {
        if tree.has_empty_tags() {
            return None;
        }
        let (tree, head) = Tree::of(tree);
        Some(Self { url: url.clone(), fetched, tree, head })
    }

    /// Parses a page. Returns `None` if it exceeds a bound on elements or their nesting.
    pub fn parse(url: &Url, html: &str, fetched: DateTime) -> Option<Self> {
        let (tree, head) = Tree::parse_with_head(html)?;
        Some(Self { url: url.clone(), fetched, tree, head })
    }
}
