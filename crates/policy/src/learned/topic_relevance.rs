//! Whether a page is about the topic: an item of the site that carries one of its tags.
//!
//! A tag is a link to the page of the tag, whose address names it ([`TopicTerms::names`]). Links in navigation do not
//! count: a place that shows the same links on most pages is a tag cloud. Neither do lists, whose items have many tag
//! links at one place, nor other pages with tags, such as those of authors ([`TagListings`]).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;

use super::tag_listings::TagListings;
use super::topic_terms::TopicTerms;
use crate::{NewLink, PageFacts, PlacedLink};
use harvestman_core::model::Apath;
use harvestman_core::url::{CanonicalUrl, Fingerprint};

/// Maximum number of links at the place of an item's tags.
const ITEM_TAGS_MAX: usize = 16;
/// A place that shows a tag of the topic on more than this share of its pages, and the same links on as many, is
/// navigation.
const NAVIGATION: f64 = 0.6;
/// Minimum number of pages of a place by which it is judged.
const PAGES_MIN: u32 = 8;
/// Maximum number of pages of tags, and of places, that are remembered.
const TAG_PAGES_MAX: usize = 1 << 16;
const PLACES_MAX: usize = 1 << 14;

/// Number of pages after which words count where no page of a tag names the topic.
const UNNAMED_PAGES: u64 = 150;

/// How items of the topic are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicStatus {
    /// Not at all: the topic has no terms.
    NoTerms,
    /// By their tags.
    ByTags,
    /// No page of a tag names the topic so far, and few pages are known.
    Undecided {
        /// The number of items found.
        relevant: u64,
    },
    /// By words in addresses and texts: no page of a tag names the topic.
    ByWords {
        /// The number of items found.
        relevant: u64,
    },
}

/// The pages with links at a place that were not found by the topic.
#[derive(Debug, Clone, Copy, Default)]
struct PlacePages {
    count: u32,
    /// Number of those with a tag of the topic.
    on_topic: u32,
    /// The links that most of them show, as far as there are such (Boyer and Moore 1981), and their lead.
    usual: u64,
    lead: u32,
}

impl PlacePages {
    fn see(&mut self, links: u64, on_topic: bool) {
        self.count = self.count.saturating_add(1);
        self.on_topic = self.on_topic.saturating_add(u32::from(on_topic));
        if self.lead == 0 {
            self.usual = links;
        }
        self.lead = if self.usual == links { self.lead.saturating_add(1) } else { self.lead - 1 };
    }

    /// Whether the place shows the same links on most pages, and the topic among them. What is shown on a share of s of
    /// the pages leads by at least 2 s − 1 of their number.
    fn is_navigation(&self) -> bool {
        let pages = f64::from(self.count);
        self.count >= PAGES_MIN
            && f64::from(self.on_topic) > NAVIGATION * pages
            && f64::from(self.lead) > (2.0 * NAVIGATION - 1.0) * pages
    }
}

/// Tells whether pages are about a topic.
#[derive(Debug, Default)]
pub struct TopicRelevance {
    terms: TopicTerms,
    /// The known pages of the topic's tags.
    tag_pages: HashSet<Fingerprint, FixedState>,
    places: HashMap<Apath, PlacePages, FixedState>,
    listings: TagListings,
    /// For each place that showed a tag of an item of the topic, the number of these items.
    tag_places: BTreeMap<Apath, u32>,
    /// The number of judged pages, and of those among them that are items of the topic.
    judged: u64,
    relevant: u64,
}

impl TopicRelevance {
    /// For this topic.
    pub fn new(terms: TopicTerms) -> Self {
        Self { terms, ..Self::default() }
    }

    /// The topic.
    pub const fn terms(&self) -> &TopicTerms {
        &self.terms
    }

    /// Takes in new links: which of them are pages of the topic's tags.
    pub fn see(&mut self, new: &[NewLink]) {
        for link in new {
            if self.terms.names(link.url.as_str()) {
                self.note_tag_page(link.url.fingerprint());
            }
        }
    }

    /// How items are recognised.
    pub fn status(&self) -> TopicStatus {
        let relevant = self.relevant;
        if self.terms.is_empty() {
            return TopicStatus::NoTerms;
        }
        match self.has_tag_pages() {
            true => TopicStatus::ByTags,
            false if self.judged < UNNAMED_PAGES => TopicStatus::Undecided { relevant },
            false => TopicStatus::ByWords { relevant },
        }
    }

