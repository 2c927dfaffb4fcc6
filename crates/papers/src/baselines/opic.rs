//! OPIC: the waiting URL with most cash is next (Abiteboul, Preda, Cobena: *Adaptive On-Line Page Importance
//! Computation*, WWW 2003; the *greedy* crawling strategy).
//!
//! A seed has cash 1. A fetched page gives its cash to its links in equal parts, whether they are new or known; a page
//! without links, and a failed fetch, gives it to all (the original's virtual page).
//!
//! Simplified: a page is fetched once, so there is no history and no second visit, and cash that flows back to a
//! fetched page goes to the virtual page. The virtual page distributes its cash at once. URLs wait in [`BUCKETS`]
//! classes, two per doubling of cash, and in a class by discovery. As a URL's cash grows while it waits, all are
//! assigned to their classes again whenever one in [`OpicOptions::sorted_per_fetch`] of the waiting URLs has been
//! fetched, which costs a constant number of moves per fetch. Until then a new URL waits in the class of its Apath,
//! which scores the mean initial cash of recent URLs at that place.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::cash::Cash;
use super::versions::Versions;
use harvestman_core::model::{Apath, ClassOrder, LinkClass, PatternId, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_policy::{Needs, Observation, Policy, PolicySnapshot};

/// The number of cash classes.
pub(crate) const BUCKETS: u8 = 64;
/// Minimum number of fetches between two assignments.
const FETCHES_MIN: usize = 16;
/// Maximum number of places whose initial cash is remembered.
const PLACES_MAX: usize = 4096;
/// Number of latest new URLs of a place over which the mean is taken.
const WINDOW: f64 = 32.0;

type Buckets = HashMap<Fingerprint, u8, FixedState>;

/// The bounds of [`Opic`].
#[derive(Debug, Clone, Copy)]
pub struct OpicOptions {
    /// Maximum number of waiting URLs whose cash is known, about 100 bytes each. Further ones wait in the classes of
    /// their Apaths.
    pub urls_max: usize,
    /// Number of waiting URLs that are assigned to their classes again per fetch, on average. Raising it costs time.
    pub sorted_per_fetch: usize,
}

impl Default for OpicOptions {
    fn default() -> Self {
        Self { urls_max: 1 << 20, sorted_per_fetch: 16 }
    }
}

/// The policy that follows the cash.
#[derive(Debug)]
pub struct Opic {
    options: OpicOptions,
    cash: Cash,
    /// The initial cash of new URLs of a place: a moving mean.
    beginnings: BTreeMap<Apath, Mean>,
    overall: Mean,
    since_sorted: usize,
    generation: u64,
    buckets: Arc<Buckets>,
    versions: Versions,
}

impl Opic {
    /// The policy within these bounds.
    pub fn new(options: OpicOptions) -> Self {
        Self {
            options,
            cash: Cash::new(options.urls_max),
            beginnings: BTreeMap::new(),
            overall: Mean::default(),
            since_sorted: 0,
            generation: 0,
            buckets: Arc::default(),
            versions: Versions::default(),
        }
    }

    fn note_beginnings(&mut self, seen: &Observation) {
        for link in &seen.new {
            let Some(cash) = self.cash.of(link.url.fingerprint()) else { continue };
            self.overall.add(cash);
            if self.beginnings.len() < PLACES_MAX || self.beginnings.contains_key(&link.class.apath) {
                self.beginnings.entry(link.class.apath).or_default().add(cash);
            }
        }
    }

    fn sort_now_and_then(&mut self) {
        self.since_sorted += 1;
        if self.since_sorted < FETCHES_MIN.max(self.cash.len() / self.options.sorted_per_fetch.max(1)) {
            return;
        }
        self.since_sorted = 0;
        self.generation += 1;
        self.buckets = Arc::new(self.cash.iter().map(|(url, cash)| (url, bucket(cash))).collect());
    }
}

impl Policy for Opic {
    fn observe(&mut self, seen: Observation) {
        self.versions.outdate();
        self.cash.flow(&seen);
        self.note_beginnings(&seen);
        self.sort_now_and_then();
    }

    fn snapshot(&mut self) -> Arc<dyn PolicySnapshot> {
        Arc::new(CashSnapshot {
            version: self.versions.next(),
            generation: self.generation,
            buckets: Arc::clone(&self.buckets),
            beginnings: self.beginnings.iter().map(|(place, mean)| (*place, level(mean.mean))).collect(),
            overall: level(self.overall.mean),
        })
    }

    fn needs(&self) -> Needs {
        Needs { links: true, ..Needs::default() }
    }
}

/// A moving mean of the latest values.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mean {
    pub mean: f64,
    count: f64,
}

impl Mean {
    /// Takes in a value.
    pub fn add(&mut self, value: f64) {
        self.count = (self.count + 1.0).min(WINDOW);
        self.mean += (value - self.mean) / self.count;
    }
}

