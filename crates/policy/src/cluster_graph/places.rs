//! Places whose links have led to nothing new for long: navigation, headers, footers, and lists of what is known.
//!
//! A link is in vain if its URL was known, or was refused. A place is closed when its links were in vain for some time and each
//! pattern of URL that it leads to is saturated: links to such URLs were in vain, wherever they stood, twice as long as there are URLs
//! of it that were found. The second tells from many places together what the first alone would need long for; a place whose own
//! links are in vain that long needs no other witness, nor one that showed few URLs over and over again in the sample. A place is
//! watched on the pages of each cluster by itself and on all pages; either may close it.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::FixedState;

use super::passed::Passed;
use harvestman_core::model::{Apath, ClusterId, PatternId, PolicyRefusal};
use harvestman_core::url::Fingerprint;

/// Links in a row that must have been in vain at a place of one cluster's pages, and of all pages.
const VAIN_OF_CLUSTER: u32 = 40;
const VAIN_OF_ALL: u32 = 160;
/// The same where all of them were refused: then a link that is passed over would most likely be refused too.
const REFUSED_OF_CLUSTER: u32 = 12;
const REFUSED_OF_ALL: u32 = 48;
/// Links in a row to URLs of a pattern that must have been in vain, at least, and by the URLs of it that were found.
const VAIN_OF_PATTERN: u32 = 150;
const VAIN_BY_FOUND: u32 = 2;
/// And, for a place that is closed by its own links alone, by the distinct URLs that it showed: one that shows others all the time, be
/// they known from elsewhere, may show a new one next.
const VAIN_BY_SHOWN: f64 = 4.0;
/// What the sample showed over and over again needs no such patience: so many links, and each URL so many times, at least; and then,
/// once as many URLs were met, so many links in vain, and so many for each. It takes that of each URL: what a place has not shown yet
/// is as likely as what it has shown once (Good 1953).
const SAMPLED_LINKS: usize = 16;
const SAMPLED_TIMES: usize = 8;
const VAIN_OF_SAMPLED: u32 = 4;
const VAIN_BY_SAMPLED: u32 = 2;
/// Patterns that a place leads to at most: what leads to more is no navigation.
const PATTERNS_MAX: usize = 16;
/// Places and patterns that are watched.
const WATCHED_MAX: usize = 1 << 14;

/// A link, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Led {
    /// To a URL that was new.
    New,
    /// To one that was known.
    Known,
    /// It was refused by the form of its URL.
    Refused(PolicyRefusal),
}

/// What links at a place have led to.
#[derive(Debug, Clone, Default)]
struct Place {
    found: u32,
    vain: u32,
    /// Patterns of the URLs that were not refused.
    patterns: Vec<PatternId>,
    /// The reason of those that were.
    refused: Option<PolicyRefusal>,
    /// The URLs that were not refused.
    shown: Distinct,
    /// As many of them as the sample showed over and over again, if it did.
    sampled: Option<u32>,
}

impl Place {
    fn see(&mut self, url: Fingerprint, pattern: PatternId, led: Led) {
        if led == Led::New {
            (self.found, self.vain) = (self.found.saturating_add(1), 0);
        } else {
            self.vain = self.vain.saturating_add(1);
        }
        match led {
            Led::Refused(why) => self.refused = self.refused.max(Some(why)),
            Led::New | Led::Known => {
                self.shown.see(url);
                if self.patterns.len() <= PATTERNS_MAX && !self.patterns.contains(&pattern) {
                    self.patterns.push(pattern);
                }
            }
        }
    }

    /// Whether it has shown so many URLs, as far as can be told by counting, and none since.
    fn repeats(&self, urls: u32) -> bool {
        self.shown.count() >= 0.9 * f64::from(urls)
            && self.vain >= VAIN_OF_SAMPLED.max(VAIN_BY_SAMPLED.saturating_mul(urls))
    }

