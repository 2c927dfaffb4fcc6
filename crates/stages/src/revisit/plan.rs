//! Whom to visit next, in a recrawl that learns while it goes on.
//!
//! Each page that is still to be visited has a chance to have changed: by what the visits of this round and of those before found of
//! pages like it ([`Regression`]) and by its own [history](harvestman_core::model::History), which leans on that ([`shrunk_rate`](super::rate::shrunk_rate)). At first some
//! pages of each pattern are visited; then the likeliest ones, with weights drawn from what is held of them (Thompson 1933) until a good
//! part of the budget is spent. Chances are judged anew after each sixteenth more visits.
//!
//! A kind of page in which nearly each visit finds a change may show a clock or a counter: one of its pages is asked for twice in a row.
//! What differs even then is no change.

mod learn;
mod rank;
mod signals;

use std::collections::BTreeMap;

use super::regression::Regression;
use super::rows::RowChange;
use super::traits::{PageTraits, Trait, TraitTable};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Difference, History};
use harvestman_core::seed::{Rng, Seed};

/// Names a page within a plan.
pub type PageNumber = u32;

/// What is known of a page when a plan is made.
#[derive(Debug, Clone)]
pub struct KnownPage {
    /// Its host, numbered from 0.
    pub host: u32,
    /// The kind that its noise is judged by: its coarse pattern.
    pub kind: u64,
    /// Where it was discovered; none where that is not in the plan.
    pub via: Option<PageNumber>,
    /// Its traits that do not change during the round, without those that each page has.
    pub traits: PageTraits,
    /// Traits that it has by what earlier visits found: of those visits they say nothing.
    pub signs: PageTraits,
    /// When it was visited last.
    pub last: Instant,
    /// What its visits found before this round.
    pub history: History,
    /// How many of those that found a change found other numbers alone.
    pub numbers: u32,
    /// What the visit in this round found, and after how many seconds; none where there was none yet.
    pub found: Option<(Difference, u64)>,
}

/// When a plan is carried out far enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanLimits {
    /// Visits at most.
    pub visits: u64,
    /// The share of the changed pages that is to be found.
    pub recall: f64,
    /// The chance of a change that is worth a request.
    pub chance: f64,
}

/// Why no more visits are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStop {
    /// Every page was visited.
    Done,
    /// As many visits as may be were made.
    Visits,
    /// So much of what has changed is expected to be found already.
    Recall,
    /// No page is likely enough to have changed.
    Chance,
}

/// A link of a page to another one of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedLink {
    /// The place of the link.
    pub apath: u64,
    /// Where it leads.
    pub page: PageNumber,
    /// How what stands around it differs from what it was.
    pub row: RowChange,
}

/// What a visit found.
#[derive(Debug, Clone)]
pub struct VisitFinding<'a> {
    /// The page.
    pub page: PageNumber,
    /// How it differed; none where it could not be had.
    pub difference: Option<Difference>,
    /// Seconds since the visit before.
    pub waited: u64,
    /// Whether it is gone: that is no noise.
    pub gone: bool,
    /// The pages of the plan that it links to, in page order.
    pub links: &'a [PlannedLink],
}

/// What is expected of the pages that were not visited.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ChangeForecast {
    /// Pages visited in this round.
    pub visited: u64,
    /// Those among them that had changed.
    pub changed: u64,
    /// Changed pages expected among the rest.
    pub expected: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Out,
    /// Asked for twice in a row.
    Probed,
    Visited,
}

/// What is known of the noise of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    pages: u32,
    visits: u32,
    changed: u32,
    /// How much a page of it differs when it is asked for twice in a row; none where that was not tried.
    noise: Option<Difference>,
    probing: bool,
}

struct Page {
    known: KnownPage,
    state: State,
    /// Traits that came up in this round.
    signs: PageTraits,
}

