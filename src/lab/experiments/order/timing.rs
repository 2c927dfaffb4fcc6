//! All orders over all stores, side by side on the same pages.

use std::time::Duration;

use super::steps::{Filtering, Page, Steps, Tally};
use super::stores::{Store, StoreKind};
use super::{EXACT_MEMORY, Error};
use crate::config::{FilterOrder, ParseOptions};
use crate::dedup::DiskError;
use crate::lab::corpus::{Corpus, PageId, canonicaliser};
use crate::lab::experiments::Crawl;
use crate::lab::tables::{Measure, Row};
use crate::page::{Apath, LinkClass, ParsedPage};
use crate::parse::Parser;
use crate::policy::PolicySnapshot;
use crate::url::Canonicaliser;

/// What is compared: the orders, and the filter of the paper, which looks at URLs alone.
const COMPARED: [(FilterOrder, Filtering); 4] = [
    (FilterOrder::DupOnly, Filtering::ByPlaceAndUrl),
    (FilterOrder::DupGraph, Filtering::ByPlaceAndUrl),
    (FilterOrder::GraphDup, Filtering::ByPlaceAndUrl),
    (FilterOrder::GraphDup, Filtering::ByUrl),
];

/// One order over one store.
#[derive(Clone)]
pub struct Timed {
    pub order: FilterOrder,
    pub filtering: Filtering,
    pub store: StoreKind,
    pub tally: Tally,
    memory: u64,
    disk: u64,
}

impl Timed {
    /// The name of the order in rows.
    pub fn name(&self) -> &'static str {
        match self.filtering {
            Filtering::ByPlaceAndUrl => self.order.name(),
            Filtering::ByUrl => "graph-dup by URL",
        }
    }

    /// Whether it is what the crawl did.
    pub fn is_whole(&self) -> bool {
        (self.order, self.filtering) == (FilterOrder::GraphDup, Filtering::ByPlaceAndUrl)
    }

    /// The row with its measures; `alone` is the dedup alone over the same store, `crawl_alone` that of the crawl without a filter.
    #[expect(clippy::cast_precision_loss, reason = "counts of links and of nanoseconds are far below 2^52")]
    pub fn measures(&self, row: Row, alone: Option<&Tally>, crawl_alone: Option<&Tally>) -> Row {
        let tally = &self.tally;
        let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let each = |time: Duration| ratio(time.as_nanos() as u64, tally.links);
        let by = |time: Duration, other: Option<&Tally>| {
            other.and_then(|other| ratio(time.as_nanos() as u64, other.total().as_nanos() as u64))
        };
        let relative = |time: Duration| by(time, alone);
        let crawl = crawl_alone.filter(|_| self.order != FilterOrder::DupOnly);
        let refused = tally.refused_by_place + tally.refused_by_url;
        let asked = if self.order == FilterOrder::DupOnly { 0 } else { tally.links };
        row.with(Measure::Links, tally.links as f64)
            .with(Measure::FilterIn, asked as f64)
            .with(Measure::RefusedByPlace, tally.refused_by_place as f64)
            .with(Measure::RefusedByUrl, tally.refused_by_url as f64)
            .with(Measure::Canonicalised, tally.canonicalised as f64)
            .with(Measure::DedupIn, tally.dedup_in as f64)
            .with(Measure::Admitted, tally.admitted as f64)
            .with(Measure::DuplicatesByDedup, ratio(tally.duplicates, tally.dedup_in))
            .with(Measure::RefusedShare, ratio(refused, asked))
            .with(Measure::FilterNs, each(tally.filter))
            .with(Measure::CanonicaliseNs, each(tally.canonicalise))
            .with(Measure::DedupNs, each(tally.dedup))
            .with(Measure::RelativeFilterTime, relative(tally.filter))
            .with(Measure::RelativeCanonicaliseTime, relative(tally.canonicalise))
            .with(Measure::RelativeDedupTime, relative(tally.dedup))
            .with(Measure::RelativeTime, relative(tally.total()))
            .with(Measure::RelativeCrawlTime, by(tally.total(), crawl))
            .with(Measure::MemoryBytes, self.memory as f64)
            .with(Measure::DiskBytes, self.disk as f64)
    }
}

