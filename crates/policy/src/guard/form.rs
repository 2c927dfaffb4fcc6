//! What is known of one form of address.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use harvestman_core::model::TrapMeasure;

/// A form of address on one host.
pub(super) type FormId = u64;

/// A form that is worth its requests brings something with at least this share of its pages, a trap with at most that.
const WORTH_IT: f64 = 0.1;
const TRAP: f64 = 0.01;
/// The chance that a form that is worth its requests is taken for a trap: then its links wait until no others do; and then they are
/// refused, if it feeds itself besides, first those on its own pages and at last all. Some 31, 97 and 290 pages in a row that bring
/// nothing.
const LAST_ERROR: f64 = 0.05;
const CUT_ERROR: f64 = 1e-4;
const CLOSED_ERROR: f64 = 1e-12;
/// The weight of a fruitless page in that account if no page of its form has shown the same things together: what is new about a list
/// that is sorted or filtered in another way is what stands beside what, and only if it goes on for very long it is a trap.
const OTHER_WEIGHT: f64 = 0.05;
/// The share of a form's fruitless pages from which on it feeds itself, if they bring new addresses of the same form.
const FERTILE: f64 = 0.5;
/// A throttled form is an ordinary one again once so little speaks against it.
const CLEARED: f64 = 0.5;
/// Before so many pages nothing is said of a form.
const KNOWN_PAGES: u64 = 8;
/// Forms that a form has led to lately that are remembered; and how many of its pages ago is not lately any more.
const LEADS_MAX: usize = 8;
const LATELY: u64 = 100;

/// Page's cumulative sum test (Page 1954): Wald's log-likelihood ratio (Wald 1945) of "brings something as seldom as a trap" to
/// "as often as what is worth it", started anew wherever it would fall below 0, so that a form may turn into a trap at any time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Drought(f64);

impl Drought {
    /// Takes in a page; one that brings nothing counts with this weight.
    fn see(&mut self, fruitful: bool, weight: f64) {
        let ratio = if fruitful { (TRAP / WORTH_IT).ln() } else { weight * ((1.0 - TRAP) / (1.0 - WORTH_IT)).ln() };
        // Bounded, so that a form that was barren for long may still turn fruitful.
        self.0 = (self.0 + ratio).clamp(0.0, threshold(CLOSED_ERROR));
    }

    /// Whether it is seldom enough by an error of at most `error`.
    fn is_below(self, error: f64) -> bool {
        self.0 >= threshold(error)
    }
}

/// Wald's bound.
fn threshold(error: f64) -> f64 {
    -error.ln()
}

/// What a page brought.
#[derive(Debug, Clone, Copy)]
pub(super) struct Showing {
    /// It showed something that none did before.
    pub(super) fresh: bool,
    /// It did, or led to what may.
    pub(super) fruitful: bool,
    /// What it showed, no page of its form had shown together.
    pub(super) other: bool,
}

/// What came of the pages of one form.
#[derive(Debug, Clone)]
pub(super) struct Form {
    /// The latest address of it that was fetched.
    pub(super) example: Box<str>,
    pub(super) fetched: u64,
    /// Pages among them that brought something.
    pub(super) fruitful: u64,
    /// By what the pages show, and by that and where they lead.
    dry: Drought,
    barren: Drought,
    /// By both, and by how much its fruitless pages are alike.
    alike: Drought,
    /// Fruitless pages since nothing spoke against it, and pages since then that brought new addresses of this form.
    pub(super) row: u64,
    fertile: u64,
    /// Forms of new addresses on its pages, with the number of the page, the latest last.
    leads: Vec<(FormId, u64)>,
    pub(super) measure: TrapMeasure,
    /// The crawl's fetch at which the measure was taken.
    pub(super) since: u64,
    /// The crawl's fetch that was the last of this form.
    pub(super) seen: u64,
    /// Its links that were refused or let go.
    pub(super) refused: Arc<AtomicU64>,
}

impl Form {
    pub(super) fn new(example: &str) -> Self {
        Self {
            example: example.into(),
            fetched: 0,
            fruitful: 0,
            dry: Drought::default(),
            barren: Drought::default(),
            alike: Drought::default(),
            row: 0,
            fertile: 0,
            leads: Vec::new(),
            measure: TrapMeasure::None,
            since: 0,
            seen: 0,
            refused: Arc::default(),
        }
    }

    /// Whether pages of this form show something new often enough, or it is too early to tell.
    pub(super) fn may_show_something(&self) -> bool {
        self.fetched < KNOWN_PAGES || !self.dry.is_below(LAST_ERROR)
    }

    /// Whether its pages bring too little, by what they show and where they lead.
    pub(super) fn is_barren(&self) -> bool {
        self.barren.is_below(LAST_ERROR)
    }

    /// The forms that it led to lately.
    pub(super) fn leads(&self) -> impl Iterator<Item = FormId> + '_ {
        let lately = |(_, at): &&(FormId, u64)| self.fetched - at <= LATELY;
        self.leads.iter().filter(lately).map(|(form, _)| *form)
    }

    /// Whether it led to `form` lately.
    pub(super) fn leads_to(&self, form: FormId) -> bool {
        self.leads().any(|lead| lead == form)
    }

    /// Takes in a page, and where it led.
    pub(super) fn see(&mut self, page: Showing, leads: &[FormId], at: u64) {
        let Showing { fresh, fruitful, other } = page;
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

    /// Notes a fruitless page that brought new addresses of this form and that this form leads to.
    pub(super) fn fed(&mut self) {
        self.fertile += 1;
    }

    /// Whether it feeds itself: most of its fruitless pages bring new addresses of it.
    fn feeds_itself(&self) -> bool {
        self.fertile as f64 >= FERTILE * self.row as f64
    }

    /// Whether it may be refused by an error of at most `error`. It may go on in vain for as many pages as it has brought something
    /// with: so nothing that was good for long is given up soon.
    fn is_trap(&self, error: f64) -> bool {
        self.alike.is_below(error) && self.row >= self.fruitful
    }

    /// The measure that is to be taken now; `fruitful`: whether the page seen last brought something.
    pub(super) fn due(&self, fruitful: bool) -> TrapMeasure {
        let refused = self.measure >= TrapMeasure::Cut;
        match self.measure {
            // What brings something after all is taken up again at once.
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
            (self.barren, self.alike) = (Drought(threshold(LAST_ERROR)), Drought::default());
            (self.row, self.fertile) = (0, 0);
        }
        (self.measure, self.since) = (measure, at);
    }

    /// Adds what is known of another form that is now known to be the same. Where they differ, what speaks for it holds.
    pub(super) fn merge(&mut self, other: Self) {
        self.fetched += other.fetched;
        self.fruitful += other.fruitful;
        self.dry = Drought(self.dry.0.min(other.dry.0));
        self.barren = Drought(self.barren.0.min(other.barren.0));
        self.alike = Drought(self.alike.0.min(other.alike.0));
        self.row = self.row.min(other.row);
        self.fertile = self.fertile.min(other.fertile);
        self.measure = self.measure.min(other.measure);
        self.seen = self.seen.max(other.seen);
        self.since = self.since.max(other.since);
        self.leads.clear();
        let refused = other.refused.load(Ordering::Relaxed);
        self.refused.fetch_add(refused, Ordering::Relaxed);
    }

    /// Forgets where it led: forms have other names now.
    pub(super) fn forget_leads(&mut self) {
        self.leads.clear();
    }
}