/// Visits to a kind, and the share of them that found a change, from which on a page of it is asked for twice.
const PROBE_VISITS: u32 = 3;
const PROBE_SHARE: f64 = 0.8;
/// Where so many kinds were found noisy, and no other, the rest are taken to be.
const NOISY_KINDS: usize = 2;
/// Signs of a page that count.
const SIGNS_MAX: usize = 12;
/// Links at a place that make it a list.
const LIST_MIN: usize = 3;
/// Of each kind so many pages are visited first, or the root of their number where that is less.
const SAMPLE_MAX: u32 = 8;
/// The share of the budget that such samples may take, and the share during which weights are drawn.
const SAMPLED: f64 = 0.25;
const DRAWN: f64 = 0.5;
/// Visits of earlier rounds count for the weights as so many at most.
const HISTORY_MAX: u32 = 3;
/// Steps on each weight, when all is learnt anew and when some visits are new.
const FIT_MAX: usize = 60;
const FIT_AGAIN: usize = 4;
/// A page's own visits weigh against so many changes of its kind.
const SHAPE: f64 = 1.0;
/// The chance of a change that is held of a page before anything was seen.
const CHANCE_AT_FIRST: f64 = 0.1;

/// A plan.
pub struct Plan {
    pages: Vec<Page>,
    kinds: BTreeMap<u64, Kind>,
    usual_noise: Option<Difference>,
    table: TraitTable,
    regression: Regression,
    limits: PlanLimits,
    lasted: u64,
    rng: Rng,
    /// Pages by where they were discovered.
    children: Vec<(PageNumber, PageNumber)>,
    /// ln of the time since the last visit that is in the middle of all, when the plan was made.
    usual: f64,
    /// Per host, the pages to visit, the best last.
    queues: Vec<Vec<PageNumber>>,
    probes: Vec<PageNumber>,
    ahead: ChangeForecast,
    /// Visits at which all is judged anew.
    rank_at: u64,
    rankings: u64,
    /// Pages that were asked for twice.
    probed: u64,
    out: u64,
    stop: Option<PlanStop>,
    base: u32,
    waited: u32,
}

impl Plan {
    /// A plan over these pages; their traits are numbered in `table`.
    ///
    /// `lasted` is how many seconds the longest of the earlier rounds took: by so much all times between visits are taken to be longer.
    /// What lies between two rounds matters more than whether a page was visited early in one or late, and where one round follows upon
    /// the other at once, pages visited late are not taken to be fresh for ever.
    pub fn new(
        known: Vec<KnownPage>,
        mut table: TraitTable,
        (limits, lasted): (PlanLimits, u64),
        now: Instant,
        seed: Seed,
    ) -> Self {
        let (base, waited) = (table.number(Trait::Base), table.number(Trait::Waited));
        let hosts = known.iter().map(|page| page.host as usize + 1).max().unwrap_or(0);
        let mut ages: Vec<u64> = known.iter().map(|page| lasted + now.since(page.last).as_secs().max(1)).collect();
        ages.sort_unstable();
        let usual = (ages.get(ages.len() / 2).copied().unwrap_or(1) as f64).ln();
        let discovered = (0..).zip(&known).filter_map(|(page, known)| Some((known.via?, page)));
        let mut children: Vec<(PageNumber, PageNumber)> = discovered.collect();
        children.sort_unstable();
        let state = |known: &KnownPage| if known.found.is_some() { State::Visited } else { State::Open };
        let pages = known.into_iter().map(|known| Page { state: state(&known), signs: known.signs.clone(), known });
        let mut plan = Self {
            pages: pages.collect(),
            kinds: BTreeMap::new(),
            usual_noise: None,
            table,
            regression: Regression::default(),
            limits,
            lasted,
            rng: seed.rng(),
            children,
            usual,
            queues: vec![Vec::new(); hosts],
            probes: Vec::new(),
            ahead: ChangeForecast::default(),
            rank_at: 0,
            rankings: 0,
            probed: 0,
            out: 0,
            stop: None,
            base: base.unwrap_or(0),
            waited: waited.unwrap_or(0),
        };
        plan.count();
        plan.relearn();
        plan
    }

    /// How many pages there are.
    pub fn pages(&self) -> u64 {
        self.pages.len() as u64
    }

    /// What is expected of the rest.
    pub const fn ahead(&self) -> ChangeForecast {
        self.ahead
    }

    /// Visits that are under way.
    pub const fn under_way(&self) -> u64 {
        self.out
    }

