//! The statistics of one URL form.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use harvestman_core::model::TrapMeasure;

/// A URL form on one host.
pub(super) type FormId = u64;

/// A form that is worth its requests shows something new on at least this share of its pages, a trap on at most the
/// share below.
const WORTH_IT: f64 = 0.1;
const TRAP: f64 = 0.01;
/// The error probabilities: the chance that a form that is worth its requests is taken for a trap. At the first bound
/// its links wait until no others do; at the others they are rejected, if the form also feeds itself: first those on
/// its own pages, finally all. They correspond to about 31, 97 and 290 fruitless pages in a row.
const LAST_ERROR: f64 = 0.05;
const CUT_ERROR: f64 = 1e-4;
const CLOSED_ERROR: f64 = 1e-12;
/// The weight of a fruitless page in that test if no page of its form has shown the same combination of items. A list
/// that is sorted or filtered differently is new only in its combination, and such a form is a trap only if it
/// continues for very long.
const OTHER_WEIGHT: f64 = 0.05;
/// The share of a form's fruitless pages that must bring new URLs of the same form for the form to feed itself.
const FERTILE: f64 = 0.5;
/// The evidence below which a form that was put last is treated as an ordinary one again.
const CLEARED: f64 = 0.5;
/// The number of pages below which a form is not judged.
const KNOWN_PAGES: u64 = 8;
/// The number of forms that are remembered as recent targets of a form's links, and the number of its pages after which
/// a target is no longer recent.
const LEADS_MAX: usize = 8;
const LATELY: u64 = 100;

/// Page's cumulative sum test (Page 1954) of Wald's log-likelihood ratio (Wald 1945) between "shows something as rarely
/// as a trap" and "as often as a form that is worth its requests". The sum restarts whenever it would fall below 0, so
/// that a form can turn into a trap at any time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct FruitlessTest(f64);

impl FruitlessTest {
    /// Adds a page; a fruitless one counts with this weight.
    fn see(&mut self, fruitful: bool, weight: f64) {
        let ratio = if fruitful { (TRAP / WORTH_IT).ln() } else { weight * ((1.0 - TRAP) / (1.0 - WORTH_IT)).ln() };
        // Bounded, so that a form that was barren for long can become fruitful again.
        self.0 = (self.0 + ratio).clamp(0.0, threshold(CLOSED_ERROR));
    }

    /// Whether the evidence suffices at this error probability.
    fn is_below(self, error: f64) -> bool {
        self.0 >= threshold(error)
    }
}

/// Wald's bound.
fn threshold(error: f64) -> f64 {
    -error.ln()
}

/// What a page showed.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageNovelty {
    /// It showed an item that no page had shown before.
    pub(super) fresh: bool,
    /// It did, or it linked to a form that may.
    pub(super) fruitful: bool,
    /// No page of its form had shown this combination of items.
    pub(super) other: bool,
}

/// The statistics of the pages of one form.
#[derive(Debug, Clone)]
pub(super) struct Form {
    /// The URL of its page that was fetched last.
    pub(super) example: Box<str>,
    pub(super) fetched: u64,
    /// The number of its pages that showed something new.
    pub(super) fruitful: u64,
    /// The test by what its pages show, and below by what they show and where they lead.
    dry: FruitlessTest,
    barren: FruitlessTest,
    /// The test by both, with fruitless pages weighted by how much they are alike.
    alike: FruitlessTest,
    /// Fruitless pages since the evidence last fell to 0, and the number of pages since then that brought new URLs of
    /// this form.
    pub(super) row: u64,
    fertile: u64,
    /// Forms of new URLs on its pages, with the number of the page, the latest last.
    leads: Vec<(FormId, u64)>,
    pub(super) measure: TrapMeasure,
    /// The crawl's fetch at which the measure was taken.
    pub(super) since: u64,
    /// The crawl's latest fetch of this form.
    pub(super) seen: u64,
    /// The number of its links that were rejected or dropped.
    pub(super) refused: Arc<AtomicU64>,
}

impl Form {
    pub(super) fn new(example: &str) -> Self {
        Self {
            example: example.into(),
            fetched: 0,
            fruitful: 0,
            dry: FruitlessTest::default(),
            barren: FruitlessTest::default(),
            alike: FruitlessTest::default(),
            row: 0,
            fertile: 0,
            leads: Vec::new(),
            measure: TrapMeasure::None,
            since: 0,
            seen: 0,
            refused: Arc::default(),
        }
    }

    /// Whether its pages show something new often enough, or it is too early to tell.
    pub(super) fn may_show_something(&self) -> bool {
        self.fetched < KNOWN_PAGES || !self.dry.is_below(LAST_ERROR)
    }

