//! Whether a page is about the topic: an item of the site that carries one of its tags.
//!
//! A tag is a link to the page of the tag, whose address names it ([`TopicTerms::names`]). Links in navigation do not
//! count: a place that shows such a link on most of its pages is a tag cloud. Neither do lists, whose items have many tag
//! links at one place.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::FixedState;

use super::topic_terms::TopicTerms;
use crate::{NewLink, PageFacts, PlacedLink};
use harvestman_core::model::Apath;
use harvestman_core::url::Fingerprint;

/// Maximum number of links at the place of an item's tags.
const ITEM_TAGS_MAX: usize = 16;
/// A place that shows a tag of the topic on more than this share of its pages is navigation.
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

/// Tells whether pages are about a topic.
#[derive(Debug, Default)]
pub struct TopicRelevance {
    terms: TopicTerms,
    /// The known pages of the topic's tags.
    tag_pages: HashSet<Fingerprint, FixedState>,
    /// For each place, the number of pages with links at it, and of those with a tag of the topic.
    places: HashMap<Apath, (u32, u32), FixedState>,
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
        match self.has_tag_pages() {
            true => TopicStatus::ByTags,
            false if self.judged < UNNAMED_PAGES => TopicStatus::Undecided { relevant },
            false => TopicStatus::ByWords { relevant },
        }
    }

    /// Whether a fetched page is an item of the topic: by its tags or, where no page of a tag names the topic after
    /// [`UNNAMED_PAGES`], by the words of its address and its text. To be called once for each page.
    pub fn judge(&mut self, url: &str, page: &PageFacts) -> bool {
        let by_tags = self.is_relevant(&page.links);
        let by_words = || self.terms.mentions(url) || page.text.as_ref().is_some_and(|text| self.terms.are_in(text));
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

    /// The tags of an item: its links at the place that showed the most items' tags of the topic. `None` for a page that is
    /// no item, as far as is known.
    pub fn tags_of(&self, links: &[PlacedLink]) -> Option<Vec<Fingerprint>> {
        let (place, _) = self.tag_places.iter().max_by_key(|(_, items)| **items)?;
        let tags: Vec<Fingerprint> = links.iter().filter(|link| link.apath == *place).map(|link| link.url).collect();
        (1..=ITEM_TAGS_MAX).contains(&tags.len()).then_some(tags)
    }

    /// Whether a page with these links is an item of the topic. To be called once for each fetched page.
    pub fn is_relevant(&mut self, links: &[PlacedLink]) -> bool {
        let mut places: HashMap<Apath, (usize, bool), FixedState> = HashMap::default();
        for link in links {
            let (count, on_topic) = places.entry(link.apath).or_default();
            *count += 1;
            *on_topic |= self.tag_pages.contains(&link.url);
        }
        let mut relevant = false;
        for (place, (count, on_topic)) in places {
            if self.places.len() >= PLACES_MAX && !self.places.contains_key(&place) {
                continue;
            }
            let (pages, with_topic) = self.places.entry(place).or_default();
            *pages = pages.saturating_add(1);
            *with_topic = with_topic.saturating_add(u32::from(on_topic));
            let is_navigation = *pages >= PAGES_MIN && f64::from(*with_topic) > NAVIGATION * f64::from(*pages);
            if on_topic && count <= ITEM_TAGS_MAX && !is_navigation {
                relevant = true;
                *self.tag_places.entry(place).or_default() += 1;
            }
        }
        relevant
    }
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

    fn relevance() -> TopicRelevance {
        let mut relevance = TopicRelevance::new(TopicTerms::new(["macro", "flowers"]));
        let class = LinkClass::unclassified(TAGS);
        relevance.see(&["macro", "flowers", "cars"].map(|tag| NewLink::new(class, url(tag))));
        relevance
    }

    #[test]
    fn an_item_with_a_tag_of_the_topic_is_relevant() {
        let mut relevance = relevance();
        assert!(relevance.is_relevant(&placed(TAGS, &["cars", "macro"])));
        assert!(!relevance.is_relevant(&placed(TAGS, &["cars"])));
        assert!(!relevance.is_relevant(&placed(TAGS, &["macrophage"])), "another tag");
    }

    #[test]
    fn a_tag_cloud_and_a_list_of_items_say_nothing() {
        let mut relevance = relevance();
        let page = |item: &[&str]| [placed(TAGS, item), placed(CLOUD, &["macro", "cars"])].concat();
        let found: Vec<bool> =
            (0..40).map(|n| relevance.is_relevant(&page(if n % 4 == 0 { &["flowers"] } else { &["cars"] }))).collect();
        let expected: Vec<bool> = (0..40).map(|n| n % 4 == 0).collect();
        assert_eq!(found[PAGES_MIN as usize..], expected[PAGES_MIN as usize..]);
        let list: Vec<&str> = (0..30).map(|n| if n % 3 == 0 { "macro" } else { "cars" }).collect();
        assert!(!relevance.is_relevant(&placed(TAGS, &list)));
    }
}