    /// Sets how many visits may be made.
    pub const fn limit_visits(&mut self, visits: u64) {
        self.limits.visits = visits;
    }

    /// Why nothing more is planned; none while something is.
    pub const fn stopped(&self) -> Option<PlanStop> {
        self.stop
    }

    /// The next page to visit of a host; none where there is none now.
    pub fn next(&mut self, host: u32, now: Instant) -> Option<PageNumber> {
        if self.ahead.visited >= self.rank_at && self.stop.is_none() {
            self.rank(now);
        }
        let of_host = |page: &PageNumber| self.pages[*page as usize].known.host == host;
        let probe = self.probes.iter().position(of_host).map(|at| self.probes.swap_remove(at));
        if let Some(page) = probe {
            self.pages[page as usize].state = State::Probed;
            self.probed += 1;
            self.out += 1;
            return Some(page);
        }
        if self.stop.is_some() || self.spent() >= self.limits.visits {
            return None;
        }
        let queue = self.queues.get_mut(host as usize)?;
        let page = queue.pop()?;
        self.pages[page as usize].state = State::Out;
        self.out += 1;
        Some(page)
    }

    /// Takes a page out that waits already.
    ///
    /// True if it was open, or to be asked for a second time, and its visit is under way from now on.
    pub fn claim(&mut self, page: PageNumber) -> bool {
        let probe = self.probes.iter().position(|probe| *probe == page);
        let state = &mut self.pages[page as usize].state;
        if let Some(probe) = probe {
            *state = State::Probed;
            self.probes.swap_remove(probe);
            self.probed += 1;
        } else if *state == State::Open {
            *state = State::Out;
        } else {
            return false;
        }
        self.out += 1;
        true
    }

    /// Whether a page is asked for only to see how much it differs twice in a row.
    pub fn is_probe(&self, page: PageNumber) -> bool {
        self.pages[page as usize].state == State::Probed
    }

    /// How often all pages were judged.
    pub const fn rankings(&self) -> u64 {
        self.rankings
    }

    /// Takes in what a visit found.
    pub fn found(&mut self, found: &VisitFinding<'_>) {
        let at = found.page as usize;
        let was = self.pages[at].state;
        if !matches!(was, State::Out | State::Probed) {
            return;
        }
        self.out -= 1;
        self.pages[at].state = State::Visited;
        if was == State::Probed {
            return self.probed(at, found.difference.unwrap_or(Difference::None));
        }
        let Some(difference) = found.difference else {
            self.ahead.visited += 1;
            return;
        };
        self.pages[at].known.found = Some((difference, found.waited));
        self.see(at, difference);
        self.observe(at);
        let changed = self.is_change(at, difference);
        self.signal_children(found, changed);
        self.signal_parent(at, changed);
        self.signal_places(found);
        if !found.gone {
            self.suspect(at);
        }
    }

    /// Takes in what a visit of this round found that was made in an earlier run. They are to be told in their order, before anything else;
    /// the second one to a page asked for it only to see how much it differs twice in a row.
    pub fn recall(&mut self, found: &VisitFinding<'_>) {
        let page = found.page;
        let state = &mut self.pages[page as usize].state;
        match *state {
            State::Open => *state = State::Out,
            State::Visited => {
                *state = State::Probed;
                self.probes.retain(|probe| *probe != page);
                self.probed += 1;
            }
            State::Out | State::Probed => return,
        }
        self.out += 1;
        self.found(found);
    }

    /// Learns from all that was recalled.
    pub fn recalled(&mut self) {
        self.relearn();
    }

    /// Takes in what a page links to that was found in this round: it is new, and so perhaps are they.
    pub fn found_new(&mut self, links: &[PlannedLink]) {
        for link in links {
            let page = &self.pages[link.page as usize];
            if page.state == State::Open {
                let sign = Trait::FromNew(page.known.kind, link.apath);
                self.signal(link.page, sign);
            }
        }
    }

    /// How much a page differs when nothing has changed; none where that is not known.
    pub fn noise_of_page(&self, page: PageNumber) -> Option<Difference> {
        self.noise_of(self.kind_of(page))
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