    /// Why links at the place are refused; none where they are not. It takes so many in vain, or so many refused.
    fn closed(&self, [vain, refused]: [u32; 2], is_saturated: impl Fn(&PatternId) -> bool) -> Option<PolicyRefusal> {
        if self.patterns.is_empty() {
            return self.refused.filter(|_| self.vain >= refused);
        }
        if self.sampled.is_some_and(|urls| self.repeats(urls)) {
            return Some(PolicyRefusal::HeaderFooter);
        }
        if self.vain < vain || self.patterns.len() > PATTERNS_MAX {
            return None;
        }
        let repeated = f64::from(self.vain) >= VAIN_BY_SHOWN * self.shown.count();
        let by_itself = repeated && Run { found: self.found, vain: self.vain }.is_saturated();
        let closed = by_itself || self.patterns.iter().all(is_saturated);
        closed.then_some(PolicyRefusal::HeaderFooter)
    }
}

/// Counts distinct URLs, more or less (linear counting: Whang, Vander-Zanden, Taylor 1990), in 256 bytes: well up to some thousands,
/// and what is more is more than enough.
#[derive(Debug, Clone)]
struct Distinct(Box<[u64; 32]>);

impl Default for Distinct {
    fn default() -> Self {
        Self(Box::new([0; 32]))
    }
}

impl Distinct {
    fn see(&mut self, url: Fingerprint) {
        let bit = (url.0 >> 32) as usize % (32 * 64);
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    fn count(&self) -> f64 {
        let all = 32.0 * 64.0;
        let free: u32 = self.0.iter().map(|word| word.count_zeros()).sum();
        if free == 0 { f64::INFINITY } else { all * (all / f64::from(free)).ln() }
    }
}

/// What links to URLs of a pattern have led to.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    found: u32,
    vain: u32,
}

impl Run {
    fn see(&mut self, led: Led) {
        if led == Led::New {
            (self.found, self.vain) = (self.found.saturating_add(1), 0);
        } else {
            self.vain = self.vain.saturating_add(1);
        }
    }

    fn is_saturated(self) -> bool {
        self.vain >= VAIN_OF_PATTERN.max(self.found.saturating_mul(VAIN_BY_FOUND))
    }
}

/// The places of a crawl.
#[derive(Debug, Clone, Default)]
pub struct Places {
    of_cluster: HashMap<(ClusterId, Apath), Place, FixedState>,
    of_all: HashMap<Apath, Place, FixedState>,
    patterns: HashMap<PatternId, Run, FixedState>,
}

/// The places where all links are refused, with the reason: asked for each place of every page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closed {
    of_cluster: HashMap<u64, PolicyRefusal, Passed>,
    of_all: HashMap<u64, PolicyRefusal, Passed>,
}

