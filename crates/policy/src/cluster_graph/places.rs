//! Places whose links have long led to nothing new: navigation, headers, footers, and lists of known pages.
//!
//! A link is in vain if its URL was known or was rejected. A place is closed when its links were in vain for some time
//! and each URL pattern that it leads to is saturated: links to such URLs, at any place, were in vain twice as often as
//! there are known URLs of the pattern. The second condition combines the evidence of many places, which a single place
//! would need long to gather. A place whose own links are in vain that long needs no other evidence, nor does one that
//! showed few URLs repeatedly in the sample. A place is watched on the pages of each cluster and on all pages; either
//! may close it.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::FixedState;

use super::identity_hash::IdentityHash;
use harvestman_core::model::{Apath, ClusterId, PatternId, PolicyRefusal};
use harvestman_core::url::Fingerprint;

/// Number of links in a row that must have been in vain at a place of one cluster's pages, and of all pages.
const VAIN_OF_CLUSTER: u32 = 40;
const VAIN_OF_ALL: u32 = 160;
/// The same where all of them were rejected: the next link would most likely be rejected too.
const REFUSED_OF_CLUSTER: u32 = 12;
const REFUSED_OF_ALL: u32 = 48;
/// Number of links in a row to URLs of a pattern that must have been in vain: the minimum, and the number per known URL
/// of the pattern.
const VAIN_OF_PATTERN: u32 = 150;
const VAIN_BY_FOUND: u32 = 2;
/// The number per distinct URL that the place showed, for a place that is closed by its own links alone: a place that
/// keeps showing other URLs, even if they are known from elsewhere, may show a new one next.
const VAIN_BY_SHOWN: f64 = 4.0;
/// Thresholds for what the sample showed repeatedly: the minimum number of links, and of occurrences of each URL; and
/// then, once as many URLs were met, the number of links in vain, and the number per URL. Each URL must be repeated:
/// unseen links are as likely as those seen once (Good 1953).
const SAMPLED_LINKS: usize = 16;
const SAMPLED_TIMES: usize = 8;
const VAIN_OF_SAMPLED: u32 = 4;
const VAIN_BY_SAMPLED: u32 = 2;
/// Maximum number of patterns that a place leads to: a place with more is no navigation.
const PATTERNS_MAX: usize = 16;
/// Maximum number of places and of patterns that are watched.
const WATCHED_MAX: usize = 1 << 14;

/// The outcome of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkOutcome {
    /// Its URL was new.
    New,
    /// Its URL was known.
    Known,
    /// It was rejected by its URL's pattern.
    Refused(PolicyRefusal),
}

/// The outcomes of links at a place.
#[derive(Debug, Clone, Default)]
struct Place {
    found: u32,
    vain: u32,
    /// Patterns of the URLs that were not rejected.
    patterns: Vec<PatternId>,
    /// The reason of those that were rejected.
    refused: Option<PolicyRefusal>,
    /// The URLs that were not rejected.
    shown: Distinct,
    /// Their number in the sample, if the sample showed them repeatedly.
    sampled: Option<u32>,
}

impl Place {
    fn see(&mut self, url: Fingerprint, pattern: PatternId, led: LinkOutcome) {
        if led == LinkOutcome::New {
            (self.found, self.vain) = (self.found.saturating_add(1), 0);
        } else {
            self.vain = self.vain.saturating_add(1);
        }
        match led {
            LinkOutcome::Refused(why) => self.refused = self.refused.max(Some(why)),
            LinkOutcome::New | LinkOutcome::Known => {
                self.shown.see(url);
                if self.patterns.len() <= PATTERNS_MAX && !self.patterns.contains(&pattern) {
                    self.patterns.push(pattern);
                }
            }
        }
    }

    /// Whether it has shown this many URLs, by the approximate count, and none since.
    fn repeats(&self, urls: u32) -> bool {
        self.shown.count() >= 0.9 * f64::from(urls)
            && self.vain >= VAIN_OF_SAMPLED.max(VAIN_BY_SAMPLED.saturating_mul(urls))
    }

    /// Why links at the place are rejected; `None` where they are not. Takes the numbers of links in vain and of
    /// rejected links that are required.
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

/// Counts distinct URLs approximately (linear counting: Whang, Vander-Zanden, Taylor 1990), in 256 bytes: accurate up
/// to some thousands, which is enough.
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

/// The outcomes of links to URLs of a pattern.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    found: u32,
    vain: u32,
}

