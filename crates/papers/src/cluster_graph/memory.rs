//! The fetches of the sample and their links: the pages that the graph is learned from.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use harvestman_core::url::{CanonicalUrl, Fingerprint};
use harvestman_policy::{NewLink, Observation, Outcome, PlacedLink};

/// Maximum number of fetches that are remembered.
const FETCHES_MAX: usize = 20_000;
/// Maximum number of URLs that are remembered; URLs that are discovered later are not learned from.
const URLS_MAX: usize = 1 << 18;
/// Maximum number of links of one page that are used; pages seldom have more than a few hundred.
const LINKS_MAX: usize = 4_096;
/// Maximum number of links that are remembered of all pages together.
const ALL_LINKS_MAX: usize = 1 << 22;

/// The number of a URL, in the order of discovery.
pub(super) type UrlNumber = u32;

/// A fetch.
#[derive(Debug, Clone)]
pub(super) struct Fetch {
    /// The URL that was fetched.
    pub url: UrlNumber,
    /// The URLs that it links to, once for each place of such a link.
    pub links: Box<[UrlNumber]>,
    /// The target of its redirect, if that was new.
    pub redirects_to: Option<UrlNumber>,
}

/// Fetches and URLs, in order of arrival.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
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

    /// Remembers a fetch, if it is the first of its URL, and the URLs that it found.
    pub fn remember(&mut self, seen: &Observation) {
        let Some(url) = self.learn_url(&seen.url) else { return };
        let mut first_new = None;
        for link in &seen.new {
            let number = self.learn_url(&link.url);
            first_new = first_new.or(number);
        }
        if self.fetch_of.contains_key(&url) || self.fetches.len() >= FETCHES_MAX {
            return;
        }
        let links = match &seen.outcome {
            Outcome::Page(facts) => self.links_of(url, &facts.links, &seen.new),
            Outcome::Document | Outcome::Search(_) => self.links_of(url, &[], &seen.new),
            Outcome::Redirected | Outcome::Failed => Box::default(),
        };
        let redirects_to = first_new.filter(|_| matches!(seen.outcome, Outcome::Redirected));
        self.links += links.len();
        self.fetch_of.insert(url, self.fetches.len());
        self.fetches.push(Fetch { url, links, redirects_to });
    }

    /// Remembers a URL; `None` where there is no room.
    fn learn_url(&mut self, url: &CanonicalUrl) -> Option<UrlNumber> {
        let fingerprint = url.fingerprint();
        let known = self.number(fingerprint);
        if known.is_some() || self.urls.len() >= URLS_MAX {
            return known;
        }
        let number = self.urls.len() as UrlNumber;
        self.urls.push(url.as_str().into());
        self.numbers.insert(fingerprint, number);
        Some(number)
    }

    /// The links of a page to remembered URLs, without links to the page itself.
    fn links_of(&self, page: UrlNumber, placed: &[PlacedLink], new: &[NewLink]) -> Box<[UrlNumber]> {
        if self.links >= ALL_LINKS_MAX {
            return Box::default();
        }
        let placed = placed.iter().map(|link| (link.apath, link.url));
        let new = new.iter().map(|link| (link.class.apath, link.url.fingerprint()));
        let known = placed.chain(new).take(LINKS_MAX).filter_map(|(apath, url)| Some((apath, self.number(url)?)));
        let mut links: Vec<_> = known.filter(|(_, url)| *url != page).collect();
        links.sort_unstable();
        links.dedup();
        links.into_iter().map(|(_, url)| url).collect()
    }
}
