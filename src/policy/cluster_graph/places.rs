//! Places that have led to nothing new for long: navigation, headers, footers.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::page::{Apath, ClusterId};
use crate::url::Fingerprint;

/// Links in a row that brought nothing new, from which on a place is exhausted.
const VAIN_LINKS: u32 = 200;
/// And the share of its links that led to a URL which it showed but once: by Good and Turing the chance that the next one leads
/// to one that it has not shown yet.
const ONCE_SHARE: f64 = 0.005;
/// Distinct URLs that a place shows at most: navigation has few.
const URLS_MAX: usize = 256;
/// Places that are watched, and URLs of all of them together.
const PLACES_MAX: usize = 1 << 13;
const ALL_URLS_MAX: usize = 1 << 18;

/// What a place has shown in this crawl.
#[derive(Debug, Default)]
struct Place {
    links: u64,
    since_new: u32,
    /// The URLs, and whether each was there more than once; none where there are too many.
    urls: Option<HashMap<Fingerprint, bool, FixedState>>,
    once: u32,
}

impl Place {
    fn is_exhausted(&self) -> bool {
        let rare = f64::from(self.once) <= ONCE_SHARE * self.links as f64;
        self.urls.is_some() && self.since_new >= VAIN_LINKS && rare
    }

    /// Counts a link. Gives by how many the URLs grew.
    fn see(&mut self, url: Fingerprint, new: bool) -> isize {
        self.links += 1;
        self.since_new = if new { 0 } else { self.since_new.saturating_add(1) };
        let Some(urls) = &mut self.urls else { return 0 };
        let before = urls.len();
        let again = urls.insert(url, urls.contains_key(&url));
        match again {
            None => self.once += 1,
            Some(false) => self.once -= 1,
            Some(true) => {}
        }
        let after = urls.len();
        if after > URLS_MAX {
            self.urls = None;
            return -(before as isize);
        }
        after as isize - before as isize
    }
}

/// The places of a crawl.
#[derive(Debug, Default)]
pub struct Places {
    places: HashMap<(ClusterId, Apath), Place, FixedState>,
    urls: usize,
}

impl Places {
    /// Counts a link at `apath` on a page of `cluster`: where it leads, and whether that was new to the crawl. True where the
    /// place became exhausted by it, or is no longer.
    pub fn see(&mut self, cluster: ClusterId, apath: Apath, url: Fingerprint, new: bool) -> bool {
        let room = self.places.len() < PLACES_MAX && self.urls < ALL_URLS_MAX;
        let key = (cluster, apath);
        if !room && !self.places.contains_key(&key) {
            return false;
        }
        let place =
            self.places.entry(key).or_insert_with(|| Place { urls: Some(HashMap::default()), ..Place::default() });
        let before = place.is_exhausted();
        let grown = place.see(url, new);
        self.urls = self.urls.saturating_add_signed(grown);
        before != place.is_exhausted()
    }

    /// Whether a place is exhausted.
    #[cfg(test)]
    pub fn is_exhausted(&self, cluster: ClusterId, apath: Apath) -> bool {
        self.places.get(&(cluster, apath)).is_some_and(Place::is_exhausted)
    }

    /// All places that are exhausted, in no order.
    pub fn exhausted(&self) -> impl Iterator<Item = (ClusterId, Apath)> {
        self.places.iter().filter(|(_, place)| place.is_exhausted()).map(|(key, _)| *key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: (ClusterId, Apath) = (ClusterId(2), Apath(100));

    fn url(number: u32) -> Fingerprint {
        Fingerprint::of(&format!("http://h.test/{number}"))
    }

    /// Shows the header's place these URLs, one after the other; each is new the first time.
    fn shown(places: &mut Places, urls: impl IntoIterator<Item = u32>) {
        let mut known = std::collections::BTreeSet::new();
        for number in urls {
            places.see(HEADER.0, HEADER.1, url(number), known.insert(number));
        }
    }

    #[test]
    fn a_place_that_shows_the_same_few_links_again_and_again_is_exhausted() {
        let mut places = Places::default();
        shown(&mut places, (0..209).map(|i| i % 10));
        assert!(!places.is_exhausted(HEADER.0, HEADER.1));
        let changed = places.see(HEADER.0, HEADER.1, url(9), false);
        assert!(changed && places.exhausted().eq([HEADER]), "the 200th link since the last that was new");
        assert!(places.see(HEADER.0, HEADER.1, url(77), true), "it has shown something new");
        assert!(!places.is_exhausted(HEADER.0, HEADER.1));
    }

    #[test]
    fn a_place_that_shows_many_urls_once_is_not_exhausted_however_well_they_were_known() {
        let mut places = Places::default();
        for i in 0..250 {
            places.see(HEADER.0, HEADER.1, url(i), false);
        }
        assert!(!places.is_exhausted(HEADER.0, HEADER.1), "each was there but once");
        for i in 0..600 {
            places.see(HEADER.0, HEADER.1, url(i % 300), false);
        }
        assert!(!places.is_exhausted(HEADER.0, HEADER.1), "navigation has fewer");
        assert_eq!(places.urls, 0, "and they are forgotten");
    }

    #[test]
    fn no_more_places_and_urls_are_watched_than_there_is_room_for() {
        let mut places = Places::default();
        for place in 0..20_000 {
            places.see(ClusterId(1), Apath(place), url(0), false);
        }
        assert_eq!(places.places.len(), PLACES_MAX);
    }
}