impl Run {
    fn see(&mut self, led: LinkOutcome) {
        if led == LinkOutcome::New {
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
pub struct PlaceOutcomes {
    of_cluster: HashMap<(ClusterId, Apath), Place, FixedState>,
    of_all: HashMap<Apath, Place, FixedState>,
    patterns: HashMap<PatternId, Run, FixedState>,
}

/// The places where all links are rejected, with the reason. Looked up for each place of every page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClosedPlaces {
    /// Places of clusters, those included that are closed everywhere: most look-ups end here.
    of_cluster: HashMap<u64, PolicyRefusal, IdentityHash>,
    /// Places that are closed everywhere, for clusters where they were not seen.
    of_all: HashMap<u64, PolicyRefusal, IdentityHash>,
}

/// A place of a cluster's pages as one number. Apaths are hashes, so that collisions are negligible.
const fn key(cluster: ClusterId, apath: Apath) -> u64 {
    apath.0 ^ (cluster.0 as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl ClosedPlaces {
    /// Closes these places as well, unless they are closed already.
    pub fn with(mut self, places: impl IntoIterator<Item = (ClusterId, Apath, PolicyRefusal)>) -> Self {
        for (cluster, apath, why) in places {
            let everywhere = self.everywhere(cluster, apath);
            self.of_cluster.entry(key(cluster, apath)).or_insert(everywhere.unwrap_or(why));
        }
        self
    }

    /// Why links at this place are rejected on all pages. On pages of an unknown cluster no place is rejected for its
    /// links on other pages.
    #[inline]
    fn everywhere(&self, cluster: ClusterId, apath: Apath) -> Option<PolicyRefusal> {
        if cluster == ClusterId::UNKNOWN { None } else { self.of_all.get(&apath.0).copied() }
    }

    /// Why links at a place of a cluster's pages are rejected; `None` where they are not.
    #[inline]
    pub fn refusal(&self, cluster: ClusterId, apath: Apath) -> Option<PolicyRefusal> {
        let here = self.of_cluster.get(&key(cluster, apath)).copied();
        here.or_else(|| self.everywhere(cluster, apath))
    }
}

impl PlaceOutcomes {
    /// Adds a link at `apath` on a page of `cluster` to `url`, which has `pattern`.
    pub fn see(&mut self, cluster: ClusterId, apath: Apath, url: Fingerprint, pattern: PatternId, led: LinkOutcome) {
        if !matches!(led, LinkOutcome::Refused(_)) {
            show(&mut self.patterns, pattern, |run| run.see(led));
        }
        show(&mut self.of_cluster, (cluster, apath), |place| place.see(url, pattern, led));
        show(&mut self.of_all, apath, |place| place.see(url, pattern, led));
    }

    /// The statistics of a sample before the crawl begins: no more evidence is needed on places where all links are
    /// rejected, and little more on those that showed the same URLs repeatedly. Takes each link's place, its URL, and
    /// why it is rejected.
    pub fn sampled(links: &[(ClusterId, Apath, Fingerprint, Option<PolicyRefusal>)]) -> Self {
        let mut of_cluster = HashMap::<_, Sampled, FixedState>::default();
        let mut of_all = HashMap::<_, Sampled, FixedState>::default();
        for (cluster, apath, url, refused) in links {
            of_cluster.entry((*cluster, *apath)).or_default().see(*url, *refused);
            of_all.entry(*apath).or_default().see(*url, *refused);
        }
        Self { of_cluster: estimate(of_cluster), of_all: estimate(of_all), patterns: HashMap::default() }
    }

    /// The places that are closed now. O(places).
    pub fn closed(&self) -> ClosedPlaces {
        let is_saturated = |pattern: &PatternId| self.patterns.get(pattern).is_some_and(|run| run.is_saturated());
        let of_all = self
            .of_all
            .iter()
            .filter_map(|(apath, place)| Some((apath.0, place.closed([VAIN_OF_ALL, REFUSED_OF_ALL], is_saturated)?)));
        let mut closed = ClosedPlaces { of_cluster: HashMap::default(), of_all: of_all.collect() };
        for ((cluster, apath), place) in &self.of_cluster {
            let here = || place.closed([VAIN_OF_CLUSTER, REFUSED_OF_CLUSTER], is_saturated);
            if let Some(why) = closed.everywhere(*cluster, *apath).or_else(here) {
                closed.of_cluster.insert(key(*cluster, *apath), why);
            }
        }
        closed
    }
}

/// The links of a sample at one place.
#[derive(Default)]
struct Sampled {
    links: usize,
    /// The number of occurrences of each URL that was not rejected.
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

    /// The statistics of the place; `None` where it is like any other.
    fn estimate(&self) -> Option<Place> {
        if self.urls.is_empty() {
            let vain = u32::try_from(self.links).unwrap_or(u32::MAX);
            return Some(Place { vain, refused: self.refused, ..Place::default() });
        }
        let repeats = self.links >= SAMPLED_LINKS && self.urls.values().all(|times| *times >= SAMPLED_TIMES);
        repeats.then(|| Place { sampled: u32::try_from(self.urls.len()).ok(), ..Place::default() })
    }
}

/// The places with statistics; where there are too many, those with most links.
fn estimate<K: Hash + Eq + Ord + Copy>(sampled: HashMap<K, Sampled, FixedState>) -> HashMap<K, Place, FixedState> {
    let mut all: Vec<_> = sampled.into_iter().collect();
    all.sort_unstable_by_key(|(key, place)| (std::cmp::Reverse(place.links), *key));
    all.into_iter().filter_map(|(key, place)| Some((key, place.estimate()?))).take(WATCHED_MAX / 2).collect()
}

/// Adds a link to the statistics under a key. Where too many keys are watched already, it is dropped; what is not
/// watched is never closed.
fn show<K: Hash + Eq, V: Default>(watched: &mut HashMap<K, V, FixedState>, key: K, see: impl FnOnce(&mut V)) {
    if watched.len() < WATCHED_MAX || watched.contains_key(&key) {
        see(watched.entry(key).or_default());
    }
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;