/// One of those that are compared.
struct Running {
    store: usize,
    order: FilterOrder,
    filtering: Filtering,
    steps: Steps,
    tally: Tally,
    /// Of the page that all are at.
    page: Tally,
}

/// A page of so few links takes no longer than this in any step, unless the machine was busy elsewhere: by two powers of ten.
const INTERRUPTED: Duration = Duration::from_millis(1);
const INTERRUPTED_LINKS: u64 = 1_000;

/// Takes the pages of a crawl through all that is compared.
pub struct Timing {
    parser: Parser,
    stores: Vec<(StoreKind, Store)>,
    running: Vec<Running>,
    failed: Option<DiskError>,
    /// Turns round who is first, so that none always finds the page's bytes in the cache.
    turn: usize,
    interrupted: u64,
    canonicaliser: Canonicaliser,
}

/// Leaves out links to what was not recorded: it does not exist for the crawl either, which would find it out by its scope.
fn keep_recorded(page: &mut ParsedPage, corpus: &Corpus, id: PageId, canonicaliser: &Canonicaliser) {
    let ParsedPage { groups, hrefs, base, .. } = page;
    let mut resolver = canonicaliser.resolver(corpus.url(id), base.as_deref());
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
    pub fn new(kinds: &[StoreKind], seen: u64) -> Result<Self, Error> {
        let store = |kind: &StoreKind| Ok((*kind, Store::filled(*kind, seen, EXACT_MEMORY)?));
        let stores = kinds.iter().map(store).collect::<Result<_, DiskError>>()?;
        let parser = Parser::new(&ParseOptions::default());
        let canonicaliser = canonicaliser();
        Ok(Self { parser, stores, running: Vec::new(), failed: None, turn: 0, interrupted: 0, canonicaliser })
    }

    /// Begins a crawl: no URL of it was seen.
    pub fn begin(&mut self, corpus: &Corpus, crawl: &Crawl) {
        self.compare(corpus, crawl, &COMPARED);
    }

    /// The same with nothing but the dedup alone, for the crawl that is made by it.
    pub fn begin_alone(&mut self, corpus: &Corpus, crawl: &Crawl) {
        self.compare(corpus, crawl, &COMPARED[..1]);
    }

    fn compare(&mut self, corpus: &Corpus, crawl: &Crawl, compared: &[(FilterOrder, Filtering)]) {
        self.running.clear();
        for at in 0..self.stores.len() {
            for &(order, filtering) in compared {
                let name = format!("{} {} {} {order:?} {filtering:?}", corpus.name, crawl.contender, crawl.seed);
                let steps = Steps::new(order, filtering, canonicaliser(), &name);
                let (tally, page) = Default::default();
                self.running.push(Running { store: at, order, filtering, steps, tally, page });
            }
        }
    }

    /// Takes a page through that the crawl has fetched by what `policy` knew.
    pub fn page(&mut self, corpus: &Corpus, id: PageId, policy: &dyn PolicySnapshot) {
        let stored = corpus.page(id);
        if !stored.is_page() || self.failed.is_some() {
            return;
        }
        self.parser.set_class_tokens(policy.class_tokens());
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

    /// Adds the page to what was measured, unless somebody was interrupted at it.
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
            // What the store writes later is due to what was new now.
            running.page.dedup += self.stores[running.store].1.written() * running.page.admitted as u32;
            running.tally += running.page;
        }
    }

    /// What the crawl's pages took.
    pub fn end(&mut self) -> Result<Vec<Timed>, Error> {
        if let Some(error) = self.failed.take() {
            return Err(error.into());
        }
        let timed = self.running.drain(..).map(|Running { store, order, filtering, tally, .. }| {
            let (store, held) = &self.stores[store];
            Timed { order, filtering, store: *store, tally, memory: held.memory_bytes(), disk: held.disk_bytes() }
        });
        Ok(timed.collect())
    }

    /// Pages that were left out because the machine was busy elsewhere.
    pub fn interrupted(&mut self) -> u64 {
        std::mem::take(&mut self.interrupted)
    }
}