    /// Whether a fetched page is an item of the topic: by its tags or, where no page of a tag names the topic after
    /// `UNNAMED_PAGES`, by the words of its address and its text. `is_sought`: the page was found by the topic, so that
    /// it says nothing of how common the topic is. To be called once for each page.
    pub fn judge(&mut self, url: &CanonicalUrl, page: &PageFacts, is_sought: bool) -> bool {
        let by_tags = self.is_relevant(url, &page.links, is_sought);
        let by_words =
            || self.terms.mentions(url.as_str()) || page.text.as_ref().is_some_and(|text| self.terms.are_in(text));
        let by_words = matches!(self.status(), TopicStatus::ByWords { .. }) && by_words();
        self.judged += 1;
        self.relevant += u64::from(by_tags || by_words);
        by_tags || by_words
    }

    /// Takes in the page of a tag of the topic.
    pub fn note_tag_page(&mut self, page: Fingerprint) {
        if self.tag_pages.len() < TAG_PAGES_MAX {
            self.tag_pages.insert(page);
        }
    }

    /// Whether a page of a tag of the topic is known.
    pub fn has_tag_pages(&self) -> bool {
        !self.tag_pages.is_empty()
    }

    /// The tags of an item: its links at the place that showed the most items' tags of the topic. `None` for a page
    /// that is no item, as far as is known.
    pub fn tags_of(&self, links: &[PlacedLink]) -> Option<Vec<Fingerprint>> {
        let (place, _) = self.tag_places.iter().max_by_key(|(_, items)| **items)?;
        let tags: Vec<Fingerprint> = links.iter().filter(|link| link.apath == *place).map(|link| link.url).collect();
        (1..=ITEM_TAGS_MAX).contains(&tags.len()).then_some(tags)
    }

    /// Whether a page with these links is an item of the topic. To be called once for each fetched page.
    pub fn is_relevant(&mut self, url: &CanonicalUrl, links: &[PlacedLink], is_sought: bool) -> bool {
        let page = url.fingerprint();
        let names_topic = self.terms.names(url.as_str());
        if names_topic {
            self.listings.list(links);
        }
        // Such a page is one of a tag, unless the pages of other tags list it among items.
        let is_open = !names_topic || self.listings.is_listed_as_item(page);
        let mut relevant = false;
        for (place, shown) in self.shown(links) {
            let Some(pages) = self.pages_of(place) else { continue };
            if !is_sought && !names_topic {
                pages.see(shown.links, shown.on_topic);
            }
            let carries = is_open && shown.on_topic && shown.count <= ITEM_TAGS_MAX && !pages.is_navigation();
            if carries && self.listings.is_item(page, place) {
                relevant = true;
                *self.tag_places.entry(place).or_default() += 1;
            }
        }
        relevant
    }

    /// What a page shows at each place.
    fn shown(&self, links: &[PlacedLink]) -> BTreeMap<Apath, Shown> {
        let mut places: BTreeMap<Apath, Shown> = BTreeMap::new();
        for link in links {
            let shown = places.entry(link.apath).or_default();
            shown.count += 1;
            shown.links = shown.links.wrapping_add(FixedState::default().hash_one(link.url));
            shown.on_topic |= self.tag_pages.contains(&link.url);
        }
        places
    }

    /// The pages with links at a place, unless there are too many places.
    fn pages_of(&mut self, place: Apath) -> Option<&mut PlacePages> {
        let has_room = self.places.len() < PLACES_MAX || self.places.contains_key(&place);
        has_room.then(|| self.places.entry(place).or_default())
    }
}