    /// Whether its pages bring too little, by what they show and where they lead.
    pub(super) fn is_barren(&self) -> bool {
        self.barren.is_below(LAST_ERROR)
    }

    /// The forms that it recently led to.
    pub(super) fn leads(&self) -> impl Iterator<Item = FormId> + '_ {
        let lately = |(_, at): &&(FormId, u64)| self.fetched - at <= LATELY;
        self.leads.iter().filter(lately).map(|(form, _)| *form)
    }

    /// Whether it recently led to `form`.
    pub(super) fn leads_to(&self, form: FormId) -> bool {
        self.leads().any(|lead| lead == form)
    }

    /// Adds a page and where it led.
    pub(super) fn see(&mut self, page: PageNovelty, leads: &[FormId], at: u64) {
        let PageNovelty { fresh, fruitful, other } = page;
        self.fetched += 1;
        self.seen = at;
        self.dry.see(fresh, 1.0);
        self.barren.see(fruitful, 1.0);
        self.alike.see(fruitful, if other { OTHER_WEIGHT } else { 1.0 });
        if fruitful {
            self.fruitful += 1;
        } else {
            self.row += 1;
        }
        if self.barren.0 <= 0.0 {
            (self.row, self.fertile) = (0, 0);
        }
        for lead in leads {
            self.lead(*lead);
        }
    }

    fn lead(&mut self, form: FormId) {
        self.leads.retain(|(known, _)| *known != form);
        if self.leads.len() >= LEADS_MAX {
            self.leads.remove(0);
        }
        self.leads.push((form, self.fetched));
    }

    /// Counts a fruitless page that brought new URLs of this form and that this form leads to.
    pub(super) fn fed(&mut self) {
        self.fertile += 1;
    }

    /// Whether it feeds itself: most of its fruitless pages bring new URLs of it.
    fn feeds_itself(&self) -> bool {
        self.fertile as f64 >= FERTILE * self.row as f64
    }

    /// Whether it is a trap at this error probability. A form may continue without a result for as many pages as have
    /// shown something, so that a form that was useful for long is not given up early.
    fn is_trap(&self, error: f64) -> bool {
        self.alike.is_below(error) && self.row >= self.fruitful
    }

    /// The measure that is due now; `fruitful`: whether its latest page showed something new.
    pub(super) fn due(&self, fruitful: bool) -> TrapMeasure {
        let refused = self.measure >= TrapMeasure::Cut;
        match self.measure {
            // A form that shows something after all is followed again at once.
            _ if refused && fruitful => TrapMeasure::Last,
            TrapMeasure::Closed => TrapMeasure::Closed,
            TrapMeasure::Cut if self.is_trap(CLOSED_ERROR) => TrapMeasure::Closed,
            TrapMeasure::Cut => TrapMeasure::Cut,
            _ if self.is_trap(CUT_ERROR) && self.feeds_itself() => TrapMeasure::Cut,
            _ if self.is_barren() => TrapMeasure::Last,
            TrapMeasure::Last if self.barren.0 > CLEARED => TrapMeasure::Last,
            _ => TrapMeasure::None,
        }
    }

    /// Takes a measure at the crawl's fetch `at`.
    pub(super) fn take(&mut self, measure: TrapMeasure, at: u64) {
        if self.measure >= TrapMeasure::Cut && measure < TrapMeasure::Cut {
            (self.barren, self.alike) = (FruitlessTest(threshold(LAST_ERROR)), FruitlessTest::default());
            (self.row, self.fertile) = (0, 0);
        }
        (self.measure, self.since) = (measure, at);
    }

    /// Adds the statistics of a form that turned out to be the same. Where they differ, the evidence in the form's
    /// favour holds.
    pub(super) fn merge(&mut self, other: Self) {
        self.fetched += other.fetched;
        self.fruitful += other.fruitful;
        self.dry = FruitlessTest(self.dry.0.min(other.dry.0));
        self.barren = FruitlessTest(self.barren.0.min(other.barren.0));
        self.alike = FruitlessTest(self.alike.0.min(other.alike.0));
        self.row = self.row.min(other.row);
        self.fertile = self.fertile.min(other.fertile);
        self.measure = self.measure.min(other.measure);
        self.seen = self.seen.max(other.seen);
        self.since = self.since.max(other.since);
        self.leads.clear();
        let refused = other.refused.load(Ordering::Relaxed);
        self.refused.fetch_add(refused, Ordering::Relaxed);
    }

    /// Forgets where it led, because forms have new names.
    pub(super) fn forget_leads(&mut self) {
        self.leads.clear();
    }
}