/// A place of a cluster's pages as one number. Apaths are hashes, so that two places with the same number are not to be feared.
const fn key(cluster: ClusterId, apath: Apath) -> u64 {
    apath.0 ^ (cluster.0 as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Closed {
    /// Closes these places too, where they are not closed already: one look-up then tells of both.
    pub fn with(mut self, places: impl IntoIterator<Item = (ClusterId, Apath, PolicyRefusal)>) -> Self {
        for (cluster, apath, why) in places {
            self.of_cluster.entry(key(cluster, apath)).or_insert(why);
        }
        self
    }

    /// Why links at a place of a cluster's pages are refused; none where they are not. On pages of a kind that was never seen no place
    /// is passed over for what it leads to elsewhere.
    pub fn refusal(&self, cluster: ClusterId, apath: Apath) -> Option<PolicyRefusal> {
        let everywhere = if cluster == ClusterId::UNKNOWN { None } else { self.of_all.get(&apath.0) };
        everywhere.or_else(|| self.of_cluster.get(&key(cluster, apath))).copied()
    }
}

impl Places {
    /// Takes in a link at `apath` on a page of `cluster` to `url`, which has `pattern`.
    pub fn see(&mut self, cluster: ClusterId, apath: Apath, (url, pattern): (Fingerprint, PatternId), led: Led) {
        if !matches!(led, Led::Refused(_)) {
            show(&mut self.patterns, pattern, |run| run.see(led));
        }
        show(&mut self.of_cluster, (cluster, apath), |place| place.see(url, pattern, led));
        show(&mut self.of_all, apath, |place| place.see(url, pattern, led));
    }

    /// What a sample tells before the crawl begins: of places where all links are refused no more needs to be seen, and of those
    /// that showed the same over and over again not much more than that. In: each link's place, its URL, and why it is refused.
    pub fn sampled(links: &[(ClusterId, Apath, Fingerprint, Option<PolicyRefusal>)]) -> Self {
        let mut of_cluster = HashMap::<_, Sampled, FixedState>::default();
        let mut of_all = HashMap::<_, Sampled, FixedState>::default();
        for (cluster, apath, url, refused) in links {
            of_cluster.entry((*cluster, *apath)).or_default().see(*url, *refused);
            of_all.entry(*apath).or_default().see(*url, *refused);
        }
        Self { of_cluster: told(of_cluster), of_all: told(of_all), patterns: HashMap::default() }
    }

    /// The places that are closed now. O(places).
    pub fn closed(&self) -> Closed {
        let is_saturated = |pattern: &PatternId| self.patterns.get(pattern).is_some_and(|run| run.is_saturated());
        let of_cluster = self.of_cluster.iter().filter_map(|((cluster, apath), place)| {
            Some((key(*cluster, *apath), place.closed([VAIN_OF_CLUSTER, REFUSED_OF_CLUSTER], is_saturated)?))
        });
        let of_all = self
            .of_all
            .iter()
            .filter_map(|(apath, place)| Some((apath.0, place.closed([VAIN_OF_ALL, REFUSED_OF_ALL], is_saturated)?)));
        Closed { of_cluster: of_cluster.collect(), of_all: of_all.collect() }
    }
}

/// The links of a sample at one place.
#[derive(Default)]
struct Sampled {
    links: usize,
    /// How often it showed each URL that was not refused.
    urls: HashMap<Fingerprint, usize, FixedState>,
    refused: Option<PolicyRefusal>,
}

impl Sampled {
    fn see(&mut self, url: Fingerprint, refused: Option<PolicyRefusal>) {
        self.links += 1;
        self.refused = self.refused.max(refused);
        if refused.is_none() {
            *self.urls.entry(url).or_default() += 1;
        }
    }

    /// What there is to know of the place; none where it is like any other.
    fn told(&self) -> Option<Place> {
        if self.urls.is_empty() {
            let vain = u32::try_from(self.links).unwrap_or(u32::MAX);
            return Some(Place { vain, refused: self.refused, ..Place::default() });
        }
        let repeats = self.links >= SAMPLED_LINKS && self.urls.values().all(|times| *times >= SAMPLED_TIMES);
        repeats.then(|| Place { sampled: u32::try_from(self.urls.len()).ok(), ..Place::default() })
    }
}

/// The places of which something is known; those with most links first, if they are too many.
fn told<K: Hash + Eq + Ord + Copy>(sampled: HashMap<K, Sampled, FixedState>) -> HashMap<K, Place, FixedState> {
    let mut all: Vec<_> = sampled.into_iter().collect();
    all.sort_unstable_by_key(|(key, place)| (std::cmp::Reverse(place.links), *key));
    all.into_iter().filter_map(|(key, place)| Some((key, place.told()?))).take(WATCHED_MAX / 2).collect()
}

/// Shows a link to what is watched under a key. Where too much is watched already it is not; what is not watched is never closed.
fn show<K: Hash + Eq, V: Default>(watched: &mut HashMap<K, V, FixedState>, key: K, see: impl FnOnce(&mut V)) {
    if watched.len() < WATCHED_MAX || watched.contains_key(&key) {
        see(watched.entry(key).or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPICS: PatternId = PatternId(1 << 63 | 4);
    const USERS: PatternId = PatternId(1 << 63 | 8);
    const PLACE: Apath = Apath(100);
    const OTHER: Apath = Apath(101);
    const ELSEWHERE: Apath = Apath(102);
    const URL: Fingerprint = Fingerprint(7 << 40);
    const ONE: ClusterId = ClusterId(3);
    const TWO: ClusterId = ClusterId(4);

    fn see(places: &mut Places, cluster: ClusterId, apath: Apath, pattern: PatternId, times: u32, led: Led) {
        (0..times).for_each(|_| places.see(cluster, apath, (URL, pattern), led));
    }

    #[test]
    fn a_place_is_closed_when_its_links_and_all_of_their_kind_are_long_in_vain() {
        let mut places = Places::default();
        see(&mut places, ONE, PLACE, USERS, 300, Led::New);
        see(&mut places, TWO, ELSEWHERE, USERS, 560, Led::Known);
        see(&mut places, ONE, OTHER, USERS, 39, Led::Known);
        assert_eq!(places.closed().refusal(ONE, OTHER), None, "300 were found, so that 600 must be in vain");
        places.see(ONE, OTHER, (URL, USERS), Led::Known);
        let closed = places.closed();
        assert_eq!(closed.refusal(ONE, OTHER), Some(PolicyRefusal::HeaderFooter));
        assert_eq!(closed.refusal(TWO, OTHER), None, "there no link was seen");
        assert_eq!(closed.refusal(ONE, PLACE), None, "there the last one was new");
    }

    #[test]
    fn a_new_url_opens_the_places_that_lead_to_its_kind() {
        let mut places = Places::default();
        see(&mut places, ONE, PLACE, USERS, 149, Led::Known);
        see(&mut places, TWO, OTHER, USERS, 1, Led::Known);
        assert!(places.closed().refusal(ONE, PLACE).is_some());
        see(&mut places, TWO, OTHER, USERS, 1, Led::New);
        assert_eq!(places.closed(), Closed::default());
        see(&mut places, TWO, OTHER, USERS, 150, Led::Known);
        assert!(places.closed().refusal(ONE, PLACE).is_some());
    }

    #[test]
    fn where_all_links_are_refused_they_are_refused_together_for_the_same_reason() {
        let mut places = Places::default();
        see(&mut places, ONE, PLACE, TOPICS, 40, Led::Refused(PolicyRefusal::DuplicateContent));
        let closed = places.closed();
        assert_eq!(closed.refusal(ONE, PLACE), Some(PolicyRefusal::DuplicateContent));
        assert_eq!(closed.refusal(TWO, PLACE), None, "on other pages they may be wanted");
    }

    #[test]
    fn a_sample_closes_places_where_all_is_refused_and_no_others() {
        let refused = Some(PolicyRefusal::DuplicateContent);
        let mut links = vec![(ONE, PLACE, URL, refused); 200];
        links.extend(vec![(TWO, OTHER, URL, refused); 200]);
        links.push((ONE, OTHER, URL, None));
        let closed = Places::sampled(&links).closed();
        assert_eq!(closed.refusal(TWO, PLACE), refused);
        assert_eq!((closed.refusal(TWO, OTHER), closed.refusal(ONE, OTHER)), (refused, None));
    }

    #[test]
    fn what_a_sample_showed_over_and_over_again_is_closed_once_it_was_met() {
        let url = |at: u64| Fingerprint(u128::from(at) << 32);
        let menu: Vec<_> = (0..80).map(|at| (ONE, PLACE, url(at % 10), None)).collect();
        let list = (0..80).map(|at| (ONE, OTHER, url(if at == 79 { 10 } else { at % 10 }), None));
        let mut places = Places::sampled(&[menu, list.collect()].concat());
        let mut go_through = |apath, urls, led| {
            (0..urls).for_each(|at| places.see(ONE, apath, (url(at), TOPICS), led));
            places.closed().refusal(ONE, apath)
        };
        assert_eq!(go_through(PLACE, 10, Led::New), None, "all were new");
        assert_eq!(go_through(PLACE, 10, Led::Known), None);
        assert_eq!(go_through(PLACE, 10, Led::Known), Some(PolicyRefusal::HeaderFooter), "twice in vain");
        assert_eq!(go_through(OTHER, 11, Led::New), None);
        assert_eq!(go_through(OTHER, 33, Led::Known), None, "that had shown a URL only once");
    }

    #[test]
    fn a_place_of_many_kinds_is_never_closed() {
        let mut places = Places::default();
        for kind in 0..=PATTERNS_MAX as u64 {
            see(&mut places, ONE, PLACE, PatternId(kind << 2), 1_000, Led::Known);
        }
        assert_eq!(places.closed(), Closed::default());
    }

    #[test]
    fn what_is_watched_is_bounded() {
        let mut places = Places::default();
        for at in 0..2 * WATCHED_MAX as u64 {
            places.see(ONE, Apath(at), (URL, PatternId(at)), Led::Known);
        }
        let watched = [places.of_cluster.len(), places.of_all.len(), places.patterns.len()];
        assert_eq!(watched, [WATCHED_MAX; 3]);
    }
}
