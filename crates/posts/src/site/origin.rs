//! Where the records of a page come from.

use jiff::Timestamp;
use url::Url;

use crate::tree::{Content, Tree};

/// Where a page comes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageOrigin {
    /// Its address, absolute.
    pub url: String,
    /// The WARC file that has it.
    pub warc_file: Option<String>,
    /// The byte offset of its record.
    pub warc_offset: Option<u64>,
    /// When it was fetched.
    pub crawl_time: Timestamp,
    /// The number of the visit to it, from 1, if the crawl counted them.
    pub visit: Option<u32>,
    /// Its cluster.
    pub cluster: Option<u32>,
    /// What it says of itself.
    pub head: PageNeighbours,
}

/// What a page says of itself and its neighbours. Addresses are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageNeighbours {
    /// The text of its `title`.
    pub title: Option<String>,
    /// The address that it names as its own.
    pub canonical: Option<String>,
    /// The address of the page after it.
    pub next: Option<String>,
    /// The address of the page before it.
    pub prev: Option<String>,
}

impl PageNeighbours {
    /// Reads the links to the pages before and after a page. Its title and its canonical address, which are not shown, are not
    /// part of the tree: the caller adds them.
    pub fn of(tree: &Tree, url: &Url) -> Self {
        let mut head = Self::default();
        for (at, node) in tree.nodes().iter().enumerate() {
            if matches!(&node.content, Content::Element(name, _) if matches!(&**name, "link" | "a")) {
                head.read_link(tree, at, url);
            }
        }
        head
    }

    fn read_link(&mut self, tree: &Tree, at: usize, url: &Url) {
        let (Some(rel), Some(href)) = (tree.attribute(at, "rel"), tree.attribute(at, "href")) else { return };
        for word in rel.split_ascii_whitespace() {
            let target = match word.to_ascii_lowercase().as_str() {
                "next" => &mut self.next,
                "prev" | "previous" => &mut self.prev,
                _ => continue,
            };
            if target.is_none() {
                *target = url.join(href).ok().map(Into::into);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_neighbours_are_read_once_each() {
        let html =
            "<a rel='nofollow next' href='?page=2'>2</a><a rel=next href=/x>x</a><a rel=PREV>none</a><a href=/y>y</a>";
        let url = Url::parse("https://h/t/1?a=b").unwrap();
        let head = PageNeighbours::of(&Tree::parse(html).unwrap(), &url);
        assert_eq!(head, PageNeighbours { next: Some("https://h/t/1?page=2".to_owned()), ..PageNeighbours::default() });
    }
}
