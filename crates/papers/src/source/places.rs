//! The places at which waiting URLs were seen: a URL's score is the best of them.
//!
//! A frontier ranks classes, not URLs, so a URL that was seen at several places waits under the class of all URLs that
//! were seen at exactly these places. It moves there with the next generation of classes.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::sitemap::cluster_id;
use crate::site::LinkPlace;
use harvestman_core::model::{LinkClass, PatternId, UrlPattern};
use harvestman_core::url::Fingerprint;

/// Maximum number of waiting URLs that are remembered; further ones stay in the class of their first place.
const URLS_MAX: usize = 1 << 20;
/// Maximum number of distinct sets of places; a URL that would need another one stays in its class.
const SETS_MAX: usize = 8192;
/// Maximum number of places of a URL.
const PLACES_MAX: usize = 32;

/// Sets of places by number, each sorted.
pub type Sets = Vec<Arc<[LinkPlace]>>;

/// The places of each waiting URL.
#[derive(Debug, Default)]
pub struct WaitingPlaces {
    sets: Sets,
    numbers: HashMap<Arc<[LinkPlace]>, u32, FixedState>,
    of_url: HashMap<Fingerprint, u32, FixedState>,
    moved: bool,
}

impl WaitingPlaces {
    /// Records a URL that has begun to wait.
    pub fn begin(&mut self, url: Fingerprint) {
        if self.of_url.len() < URLS_MAX
            && let Some(none) = self.number(&[])
        {
            self.of_url.entry(url).or_insert(none);
        }
    }

    /// Records that a page shows a URL at this place. Returns true where the URL waits and the place is new.
    pub fn see(&mut self, url: Fingerprint, place: LinkPlace) -> bool {
        let Some(set) = self.of_url.get(&url).map(|number| Arc::clone(&self.sets[*number as usize])) else {
            return false;
        };
        let Err(at) = set.binary_search(&place) else { return false };
        if set.len() >= PLACES_MAX {
            return false;
        }
        let mut grown = set.to_vec();
        grown.insert(at, place);
        let Some(number) = self.number(&grown) else { return false };
        self.of_url.insert(url, number);
        self.moved |= !set.is_empty();
        true
    }

    /// Forgets a URL that no longer waits.
    pub fn end(&mut self, url: Fingerprint) {
        self.of_url.remove(&url);
    }

    /// The number of waiting URLs.
    pub fn len(&self) -> usize {
        self.of_url.len()
    }

    /// Whether a URL has been seen at a further place since classes were last computed.
    pub const fn have_moved(&self) -> bool {
        self.moved
    }

    /// The class of each waiting URL, and the sets that the classes refer to.
    pub fn classes(&mut self) -> (HashMap<Fingerprint, LinkClass, FixedState>, Sets) {
        self.moved = false;
        let class = |number: u32| class_of(&self.sets[number as usize], number);
        let classes = self.of_url.iter().filter_map(|(url, number)| Some((*url, class(*number)?)));
        (classes.collect(), self.sets.clone())
    }

    fn number(&mut self, set: &[LinkPlace]) -> Option<u32> {
        if let Some(number) = self.numbers.get(set) {
            return Some(*number);
        }
        if self.sets.len() >= SETS_MAX {
            return None;
        }
        let number = self.sets.len() as u32;
        let set: Arc<[LinkPlace]> = set.into();
        self.sets.push(Arc::clone(&set));
        self.numbers.insert(set, number);
        Some(number)
    }
}

/// The class of URLs seen at these places: the place itself if there is one, otherwise the first place with the set's
/// number as pattern.
fn class_of(set: &[LinkPlace], number: u32) -> Option<LinkClass> {
    let first = set.first()?;
    let class = LinkClass::at(cluster_id(first.source), first.apath);
    Some(if set.len() == 1 { class } else { class.with_pattern(set_pattern(number)) })
}

fn set_pattern(number: u32) -> UrlPattern {
    // 0 is the pattern of URLs that were not looked at.
    let id = PatternId(u64::from(number) + 1);
    UrlPattern { coarse: id, fine: id }
}

/// The set that a class refers to; `None` where the class is a single place.
pub fn set_of(class: LinkClass, sets: &Sets) -> Option<&Arc<[LinkPlace]>> {
    let number = class.pattern.fine.0.checked_sub(1)?;
    sets.get(usize::try_from(number).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::Apath;

    fn place(apath: u64) -> LinkPlace {
        LinkPlace { source: Some(0), apath: Apath(apath) }
    }

    fn url(name: &str) -> Fingerprint {
        Fingerprint::of(name)
    }

    #[test]
    fn urls_seen_at_the_same_places_are_of_one_class_however_often_and_in_whatever_order() {
        let mut places = WaitingPlaces::default();
        for name in ["a", "b", "c"] {
            places.begin(url(name));
        }
        for (name, apath) in [("a", 7), ("a", 8), ("b", 8), ("b", 7), ("b", 7), ("c", 7)] {
            places.see(url(name), place(apath));
        }
        let (classes, sets) = places.classes();
        assert_eq!(classes[&url("a")], classes[&url("b")]);
        assert_eq!(&**set_of(classes[&url("a")], &sets).unwrap(), [place(7), place(8)]);
        assert_eq!(classes[&url("c")], LinkClass::at(cluster_id(Some(0)), Apath(7)));
    }

    #[test]
    fn only_a_further_place_of_a_url_that_waits_moves_it() {
        let mut places = WaitingPlaces::default();
        places.begin(url("a"));
        assert!(places.see(url("a"), place(7)) && !places.have_moved(), "its first place is where it waits");
        assert!(!places.see(url("a"), place(7)) && !places.see(url("fetched"), place(8)));
        assert!(places.see(url("a"), place(8)) && places.have_moved());
        places.end(url("a"));
        assert!(!places.see(url("a"), place(9)));
        assert!(places.classes().0.is_empty() && !places.have_moved());
    }

    #[test]
    fn the_places_that_count_are_bounded() {
        let mut places = WaitingPlaces::default();
        places.begin(url("a"));
        let news = (0..100).filter(|apath| places.see(url("a"), place(*apath))).count();
        assert_eq!(news, PLACES_MAX);
    }
}
