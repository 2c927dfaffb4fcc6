//! The links of a page, taken through filter, canonicalisation and dedup in one of the orders, each step timed.
//!
//! The steps are those of a crawl (`pipeline`), but each is done for all links of the page before the next one begins, so that the
//! clock is read a few times for some fifty links; what it takes to read it is taken off. What the parser did and what the frontier will do is the same in
//! all orders and not timed.

use std::ops::AddAssign;
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::stores::Store;
use harvestman_core::clock::Stopwatch;
use harvestman_core::config::FilterOrder;
use harvestman_core::model::{LinkClass, ParsedPage};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Fingerprint};
use harvestman_policy::PolicySnapshot;
use harvestman_stages::filter::PatternMemo;
use harvestman_storage::dedup::DiskError;

/// Times and counts of what was taken through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Links on the pages.
    pub links: u64,
    /// Of them refused with all links at their place.
    pub refused_by_place: u64,
    /// Links canonicalised, those that are none left out.
    pub canonicalised: u64,
    /// Links refused by the form of their URL.
    pub refused_by_url: u64,
    /// Links that the dedup was asked about.
    pub dedup_in: u64,
    /// Of them known.
    pub duplicates: u64,
    /// Links that passed everything.
    pub admitted: u64,
    /// Time of the filter: the page's cluster, refusals by place, forms of URLs, refusals by form.
    pub filter: Duration,
    /// Time of canonicalisation, fingerprints included.
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
    /// Time of all steps.
    pub fn total(&self) -> Duration {
        self.filter + self.canonicalise + self.dedup
    }
}

/// A page whose links are taken through.
pub struct Page<'a> {
    /// Its URL.
    pub url: &'a CanonicalUrl,
    /// The class that it waited under.
    pub waited: LinkClass,
    /// What the parser made of it, with the class names that `policy` asks for.
    pub parsed: &'a ParsedPage,
    /// What the crawl knew of the site when it fetched the page.
    pub policy: &'a dyn PolicySnapshot,
}

/// How far the filter looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filtering {
    /// By place first, by the form of the URL afterwards.
    ByPlaceAndUrl,
    /// By the form of the URL alone, as in the paper.
    ByUrl,
}

/// Takes pages through in one order.
pub struct Steps {
    order: FilterOrder,
    filtering: Filtering,
    canonicaliser: Canonicaliser,
    /// Keeps apart the URLs of those who share a store.
    salt: u128,
    /// What it takes to read the clock.
    reading: Duration,
    work: Work,
}

/// Buffers, so that a page costs no allocation.
#[derive(Default)]
struct Work {
    /// Places in `texts` and classes of the links under way.
    links: Vec<(usize, usize, LinkClass)>,
    texts: String,
    fingerprints: Vec<Fingerprint>,
    answers: Vec<bool>,
    patterns: PatternMemo,
}

impl Steps {
    /// Steps in this order. `name` keeps its URLs apart from those of others in the same store.
    pub fn new(order: FilterOrder, filtering: Filtering, canonicaliser: Canonicaliser, name: &str) -> Self {
        let salt = xxh3_128_with_seed(name.as_bytes(), 3);
        Self { order, filtering, canonicaliser, salt, reading: Stopwatch::reading(), work: Work::default() }
    }

    /// Takes a page's links through.
    ///
    /// # Errors
    ///
    /// Where the store cannot be read or written to.
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

    /// The classes of the groups that pass, by place.
    fn places(&self, page: &Page<'_>, tally: &mut Tally) -> Vec<Option<LinkClass>> {
        let cluster = page.policy.page_cluster(page.waited, page.url.as_str(), &page.parsed.leaf_paths);
        let judge = |group: &harvestman_core::model::LinkGroup| {
            let class = LinkClass::at(cluster, group.apath);
            let refused = self.filtering == Filtering::ByPlaceAndUrl && page.policy.refusal(class).is_some();
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
        // Who is going to look at the URL keeps its text; the dedup needs no more than the fingerprint.
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

    /// Gives the links their page's cluster, where that was left until now.
    fn classify(&mut self, page: &Page<'_>) {
        if self.work.links.is_empty() {
            return;
        }
        let cluster = page.policy.page_cluster(page.waited, page.url.as_str(), &page.parsed.leaf_paths);
        self.work.links.iter_mut().for_each(|(.., class)| class.cluster = cluster);
    }

    fn refuse_by_url(&mut self, page: &Page<'_>, tally: &mut Tally) {
        let by_place = self.filtering == Filtering::ByPlaceAndUrl && self.order == FilterOrder::DupGraph;
        let Work { links, texts, fingerprints, patterns, .. } = &mut self.work;
        let (policy, mut kept) = (page.policy, 0);
        patterns.prepare(fingerprints);
        for at in 0..links.len() {
            let (from, to, class) = links[at];
            let find = || policy.pattern(&texts[from..to]);
            let refused = by_place && policy.refusal(class).is_some() || {
                let pattern = patterns.pattern(fingerprints[at], policy.patterns_version(), find);
                policy.refusal(class.with_pattern(pattern)).is_some()
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

    /// Adds what is new; a URL that stands on the page twice is new once.
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

/// Every group, without a cluster yet.
fn all_places(page: &Page<'_>) -> Vec<Option<LinkClass>> {
    let class = |group: &harvestman_core::model::LinkGroup| Some(LinkClass::unclassified(group.apath));
    page.parsed.groups.iter().map(class).collect()
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
