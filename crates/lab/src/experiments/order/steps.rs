//! Processes the links of a page with filter, canonicalisation and dedup in one of the orders, and times each step.
//!
//! The steps are those of a crawl (`pipeline`), but each is done for all links of the page before the next step, so
//! that the clock is read only a few times per fifty links; the cost of reading it is subtracted. The work of the
//! parser and of the frontier is the same in all orders and not timed.

use std::ops::AddAssign;
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::stores::Store;
use harvestman_core::clock::Stopwatch;
use harvestman_core::config::FilterOrder;
use harvestman_core::model::{LinkClass, ParsedPage};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Fingerprint};
use harvestman_policy::{Link, PolicySnapshot};
use harvestman_stages::filter::PatternMemo;
use harvestman_storage::dedup::DiskError;

/// Times and counts of the processed links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Links on the pages.
    pub links: u64,
    /// Links refused by position.
    pub refused_by_place: u64,
    /// Links canonicalised successfully.
    pub canonicalised: u64,
    /// Links refused by the pattern of their URL.
    pub refused_by_url: u64,
    /// Links looked up by the dedup.
    pub dedup_in: u64,
    /// Links found to be known.
    pub duplicates: u64,
    /// Links that passed everything.
    pub admitted: u64,
    /// Time of the filter: cluster of the page, refusals by position, URL patterns, refusals by pattern.
    pub filter: Duration,
    /// Time of canonicalisation, including fingerprints.
    pub canonicalise: Duration,
    /// Time of the dedup.
    pub dedup: Duration,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.links += other.links;
        self.refused_by_place += other.refused_by_place;
        self.canonicalised += other.canonicalised;
        self.refused_by_url += other.refused_by_url;
        self.dedup_in += other.dedup_in;
        self.duplicates += other.duplicates;
        self.admitted += other.admitted;
        self.filter += other.filter;
        self.canonicalise += other.canonicalise;
        self.dedup += other.dedup;
    }
}

impl Tally {
    /// Returns the time of all steps.
    pub fn total(&self) -> Duration {
        self.filter + self.canonicalise + self.dedup
    }
}

/// A page to process.
pub struct Page<'a> {
    /// Its URL.
    pub url: &'a CanonicalUrl,
    /// The class that it was queued under.
    pub waited: LinkClass,
    /// The parser output, with the class names that `policy` needs.
    pub parsed: &'a ParsedPage,
    /// The snapshot of the policy when the page was fetched.
    pub policy: &'a dyn PolicySnapshot,
}

/// The criteria of the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filtering {
    /// By position first, by URL pattern afterwards.
    ByPlaceAndUrl,
    /// By URL pattern only, as in the paper.
    ByUrl,
}

/// Processes pages in one order.
pub struct Steps {
    order: FilterOrder,
    filtering: Filtering,
    canonicaliser: Canonicaliser,
    /// Distinguishes the URLs of several users of a store.
    salt: u128,
    /// The time of reading the clock.
    reading: Duration,
    work: Work,
}

/// Buffers, so that pages need no allocations.
#[derive(Default)]
struct Work {
    /// Positions in `texts` and classes of the current links.
    links: Vec<(usize, usize, LinkClass)>,
    texts: String,
    fingerprints: Vec<Fingerprint>,
    answers: Vec<bool>,
    patterns: PatternMemo,
}

impl Steps {
    /// Creates the steps of this order. `name` distinguishes its URLs from those of others in the same store.
    pub fn new(order: FilterOrder, filtering: Filtering, canonicaliser: Canonicaliser, name: &str) -> Self {
        let salt = xxh3_128_with_seed(name.as_bytes(), 3);
        Self { order, filtering, canonicaliser, salt, reading: Stopwatch::reading(), work: Work::default() }
    }

