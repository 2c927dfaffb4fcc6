//! What is kept of a post for each page that shows it, and of the page that it comes from.

use jiff::Timestamp;

use super::moment::Moment;
use super::prints::{Prints, TextId};
use crate::parsed_page::Page;

/// A post on a page: some 150 bytes, whatever its text.
#[derive(Debug, Clone)]
pub(super) struct Sighting {
    /// The page.
    pub page: u32,
    /// Its number on the page.
    pub index: u32,
    /// Where its text is stored.
    pub place: u64,
    /// Hash of the host and the identifier; 0 if it has none.
    pub id: u64,
    /// Hash of its address; 0 if it has none.
    pub url: u64,
    /// Its address without paging; 0 if it has none.
    pub url_base: TextId,
    pub author: TextId,
    pub author_url: TextId,
    pub moment: Option<Moment>,
    pub prints: Prints,
    /// The address of its thread without paging; 0 if nothing is known of it.
    pub thread: TextId,
    /// Whether the page told the thread, as opposed to being taken for it.
    pub is_thread_told: bool,
    pub parent: ParentKey,
    pub confidence: f32,
    pub is_excerpt: bool,
    /// Whether a feed has it: it tells neither thread nor place, and drops old posts.
    pub is_feed: bool,
}

/// A reference to another post, by hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ParentKey {
    #[default]
    None,
    Id(u64),
    Url(u64),
    Index(u32),
    /// The quote is stored with the text.
    Quote,
}

/// A visit to a page.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenPage {
    /// Its address.
    pub url: TextId,
    /// Its address without paging, or what it names as its own.
    pub base: TextId,
    pub host: TextId,
    /// Hash of its title without numbers and words for pages; 0 if it has none.
    pub title: u64,
    /// The thread that it tells of itself, without paging; 0 if it tells none.
    pub thread: TextId,
    /// The addresses of the pages after and before it, without paging.
    pub neighbours: [TextId; 2],
    /// Milliseconds since 1970.
    pub crawl_time: i64,
    /// When it was last found unchanged; the same if it was not.
    pub confirmed: i64,
    /// 0 if the crawl counted no visits.
    pub visit: u32,
    pub cluster: Option<u32>,
    pub warc_file: TextId,
    pub warc_offset: Option<u64>,
    /// Hash of its posts: a record that is read twice is one visit.
    pub content: u64,
    /// The first of its posts among all, and their number.
    pub first: u32,
    pub posts: u32,
}

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
    /// Reads what a page says of itself, and its links to the pages before and after it: those of its head come first.
    pub fn of(page: &Page) -> Self {
        page.tree.begin_reading();
        let absolute = |relation| page.url.join(page.head.link(relation)?).ok().map(Into::into);
        let mut of = Self {
            title: page.head.title.clone(),
            canonical: absolute("canonical"),
            next: absolute("next"),
            prev: absolute("prev"),
        };
        page.tree.all().filter(|at| page.tree.name(*at) == "a").for_each(|at| of.read_link(page, at));
        of
    }

    fn read_link(&mut self, page: &Page, at: usize) {
        let attribute = |name| page.tree.attribute(at, name);
        let (Some(rel), Some(href)) = (attribute("rel"), attribute("href")) else { return };
        for word in rel.split_ascii_whitespace() {
            let target = match word.to_ascii_lowercase().as_str() {
                "next" => &mut self.next,
                "prev" | "previous" => &mut self.prev,
                _ => continue,
            };
            if target.is_none() {
                *target = page.url.join(href).ok().map(Into::into);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbours(html: &str) -> PageNeighbours {
        let url = "https://h/t/1?a=b".parse().unwrap();
        PageNeighbours::of(&Page::parse(&url, html, jiff::civil::date(2026, 1, 1).at(0, 0, 0, 0)).unwrap())
    }

    #[test]
    fn links_to_neighbours_are_read_once_each() {
        let html =
            "<a rel='nofollow next' href='?page=2'>2</a><a rel=next href=/x>x</a><a rel=PREV>none</a><a href=/y>y</a>";
        let next = Some("https://h/t/1?page=2".to_owned());
        assert_eq!(neighbours(html), PageNeighbours { next, ..PageNeighbours::default() });
    }

    #[test]
    fn what_the_head_says_comes_first() {
        let found = neighbours(
            "<head><title>One</title><link rel=canonical href=/t/1><link rel=next href=/t/1/2></head>\
             <body><a rel=next href=/x>x</a><a rel=prev href=/t/1/0>0</a>",
        );
        let address = |path: &str| Some(format!("https://h/t/1{path}"));
        let (title, canonical) = (Some("One".to_owned()), address(""));
        assert_eq!(found, PageNeighbours { title, canonical, next: address("/2"), prev: address("/0") });
    }
}
