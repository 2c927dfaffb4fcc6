//! Processes the pages of a crawl in one or several orders over all stores.

use std::time::Duration;

use super::steps::{Filtering, Page, Steps, Tally};
use super::stores::{EXACT_MEMORY, Store, StoreKind};
use crate::corpus::{Corpus, PageId, canonicaliser};
use crate::experiments::{Crawl, ExperimentError};
use harvestman_core::config::{FilterOrder, ParseOptions};
use harvestman_core::model::{Apath, LinkClass, ParsedPage};
use harvestman_core::url::Canonicaliser;
use harvestman_policy::PolicySnapshot;
use harvestman_storage::dedup::DiskError;
use harvestman_structure::parse::Parser;

/// The configurations compared side by side: the orders, and the filter of the paper, which uses URLs only.
const COMPARED: [(FilterOrder, Filtering); 4] = [
    (FilterOrder::DupOnly, Filtering::ByPlaceAndUrl),
    (FilterOrder::DupGraph, Filtering::ByPlaceAndUrl),
    (FilterOrder::GraphDup, Filtering::ByPlaceAndUrl),
    (FilterOrder::GraphDup, Filtering::ByUrl),
];

/// The measurements of the links of a crawl in one order over one store.
#[derive(Clone)]
pub struct Timed {
    pub order: FilterOrder,
    pub filtering: Filtering,
    pub store: StoreKind,
    pub tally: Tally,
    /// Bytes of memory and disk of the store at the end.
    pub memory: u64,
    pub disk: u64,
}

/// Returns the median of repeated measurements.
pub fn middle(mut timed: Vec<Timed>) -> Vec<Timed> {
    let key = |one: &Timed| (one.order, one.store);
    timed.sort_by_key(|one| (key(one), one.tally.total()));
    timed.chunk_by(|one, other| key(one) == key(other)).map(|same| same[same.len() / 2].clone()).collect()
}

/// One of the compared configurations.
struct Running {
    store: usize,
    order: FilterOrder,
    filtering: Filtering,
    steps: Steps,
    tally: Tally,
    /// The measurements of the current page.
    page: Tally,
}

/// The processing of a page takes longer than this in a step only if the machine was busy: typical times are shorter by
/// two orders of magnitude.
const INTERRUPTED: Duration = Duration::from_millis(1);
const INTERRUPTED_LINKS: u64 = 1_000;

/// Processes the pages of a crawl in all compared configurations.
pub struct Timing {
    parser: Parser,
    stores: Vec<(StoreKind, Store)>,
    running: Vec<Running>,
    failed: Option<DiskError>,
    /// Rotates which configuration is first, so that none always finds the bytes of the page in the cache.
    turn: usize,
    interrupted: u64,
    canonicaliser: Canonicaliser,
}

/// Removes links to URLs that were not recorded, which do not exist for the crawl either; a crawl would exclude them by
/// its scope.
fn keep_recorded(page: &mut ParsedPage, corpus: &Corpus, id: PageId, canonicaliser: &Canonicaliser) {
    let ParsedPage { groups, hrefs, base, charset, .. } = page;
    let mut resolver = canonicaliser.document_resolver(corpus.url(id), base.as_deref(), charset);
    for group in groups.iter_mut() {
        group.links.retain(|link| {
            let href = hrefs.get(link.start as usize..link.end as usize).unwrap_or_default();
            resolver.resolve(href).is_ok_and(|url| corpus.find_fingerprint(url.fingerprint()).is_some())
        });
    }
    groups.retain(|group| !group.links.is_empty());
}

impl Timing {
    /// Fills a store of each kind.
    pub fn new(kinds: &[StoreKind], seen: u64) -> Result<Self, ExperimentError> {
        let store = |kind: &StoreKind| Ok((*kind, Store::filled(*kind, seen, EXACT_MEMORY)?));
        let stores = kinds.iter().map(store).collect::<Result<_, DiskError>>()?;
        let parser = Parser::new(&ParseOptions::default());
        let canonicaliser = canonicaliser();
        Ok(Self { parser, stores, running: Vec::new(), failed: None, turn: 0, interrupted: 0, canonicaliser })
    }

    /// Begins a crawl, none of whose URLs are known, in all compared configurations.
    pub fn begin_side_by_side(&mut self, corpus: &Corpus, crawl: &Crawl) {
        self.begin("side by side", &COMPARED, corpus, crawl);
    }