    /// Processes the links of a page.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn page(&mut self, page: &Page<'_>, store: &mut Store) -> Result<Tally, DiskError> {
        let links = page.parsed.groups.iter().map(|group| group.links.len() as u64).sum();
        let mut tally = Tally { links, ..Tally::default() };
        let mut watch = Stopwatch::start_without(self.reading);
        match self.order {
            FilterOrder::GraphDup => {
                let classes = self.places(page, &mut tally);
                tally.filter = watch.lap();
                if classes.iter().all(Option::is_none) {
                    return Ok(tally);
                }
                self.canonicalise(page, &classes, &mut tally);
                tally.canonicalise = watch.lap();
                self.refuse_by_url(page, &mut tally);
                tally.filter += watch.lap();
                self.insert(store, &mut tally)?;
                tally.dedup = watch.lap();
            }
            FilterOrder::DupGraph => {
                self.canonicalise(page, &all_places(page), &mut tally);
                tally.canonicalise = watch.lap();
                self.leave_known_out(store, &mut tally)?;
                tally.dedup = watch.lap();
                self.classify(page);
                self.refuse_by_url(page, &mut tally);
                tally.filter = watch.lap();
                self.insert_new(store, &mut tally)?;
                tally.dedup += watch.lap();
            }
            FilterOrder::DupOnly => {
                self.canonicalise(page, &all_places(page), &mut tally);
                tally.canonicalise = watch.lap();
                self.insert(store, &mut tally)?;
                tally.dedup = watch.lap();
            }
        }
        Ok(tally)
    }

    /// Returns the classes of the groups that pass the filter by position.
    fn places(&self, page: &Page<'_>, tally: &mut Tally) -> Vec<Option<LinkClass>> {
        let cluster = page.policy.page_cluster(page.waited, page.url.as_str(), &page.parsed.leaf_paths);
        let judge = |group: &harvestman_core::model::LinkGroup| {
            let class = cluster.links_at(group.apath);
            let asks = self.filtering == Filtering::ByPlaceAndUrl;
            let refused = asks && page.policy.admit(&Link::at_place_of(class)).refusal().is_some();
            tally.refused_by_place += if refused { group.links.len() as u64 } else { 0 };
            (!refused).then_some(class)
        };
        page.parsed.groups.iter().map(judge).collect()
    }

    fn canonicalise(&mut self, page: &Page<'_>, classes: &[Option<LinkClass>], tally: &mut Tally) {
        let Work { links, texts, fingerprints, .. } = &mut self.work;
        links.clear();
        texts.clear();
        fingerprints.clear();
        // A filter by URL needs the text; the dedup needs only the fingerprint.
        let keep = self.order != FilterOrder::DupOnly;
        let ParsedPage { base, charset, .. } = page.parsed;
        let mut resolver = self.canonicaliser.document_resolver(page.url, base.as_deref(), charset);
        for (group, class) in page.parsed.groups.iter().zip(classes) {
            let Some(class) = class else { continue };
            for link in &group.links {
                let Ok(url) = resolver.resolve(page.parsed.href(link)) else { continue };
                fingerprints.push(Fingerprint(url.fingerprint().0 ^ self.salt));
                if keep {
                    let from = texts.len();
                    texts.push_str(url.as_str());
                    links.push((from, texts.len(), *class));
                }
            }
        }
        tally.canonicalised = fingerprints.len() as u64;
    }

    /// Sets the cluster of the page in its links, where that was deferred.
    fn classify(&mut self, page: &Page<'_>) {
        if self.work.links.is_empty() {
            return;
        }
        let cluster = page.policy.page_cluster(page.waited, page.url.as_str(), &page.parsed.leaf_paths);
        self.work.links.iter_mut().for_each(|(.., class)| *class = class.on(cluster));
    }

    fn refuse_by_url(&mut self, page: &Page<'_>, tally: &mut Tally) {
        let by_place = self.filtering == Filtering::ByPlaceAndUrl && self.order == FilterOrder::DupGraph;
        let Work { links, texts, fingerprints, patterns, .. } = &mut self.work;
        let (policy, mut kept) = (page.policy, 0);
        patterns.prepare(fingerprints);
        for at in 0..links.len() {
            let (from, to, class) = links[at];
            let find = || policy.pattern(&texts[from..to]);
            let refused = by_place && policy.admit(&Link::at_place_of(class)).refusal().is_some() || {
                let pattern = patterns.pattern(fingerprints[at], policy.patterns_version(), find);
                policy.admit(&Link::Class(class.with_pattern(pattern))).refusal().is_some()
            };
            if !refused {
                links[kept] = links[at];
                fingerprints[kept] = fingerprints[at];
                kept += 1;
            }
        }
        tally.refused_by_url = (links.len() - kept) as u64;
        links.truncate(kept);
        fingerprints.truncate(kept);
    }

    fn leave_known_out(&mut self, store: &Store, tally: &mut Tally) -> Result<(), DiskError> {
        let Work { links, fingerprints, answers, .. } = &mut self.work;
        store.contains_all(fingerprints, answers)?;
        tally.dedup_in = fingerprints.len() as u64;
        tally.duplicates = answers.iter().filter(|known| **known).count() as u64;
        let mut known = answers.iter();
        links.retain(|_| known.next() == Some(&false));
        let mut known = answers.iter();
        fingerprints.retain(|_| known.next() == Some(&false));
        Ok(())
    }

    /// Adds new URLs; a URL that occurs twice on the page is new once.
    fn insert_new(&mut self, store: &mut Store, tally: &mut Tally) -> Result<(), DiskError> {
        let Work { fingerprints, answers, .. } = &mut self.work;
        store.insert_all(fingerprints, answers)?;
        tally.admitted = answers.iter().filter(|new| **new).count() as u64;
        tally.duplicates += fingerprints.len() as u64 - tally.admitted;
        Ok(())
    }

    fn insert(&mut self, store: &mut Store, tally: &mut Tally) -> Result<(), DiskError> {
        tally.dedup_in = self.work.fingerprints.len() as u64;
        self.insert_new(store, tally)
    }
}

/// Returns every group, without a cluster yet.
fn all_places(page: &Page<'_>) -> Vec<Option<LinkClass>> {
    let class = |group: &harvestman_core::model::LinkGroup| Some(LinkClass::unclassified(group.apath));
    page.parsed.groups.iter().map(class).collect()
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