/// The position of an amount between almost nothing (0) and 1 or more (just below [`BUCKETS`]): two steps per doubling.
pub(crate) fn level(cash: f64) -> f64 {
    let top = f64::from(BUCKETS);
    // The logarithm of 0 is minus infinity, which is clamped.
    (top + 2.0 * cash.log2()).clamp(0.0, top - 0.5)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a level is between 0 and BUCKETS")]
fn bucket(cash: f64) -> u8 {
    level(cash) as u8
}

/// The cash of URLs when they were last assigned to classes.
#[derive(Debug)]
struct CashSnapshot {
    version: u64,
    generation: u64,
    buckets: Arc<Buckets>,
    beginnings: HashMap<Apath, f64, FixedState>,
    overall: f64,
}

impl ClassOrder for CashSnapshot {
    fn score(&self, class: LinkClass) -> f64 {
        match class.pattern.fine {
            _ if class.apath == Apath::SEED => f64::from(BUCKETS),
            PatternId::NONE => self.beginnings.get(&class.apath).copied().unwrap_or(self.overall),
            #[expect(clippy::cast_precision_loss, reason = "at most BUCKETS")]
            PatternId(bucket) => bucket as f64 - 0.5,
        }
    }
}

impl PolicySnapshot for CashSnapshot {
    fn version(&self) -> u64 {
        self.version
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn class_of(&self, class: LinkClass, url: &str, _: Option<&str>) -> LinkClass {
        let Some(bucket) = self.buckets.get(&Fingerprint::of(url)) else { return class };
        // 0 is the pattern of URLs that were not looked at.
        let pattern = PatternId(1 + u64::from(*bucket));
        class.with_pattern(UrlPattern { coarse: pattern, fine: pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::{failed, page};
    use crate::property_tests::holds_for_any_policy;

    const SEED: LinkClass = LinkClass::unclassified(Apath::SEED);
    const LISTED: LinkClass = LinkClass::unclassified(Apath(10));
    const MENU: LinkClass = LinkClass::unclassified(Apath(11));

    fn url(name: &str) -> Fingerprint {
        Fingerprint::of(&format!("http://h.test/{name}"))
    }

    #[test]
    fn a_page_gives_equal_cash_to_each_link_and_known_urls_accumulate_it() {
        let mut opic = Opic::new(OpicOptions::default());
        opic.observe(page("", SEED, &[(LISTED, "a"), (LISTED, "b"), (MENU, "c"), (MENU, "d")], &[]));
        opic.observe(page("a", LISTED, &[(LISTED, "e")], &["c"]));
        let cash = |name: &str| opic.cash.of(url(name));
        assert_eq!([cash("a"), cash("b"), cash("c"), cash("e")], [None, Some(0.25), Some(0.375), Some(0.125)]);
        assert!((opic.cash.total() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn cash_of_dead_ends_and_fetched_pages_is_distributed_to_all_waiting_urls() {
        let mut opic = Opic::new(OpicOptions::default());
        opic.observe(page("", SEED, &[(LISTED, "a"), (LISTED, "b"), (LISTED, "c"), (LISTED, "d")], &[]));
        opic.observe(failed("http://h.test/a", LISTED));
        assert!((opic.cash.of(url("b")).unwrap() - 1.0 / 3.0).abs() < 1e-12);
        opic.observe(page("b", LISTED, &[], &["", "a"]));
        assert!((opic.cash.of(url("c")).unwrap() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn waiting_urls_are_ranked_by_their_cash_after_some_fetches() {
        let mut opic = Opic::new(OpicOptions::default());
        let new: Vec<String> = (0..40).map(|n| format!("p{n}")).collect();
        let new: Vec<(LinkClass, &str)> = new.iter().map(|name| (LISTED, name.as_str())).collect();
        opic.observe(page("", SEED, &new, &[]));
        assert_eq!(opic.snapshot().generation(), 0);
        for n in 0..FETCHES_MIN - 1 {
            opic.observe(page(&format!("p{n}"), LISTED, &[], &["p39"]));
        }
        let snapshot = opic.snapshot();
        assert_eq!(snapshot.generation(), 1);
        let score = |name: &str| snapshot.score(snapshot.class_of(LISTED, &format!("http://h.test/{name}"), None));
        assert!(score("p39") > score("p38"), "sixteen pages gave all they had");
        assert_eq!(score("p38"), score("p37"));
        assert!(snapshot.score(SEED) > score("p39"));
        assert_eq!(snapshot.class_of(LISTED, "http://h.test/unknown", None), LISTED);
    }

    #[test]
    fn new_urls_score_the_initial_cash_of_urls_of_their_place() {
        let mut opic = Opic::new(OpicOptions::default());
        opic.observe(page("", SEED, &[(LISTED, "a"), (LISTED, "b")], &[]));
        opic.observe(page("a", LISTED, &[(MENU, "c"), (MENU, "d"), (MENU, "e"), (MENU, "f")], &[]));
        let snapshot = opic.snapshot();
        assert!(snapshot.score(LISTED) > snapshot.score(MENU));
    }

    #[test]
    fn levels_are_two_for_each_doubling_and_stay_in_bounds() {
        assert_eq!([bucket(1.0), bucket(0.5), bucket(0.24), bucket(0.0), bucket(1e9)], [63, 62, 59, 0, 63]);
        assert!(level(0.0) == 0.0 && level(f64::MIN_POSITIVE) == 0.0);
    }

    #[test]
    fn it_is_a_policy() {
        holds_for_any_policy(|_| Box::new(Opic::new(OpicOptions::default())));
        holds_for_any_policy(|_| Box::new(Opic::new(OpicOptions { urls_max: 3, sorted_per_fetch: 1 })));
    }
}
