//! What the text of a page added to a crawl, for display.

use serde::Serialize;

use super::text::{Overlap, Relation, TextAccount, TextKey};

/// Maximum number of pages that are named as holders of a page's text.
pub const HOLDERS_MAX: usize = 3;

/// The result of following a page through the observations of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub enum TextTrace {
    /// No observation is of it.
    NotObserved,
    /// Its URL led to no page: to a redirect, a document or an error.
    NoPage,
    /// A page whose text was not read, because the worth of its class was known.
    Unread,
    /// A page.
    Page(Box<TextHistory>),
}

/// What the text of a page added to a crawl. Counts of text are of distinct shingles: three successive words of running
/// text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextHistory {
    /// The number of words that it shows, links and labels included.
    pub words: usize,
    /// What it added when it was learned from.
    pub arrival: TextShare,
    /// What it adds after the last observation; `None` if it is no longer remembered.
    pub latest: Option<TextShare>,
    /// The page that it repeats, if it was judged a duplicate.
    pub repeats: Option<Repetition>,
    /// Its worth after the last observation, from 0 to 1, if it is remembered.
    pub worth: Option<f64>,
}

impl TextHistory {
    /// Returns the latest share or, if the page is no longer remembered, that of its arrival.
    pub fn latest_share(&self) -> &TextShare {
        self.latest.as_ref().unwrap_or(&self.arrival)
    }
}

/// The shingles of a page, by the pages that they count for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextShare {
    /// All.
    pub shingles: usize,
    /// Those that are stock text of its page type.
    pub template: usize,
    /// Those that were not compared, because the page is too long.
    pub uncompared: usize,
    /// Those that no other remembered page shows.
    pub only_here: usize,
    /// Those that count for the page.
    pub own: usize,
    /// Those that count for other pages.
    pub elsewhere: usize,
    /// The pages that most of these count for, most first; three at most.
    pub said_by: Vec<SaidBy>,
    /// The number of further such pages, and of what counts for them.
    pub other_pages: usize,
    /// Those that count for these.
    pub other_shingles: usize,
    /// Those that count for pages that are no longer remembered.
    pub forgotten: usize,
    /// The shingles of `only_here`.
    #[serde(skip)]
    pub only_here_keys: Vec<TextKey>,
    /// The shingles of `own`.
    #[serde(skip)]
    pub own_keys: Vec<TextKey>,
}

/// A page that some of a page's text counts for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SaidBy {
    /// Its URL.
    pub url: String,
    /// The number of shingles.
    pub shingles: usize,
    /// Whether it was fetched before the page.
    pub earlier: bool,
    /// The shingles.
    #[serde(skip)]
    pub keys: Vec<TextKey>,
}

/// Which page a duplicate repeats.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repetition {
    /// The other page; `None` if the page shows nothing but its template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// How much they have in common.
    #[serde(flatten)]
    pub overlap: Option<SharedText>,
    /// When it was found.
    pub when: RepeatedAt,
}

/// When a page was found to repeat another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatedAt {
    /// When it was learned from.
    Arrival,
    /// When the other page was.
    Later,
}

/// How much two pages have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SharedText {
    /// How the page relates to the other one: `alike`, `within` or, if only the other page is within it, `contains`.
    pub relation: &'static str,
    /// What is compared: `shingles`, or `texts` as wholes on pages with little running text.
    pub compared: &'static str,
    /// The number of those that both show, of the compared ones.
    pub both: u32,
    /// Their share of the page, from 0 to 1.
    pub share: f64,
    /// Their share of the other page.
    pub share_of_other: f64,
}

impl From<Overlap> for SharedText {
    fn from(overlap: Overlap) -> Self {
        let relation = match overlap.relation() {
            Some(Relation::Alike) => "alike",
            Some(Relation::Within) => "within",
            None => "contains",
        };
        let compared = if overlap.by_text { "shingles" } else { "texts" };
        let (share, share_of_other) = (overlap.share(), overlap.share_of_other());
        Self { relation, compared, both: overlap.both, share, share_of_other }
    }
}

impl Repetition {
    /// A page that shows nothing but its template, as earlier ones do.
    pub const fn of_template() -> Self {
        Self { url: None, overlap: None, when: RepeatedAt::Arrival }
    }
}

impl TextShare {
    /// The shares of `account`; `said_by` are the pages that most of its text counts for.
    pub fn new(account: TextAccount, said_by: Vec<SaidBy>) -> Self {
        let elsewhere: usize = account.others.iter().map(|(_, shingles)| shingles.len()).sum();
        let named: usize = said_by.iter().map(|page| page.shingles).sum();
        Self {
            shingles: account.shingles,
            template: account.template,
            uncompared: account.uncompared,
            only_here: account.only.len(),
            own: account.own.len(),
            elsewhere,
            other_pages: account.others.len() - said_by.len(),
            other_shingles: elsewhere - named,
            said_by,
            forgotten: account.forgotten,
            only_here_keys: account.only,
            own_keys: account.own,
        }
    }
}
