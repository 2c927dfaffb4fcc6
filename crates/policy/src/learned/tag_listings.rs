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
/// Maximum number of places of tags that are remembered.
const TAG_PLACES_MAX: usize = 1 << 14;
/// The places of items show at least this share of the number of links at the place with the most. Further links to the
/// same items, such as pictures, may be missing in some entries.
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
    /// All of these places, and the number of links at the place with the most of them. Neither shrinks.
    tagged: BTreeSet<Apath>,
    most_of_tagged: u32,
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
                let count = self.counts.entry(link.apath).or_default();
                *count += 1;
                if *count > self.most_of_tagged && self.tagged.contains(&link.apath) {
                    self.most_of_tagged = *count;
                }
            }
        }
    }

    /// Takes in that a page shows a tag of the topic at this place. Returns whether it is an item: whether it, or other
    /// pages with tags at this place, are listed where the most links are. Before any such page was found in a listing,
    /// all are.
    pub fn is_item(&mut self, url: Fingerprint, tags: Apath) -> bool {
        let own = self.listed.get(&url).map_or(&[][..], Vec::as_slice);
        let mut here = self.most(own);
        if self.by_tag_place.len() < TAG_PLACES_MAX || self.by_tag_place.contains_key(&tags) {
            let known = self.by_tag_place.entry(tags).or_default();
            known.extend(own.iter().take(PLACES_MAX.saturating_sub(known.len())));
            self.tagged.extend(&*known);
            let most_of_known = self.most(&self.by_tag_place[&tags]);
            self.most_of_tagged = self.most_of_tagged.max(most_of_known);
            here = here.max(most_of_known);
        }
        f64::from(here) >= SHARE_MIN * f64::from(self.most_of_tagged)
    }

    /// Whether a page is listed where pages with tags are that are known to be items.
    pub fn is_listed_as_item(&self, url: Fingerprint) -> bool {
        let own = self.listed.get(&url).map_or(0, |places| self.most(places));
        self.most_of_tagged > 0 && f64::from(own) >= SHARE_MIN * f64::from(self.most_of_tagged)
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

    #[test]
    fn links_and_places_of_tags_are_remembered_up_to_their_bounds() {
        let mut listings = TagListings::default();
        let links = LISTED_MAX as u64 + 10;
        // A listing on which each link is at as many places as are remembered, and one more.
        for place in 0..=PLACES_MAX as u64 {
            listings.list(&(0..links).map(|url| PlacedLink::new(Apath(place), item(url))).collect::<Vec<_>>());
        }
        assert_eq!((listings.listed.len(), listings.counts.len()), (LISTED_MAX, PLACES_MAX));
        assert!(listings.counts.values().all(|count| *count as usize == LISTED_MAX));
        (0..TAG_PLACES_MAX as u64 + 10).for_each(|place| {
            listings.is_item(item(place), Apath(1_000 + place));
        });
        assert_eq!((listings.by_tag_place.len(), listings.tagged.len()), (TAG_PLACES_MAX, PLACES_MAX));
        assert!(listings.is_item(item(1), Apath(u64::MAX)) && !listings.is_item(item(links), Apath(u64::MAX)));
    }

    /// What is asked of listings.
    #[derive(Debug, Clone)]
    enum Step {
        List(Vec<(u64, u64)>),
        Item(u64, u64),
    }

    /// The number of links at the place with the most of them where pages with tags are listed, by its definition.
    fn most_of_tagged(listings: &TagListings) -> u32 {
        let places = listings.by_tag_place.values().flatten();
        places.filter_map(|place| listings.counts.get(place)).copied().max().unwrap_or_default()
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

        #[test]
        fn items_are_recognised_as_by_the_definition(
            steps in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec((0..12_u64, 0..20_u64), 0..12).prop_map(Step::List),
                    (0..20_u64, 20..26_u64).prop_map(|(url, tags)| Step::Item(url, tags)),
                ],
                0..40,
            ),
        ) {
            let mut listings = TagListings::default();
            for step in steps {
                match step {
                    Step::List(links) => listings
                        .list(&links.iter().map(|(at, url)| PlacedLink::new(Apath(*at), item(*url))).collect::<Vec<_>>()),
                    Step::Item(url, tags) => {
                        let found = listings.is_item(item(url), Apath(tags));
                        let most = |places: &mut dyn Iterator<Item = &Apath>| {
                            places.filter_map(|place| listings.counts.get(place)).copied().max().unwrap_or_default()
                        };
                        let own = most(&mut listings.listed.get(&item(url)).into_iter().flatten());
                        let here = own.max(most(&mut listings.by_tag_place[&Apath(tags)].iter()));
                        prop_assert_eq!(found, f64::from(here) >= SHARE_MIN * f64::from(most_of_tagged(&listings)));
                    }
                }
                prop_assert_eq!(listings.most_of_tagged, most_of_tagged(&listings));
            }
        }
    }
}
