//! What is kept of a post for each page that shows it.

use super::moment::Moment;
use super::names::TextId;
use super::prints::Prints;

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