/// What a page shows at one place.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    count: usize,
    /// The links together, in any order.
    links: u64,
    on_topic: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::LinkClass;
    use harvestman_core::url::CanonicalUrl;

    const TAGS: Apath = Apath(10);
    const CLOUD: Apath = Apath(11);

    fn url(tag: &str) -> CanonicalUrl {
        CanonicalUrl::from_canonical(format!("http://h.test/tag/{tag}/"))
    }

    fn placed(place: Apath, tags: &[&str]) -> Vec<PlacedLink> {
        tags.iter().map(|tag| PlacedLink::new(place, url(tag).fingerprint())).collect()
    }

    fn item(number: usize) -> CanonicalUrl {
        CanonicalUrl::from_canonical(format!("http://h.test/item/{number}"))
    }

    fn relevance() -> TopicRelevance {
        let mut relevance = TopicRelevance::new(TopicTerms::new(["macro", "flowers"]));
        let class = LinkClass::unclassified(TAGS);
        relevance.see(&["macro", "flowers", "cars"].map(|tag| NewLink::new(class, url(tag))));
        relevance
    }

    #[test]
    fn an_item_with_a_tag_of_the_topic_is_relevant() {
        let mut relevance = relevance();
        let mut is_relevant = |tags: &[&str]| relevance.is_relevant(&item(1), &placed(TAGS, tags), false);
        assert!(is_relevant(&["cars", "macro"]));
        assert!(!is_relevant(&["cars"]));
        assert!(!is_relevant(&["macrophage"]), "another tag");
    }

    #[test]
    fn a_tag_cloud_and_a_list_of_items_say_nothing() {
        let mut relevance = relevance();
        let page = |item: &[&str]| [placed(TAGS, item), placed(CLOUD, &["macro", "cars"])].concat();
        let tag = |n: usize| if n.is_multiple_of(4) { "flowers" } else { "cars" };
        let found: Vec<bool> = (0..40).map(|n| relevance.is_relevant(&item(n), &page(&[tag(n)]), false)).collect();
        let expected: Vec<bool> = (0..40).map(|n| n % 4 == 0).collect();
        assert_eq!(found[PAGES_MIN as usize..], expected[PAGES_MIN as usize..]);
        let list: Vec<&str> = (0..30).map(|n| if n % 3 == 0 { "macro" } else { "cars" }).collect();
        assert!(!relevance.is_relevant(&item(99), &placed(TAGS, &list), false));
    }

    #[test]
    fn a_crawl_that_finds_nothing_but_items_of_the_topic_keeps_recognising_them() {
        let mut relevance = relevance();
        let found = (0..100).filter(|n| {
            let other = format!("tag{}", n % 7);
            relevance.is_relevant(&item(*n), &placed(TAGS, &["macro", &other]), n % 2 == 0)
        });
        assert_eq!(found.count(), 100);
        let sought = (0..100).filter(|n| relevance.is_relevant(&item(*n), &placed(CLOUD, &["macro"]), true));
        assert_eq!(sought.count(), 100, "what was sought does not tell how common the topic is");
    }

    #[test]
    fn pages_of_tags_and_of_authors_are_no_items() {
        const TITLES: Apath = Apath(12);
        const AUTHORS: Apath = Apath(13);
        let mut relevance = relevance();
        let author = |number| CanonicalUrl::from_canonical(format!("http://h.test/user/{number}"));
        let entry = |n: usize| {
            [PlacedLink::new(TITLES, item(n).fingerprint()), PlacedLink::new(AUTHORS, author(n / 2).fingerprint())]
        };
        let list: Vec<PlacedLink> = (0..20).flat_map(entry).chain(placed(TAGS, &["macro"])).collect();
        assert!(!relevance.is_relevant(&url("macro"), &list, true), "the page of the tag");
        assert!(relevance.is_relevant(&item(3), &placed(TAGS, &["macro"]), true));
        assert!(!relevance.is_relevant(&author(3), &placed(CLOUD, &["macro", "cars"]), false));
        let named = CanonicalUrl::from_canonical("http://h.test/macro/item/70");
        assert!(!relevance.is_relevant(&named, &placed(TAGS, &["macro"]), true), "its address names the topic");
        relevance.is_relevant(&url("flowers"), &[PlacedLink::new(TITLES, named.fingerprint())], true);
        assert!(relevance.is_relevant(&named, &placed(TAGS, &["macro"]), true), "it is listed as items are");
    }

    #[test]
    fn pages_of_tags_and_places_are_remembered_up_to_their_bounds() {
        let mut relevance = relevance();
        let class = LinkClass::unclassified(TAGS);
        let page = |n: usize| CanonicalUrl::from_canonical(format!("http://h.test/tag/macro/{n}"));
        relevance.see(&(0..TAG_PAGES_MAX + 10).map(|n| NewLink::new(class, page(n))).collect::<Vec<_>>());
        assert_eq!(relevance.tag_pages.len(), TAG_PAGES_MAX);
        // A page on which each link is at a place of its own.
        let links: Vec<_> =
            (0..PLACES_MAX + 10).map(|n| PlacedLink::new(Apath(100 + n as u64), page(n).fingerprint())).collect();
        relevance.is_relevant(&item(1), &links, false);
        assert!(relevance.places.len() == PLACES_MAX && relevance.tag_places.len() <= PLACES_MAX);
    }
}
