//! The fetches and their links: the pages that the graph is learned from.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::learned::ContentId;
use crate::{NewLink, PlacedLink};
use harvestman_core::model::{Apath, ClusterId, FormFacts};
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// Maximum number of fetches that are remembered.
pub const FETCHES_MAX: usize = 20_000;
/// Maximum number of URLs that are remembered; URLs that are discovered later are not learned from.
const URLS_MAX: usize = 1 << 18;
/// Maximum number of links of one page that are used; pages seldom have more than a few hundred.
const LINKS_MAX: usize = 4_096;
/// Maximum number of links that are remembered of all pages together.
const ALL_LINKS_MAX: usize = 1 << 22;

/// Clusters of the remembered pages.
pub type Clusters = HashMap<Fingerprint, ClusterId, FixedState>;

/// The number of a URL, in the order of discovery.
pub type UrlNumber = u32;

/// The result of a fetch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FetchResult {
    /// An HTML page.
    Page {
        /// Its content; equal for pages with nearly the same content.
        content: ContentId,
        /// Its own key in the index of contents.
        text: ContentId,
        /// Its template.
        template: ClusterId,
        /// What its forms contain.
        forms: FormFacts,
    },
    /// A document that is no page.
    Document,
    /// A redirect, with its target if that was new.
    Redirect(Option<UrlNumber>),
    /// An error.
    Failure,
}

/// A link to a remembered URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RememberedLink {
    /// Its place.
    pub apath: Apath,
    /// Its target.
    pub url: UrlNumber,
}

/// A fetch.
#[derive(Debug, Clone)]
pub struct Fetch {
    /// The URL that was fetched.
    pub url: UrlNumber,
    /// Whether the crawl started there.
    pub is_seed: bool,
    /// The result.
    pub result: FetchResult,
    /// Its links, without repetitions of place and URL.
    pub links: Box<[RememberedLink]>,
}

/// Fetches and URLs, in order of arrival.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    urls: Vec<Box<str>>,
    numbers: HashMap<Fingerprint, UrlNumber, FixedState>,
    fetches: Vec<Fetch>,
    fetch_of: HashMap<UrlNumber, usize, FixedState>,
    links: usize,
}

impl Memory {
    /// All fetches, one per URL.
    pub fn fetches(&self) -> &[Fetch] {
        &self.fetches
    }

    /// The fetch of a URL, if there was one.
    pub fn fetch_of(&self, url: UrlNumber) -> Option<&Fetch> {
        self.fetch_of.get(&url).map(|at| &self.fetches[*at])
    }

    /// The fetch of a URL, to be changed.
    pub fn fetch_of_mut(&mut self, url: UrlNumber) -> Option<&mut Fetch> {
        self.fetch_of.get(&url).map(|at| &mut self.fetches[*at])
    }

    /// A remembered URL.
    pub fn url(&self, number: UrlNumber) -> &str {
        &self.urls[number as usize]
    }

    /// All remembered URLs.
    pub fn urls(&self) -> &[Box<str>] {
        &self.urls
    }

    /// The number of a URL; `None` where it is not remembered.
    pub fn number(&self, url: Fingerprint) -> Option<UrlNumber> {
        self.numbers.get(&url).copied()
    }

    /// Remembers a URL. Returns its number and whether it was new; `None` where there is no room.
    pub fn learn_url(&mut self, url: &CanonicalUrl) -> Option<(UrlNumber, bool)> {
        let fingerprint = url.fingerprint();
        if let Some(number) = self.numbers.get(&fingerprint) {
            return Some((*number, false));
        }
        if self.urls.len() >= URLS_MAX {
            return None;
        }
        let number = self.urls.len() as UrlNumber;
        self.urls.push(url.as_str().into());
        self.numbers.insert(fingerprint, number);
        Some((number, true))
    }

    /// Whether there is room for another fetch.
    pub const fn has_room(&self) -> bool {
        self.fetches.len() < FETCHES_MAX
    }

    /// Whether a URL's fetch is remembered.
    pub fn has_fetched(&self, url: UrlNumber) -> bool {
        self.fetch_of.contains_key(&url)
    }

    /// Remembers a fetch, the first of its URL.
    pub fn add(&mut self, url: UrlNumber, is_seed: bool, result: FetchResult, links: Box<[RememberedLink]>) {
        if !self.has_room() || self.has_fetched(url) {
            return;
        }
        self.links += links.len();
        self.fetch_of.insert(url, self.fetches.len());
        self.fetches.push(Fetch { url, is_seed, result, links });
    }

    /// The links of a page to remembered URLs, without repetitions of place and URL and without links to the page
    /// itself.
    pub fn links_of(&self, page: UrlNumber, placed: &[PlacedLink], new: &[NewLink]) -> Box<[RememberedLink]> {
        if self.links >= ALL_LINKS_MAX {
            return Box::default();
        }
        let placed = placed.iter().map(|link| (link.apath, link.url));
        let new = new.iter().map(|link| (link.class.apath, link.url.fingerprint()));
        let known = |(apath, url)| Some(RememberedLink { apath, url: self.number(url)? });
        let mut links: Vec<RememberedLink> =
            placed.chain(new).take(LINKS_MAX).filter_map(known).filter(|link| link.url != page).collect();
        links.sort_unstable();
        links.dedup();
        links.into()
    }
}