    /// Begins a crawl in its own order only, for the `turn`-th time.
    pub fn begin_in(&mut self, order: FilterOrder, turn: u64, corpus: &Corpus, crawl: &Crawl) {
        self.begin(&format!("alone {turn}"), &[(order, Filtering::ByPlaceAndUrl)], corpus, crawl);
    }

    fn begin(&mut self, how: &str, compared: &[(FilterOrder, Filtering)], corpus: &Corpus, crawl: &Crawl) {
        self.running.clear();
        for at in 0..self.stores.len() {
            for &(order, filtering) in compared {
                let name = format!("{} {} {} {how} {order:?} {filtering:?}", corpus.name, crawl.contender, crawl.seed);
                let steps = Steps::new(order, filtering, canonicaliser(), &name);
                let (tally, page) = Default::default();
                self.running.push(Running { store: at, order, filtering, steps, tally, page });
            }
        }
    }

    /// Processes a page that the crawl has fetched, with the snapshot `policy`.
    pub fn page(&mut self, corpus: &Corpus, id: PageId, policy: &dyn PolicySnapshot) {
        let stored = corpus.page(id);
        if !stored.is_page() || self.failed.is_some() {
            return;
        }
        self.parser.set_class_tokens(policy.class_tokens(corpus.url(id).as_str()));
        let mut parsed = self.parser.parse(&stored.body, stored.content_type());
        keep_recorded(&mut parsed, corpus, id, &self.canonicaliser);
        let url = corpus.url(id);
        let waited = LinkClass::unclassified(Apath::SEED).with_pattern(policy.pattern(url.as_str()));
        let page = Page { url, waited, parsed: &parsed, policy };
        self.turn += 1;
        let count = self.running.len().max(1);
        for place in 0..self.running.len() {
            let running = &mut self.running[(place + self.turn) % count];
            match running.steps.page(&page, &mut self.stores[running.store].1) {
                Ok(tally) => running.page = tally,
                Err(error) => self.failed = Some(error),
            }
        }
        self.take_over();
    }

    /// Adds the page to the measurements, unless a step was interrupted.
    fn take_over(&mut self) {
        let slow = |running: &Running| {
            let most = INTERRUPTED * (1 + u32::try_from(running.page.links / INTERRUPTED_LINKS).unwrap_or(u32::MAX));
            running.page.filter > most || running.page.canonicalise > most || running.page.dedup > most
        };
        if self.running.iter().any(slow) {
            self.interrupted += 1;
            return;
        }
        for running in &mut self.running {
            // Later writes of the store are caused by the URLs that are new now.
            running.page.dedup += self.stores[running.store].1.written() * running.page.admitted as u32;
            running.tally += running.page;
        }
    }

    /// Ends the crawl and returns the measurements.
    pub fn end(&mut self) -> Result<Vec<Timed>, ExperimentError> {
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        let timed = self.running.drain(..).map(|Running { store, order, filtering, tally, .. }| {
            let (store, held) = &self.stores[store];
            Timed { order, filtering, store: *store, tally, memory: held.memory_bytes(), disk: held.disk_bytes() }
        });
        Ok(timed.collect())
    }

    /// Returns the number of pages excluded because the machine was busy.
    pub fn interrupted(&mut self) -> u64 {
        std::mem::take(&mut self.interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_time_of_each_order_and_store_is_used() {
        let timed = |order, store, millis| Timed {
            order,
            filtering: Filtering::ByPlaceAndUrl,
            store,
            tally: Tally { dedup: Duration::from_millis(millis), ..Tally::default() },
            memory: 0,
            disk: 0,
        };
        let (gd, d) = (FilterOrder::GraphDup, FilterOrder::DupOnly);
        let (bloom, disk) = (StoreKind::Bloom, StoreKind::ExactDisk);
        let all = [(d, bloom, 9), (gd, bloom, 3), (d, bloom, 2), (gd, disk, 1), (d, bloom, 4)];
        let found = middle(all.map(|(order, store, millis)| timed(order, store, millis)).into());
        let mut found: Vec<_> =
            found.iter().map(|one| (one.order.name(), one.store.name(), one.tally.total().as_millis())).collect();
        found.sort_unstable();
        assert_eq!(found, [("dup-only", "bloom", 4), ("graph-dup", "bloom", 3), ("graph-dup", "exact-disk", 1)]);
    }
}
