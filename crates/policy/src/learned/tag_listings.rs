//! What the pages of a topic's tags list: its items, and beside them their authors, other tags, further pages.
//!
//! Each entry of such a list has one link to the item; an author has several entries. So the place that shows the most
//! different links is that of the items.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::FixedState;

use crate::PlacedLink;
use harvestman_core::model::Apath;
use harvestman_core::url::Fingerprint;

/// Maximum number of links of listings that are remembered.
const LISTED_MAX: usize = 1 << 16;
/// Maximum number of places that are remembered for a link, and for each place of tags.
const PLACES_MAX: usize = 8;
/// The places of items show at least this share of the number of links at the place with the most. Further links to the same
/// items, such as pictures, may be missing in some entries.
const SHARE_MIN: f64 = 0.95;

/// Links on the pages of tags by place, and where the pages that show these tags are listed.
#[derive(Debug, Default)]
pub struct TagListings {
    /// The places at which a link was listed.
    listed: HashMap<Fingerprint, Vec<Apath>, FixedState>,
    /// The number of different links at each place.
    counts: BTreeMap<Apath, u32>,
    /// For each place of tags, the places at which pages with a tag at it were listed.
    by_tag_place: BTreeMap<Apath, BTreeSet<Apath>>,
}

impl TagListings {
    /// Takes in the links of a page of a tag.
    pub fn list(&mut self, links: &[PlacedLink]) {
        for link in links {
            if self.listed.len() >= LISTED_MAX && !self.listed.contains_key(&link.url) {
                continue;
            }
            let places = self.listed.entry(link.url).or_default();
            if places.len() < PLACES_MAX && !places.contains(&link.apath) {
                places.push(link.apath);
                *self.counts.entry(link.apath).or_default() += 1;
            }
        }
    }

    /// Takes in that a page shows a tag of the topic at this place. Returns whether it is an item: whether it, or other pages
    /// with tags at this place, are listed where the most links are. Before any such page was found in a listing, all are.
    pub fn is_item(&mut self, url: Fingerprint, tags: Apath) -> bool {
        let own = self.listed.get(&url).map_or(&[][..], Vec::as_slice);
        let known = self.by_tag_place.entry(tags).or_default();
        known.extend(own.iter().take(PLACES_MAX.saturating_sub(known.len())));
        let here = self.most(own).max(self.most(&self.by_tag_place[&tags]));
        f64::from(here) >= SHARE_MIN * f64::from(self.most_of_tagged())
    }

    /// Whether a page is listed where pages with tags are that are known to be items.
    pub fn is_listed_as_item(&self, url: Fingerprint) -> bool {
        let most = self.most_of_tagged();
        let own = self.listed.get(&url).map_or(0, |places| self.most(places));
        most > 0 && f64::from(own) >= SHARE_MIN * f64::from(most)
    }

    /// The number of links at the place with the most of them where pages with tags are listed.
    fn most_of_tagged(&self) -> u32 {
        self.by_tag_place.values().map(|places| self.most(places)).max().unwrap_or_default()
    }

    /// The largest number of different links at one of these places.
    fn most<'p>(&self, places: impl IntoIterator<Item = &'p Apath>) -> u32 {
        places.into_iter().filter_map(|place| self.counts.get(place)).copied().max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TITLES: Apath = Apath(1);
    const AUTHORS: Apath = Apath(2);
    const TAGS_OF_ITEMS: Apath = Apath(3);
    const TAGS_OF_AUTHORS: Apath = Apath(4);

    fn item(number: u64) -> Fingerprint {
        Fingerprint::of(&format!("http://h.test/item/{number}"))
    }

    fn author(number: u64) -> Fingerprint {
        Fingerprint::of(&format!("http://h.test/user/{number}"))
    }

    /// The page of a tag with entries of these items, each by the author of a third of its number.
    fn listing(items: std::ops::Range<u64>) -> Vec<PlacedLink> {
        items
            .flat_map(|number| [PlacedLink::new(TITLES, item(number)), PlacedLink::new(AUTHORS, author(number / 3))])
            .collect()
    }

    #[test]
    fn items_are_what_the_pages_of_tags_list_most() {
        let mut listings = TagListings::default();
        assert!(listings.is_item(item(1), TAGS_OF_ITEMS), "nothing is known");
        listings.list(&listing(0..20));
        assert!(listings.is_item(author(1), TAGS_OF_AUTHORS), "only authors are known to show tags");
        assert!(listings.is_item(item(1), TAGS_OF_ITEMS));
        assert!(!listings.is_item(author(2), TAGS_OF_AUTHORS));
        assert!(listings.is_item(item(777), TAGS_OF_ITEMS), "it shows tags where other items do");
        assert!(!listings.is_item(author(777), TAGS_OF_AUTHORS));
        assert!(listings.is_listed_as_item(item(3)));
        assert!(!listings.is_listed_as_item(item(777)) && !listings.is_listed_as_item(author(2)));
    }

    #[test]
    fn a_link_that_several_pages_list_counts_once() {
        let mut listings = TagListings::default();
        (0..9).for_each(|_| listings.list(&listing(0..2)));
        assert_eq!((listings.counts[&TITLES], listings.counts[&AUTHORS]), (2, 1));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn counts_are_those_of_the_different_links(
            pages in prop::collection::vec(prop::collection::vec((0..5_u64, 0..30_u64), 0..20), 0..6),
        ) {
            let mut listings = TagListings::default();
            let mut all: BTreeSet<(u64, u64)> = BTreeSet::new();
            for page in &pages {
                listings.list(&page.iter().map(|(at, url)| PlacedLink::new(Apath(*at), item(*url))).collect::<Vec<_>>());
                all.extend(page);
            }
            for place in 0..5 {
                let count = all.iter().filter(|(at, _)| *at == place).count() as u32;
                prop_assert_eq!(listings.counts.get(&Apath(place)).copied().unwrap_or_default(), count);
            }
        }
    }
}
