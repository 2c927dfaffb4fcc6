//! The plan of a recrawl, which learns while it runs: which page to visit next.
//!
//! Each unvisited page has a probability to have changed. It is derived from what the visits of this and of earlier
//! rounds found on similar pages ([`Regression`]), and from the page's own [history](harvestman_core::model::History),
//! shrunk towards the former ([`shrunk_rate`](super::rate::shrunk_rate)). At first some pages of each page type are
//! visited; then the likeliest ones, with weights drawn from their posterior (Thompson 1933) until a good part of the
//! budget is spent. The probabilities are recomputed whenever the number of visits has grown by a sixteenth.
//!
//! A page type (a coarse URL pattern) in which nearly each visit finds a change may contain a clock or a counter: one
//! of its pages is then requested twice in a row. A difference between these two responses is noise, not a change.

mod plan_learning;
mod rank;
mod signs;

use std::collections::BTreeMap;

use super::lastmod::{HostLastmods, LastmodSign};
use super::rate::Regression;
use super::rows::RowChange;
use super::traits::{PageTraits, Trait, TraitTable};
use harvestman_core::clock::Instant;
use harvestman_core::model::{Difference, History};
use harvestman_core::seed::{Rng, Seed};

/// Identifies a page within a plan.
pub type PageNumber = u32;

/// What is known of a page when a plan is made.
#[derive(Debug, Clone)]
pub struct KnownPage {
    /// Its host, numbered from 0.
    pub host: u32,
    /// Its page type, by which noise is estimated: its coarse pattern.
    pub kind: u64,
    /// The page where it was discovered; `None` if that is not in the plan.
    pub via: Option<PageNumber>,
    /// Its traits that do not change during the round, without those that every page has.
    pub traits: PageTraits,
    /// Traits that result from earlier visits; they say nothing about those visits.
    pub signs: PageTraits,
    /// When it was last visited.
    pub last: Instant,
    /// What its visits found before this round.
    pub history: History,
    /// How many of the visits that found a change found only other numbers.
    pub numbers: u32,
    /// What the visit in this round found, and after how many seconds; `None` if there was none yet.
    pub found: Option<(Difference, u64)>,
    /// What its lastmod says of the time since its last visit, or before this round's if there was one; `None` if no
    /// sitemap states one.
    pub lastmod: Option<LastmodSign>,
    /// Its last visit before this round, if a lastmod was known then.
    pub earlier: Option<DatedVisit>,
}

/// An earlier visit to a page whose lastmod was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatedVisit {
    /// What the lastmod said.
    pub sign: LastmodSign,
    /// How the page differed.
    pub difference: Difference,
    /// Seconds since the visit before it.
    pub waited: u64,
}

/// The limits at which a plan stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanLimits {
    /// The maximum number of visits.
    pub visits: u64,
    /// The share of the changed pages to find.
    pub recall: f64,
    /// The probability of a change that is worth a request.
    pub chance: f64,
}

/// Why no more visits are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStop {
    /// Every page was visited.
    Done,
    /// The maximum number of visits was made.
    Visits,
    /// The desired share of the changes is expected to be found already.
    Recall,
    /// No page is likely enough to have changed.
    Chance,
}

/// A link from a page to another page of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedLink {
    /// The place of the link.
    pub apath: u64,
    /// Its target.
    pub page: PageNumber,
    /// How the content around it differs from the previous visit.
    pub row: RowChange,
}

/// The result of a visit.
#[derive(Debug, Clone)]
pub struct VisitFinding<'a> {
    /// The page.
    pub page: PageNumber,
    /// How it differed; `None` if it could not be fetched.
    pub difference: Option<Difference>,
    /// Seconds since the previous visit.
    pub waited: u64,
    /// Whether it is gone, which is never noise.
    pub gone: bool,
    /// The pages of the plan that it links to, in page order.
    pub links: &'a [PlannedLink],
}

/// Expected changes among the pages that were not visited.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ChangeForecast {
    /// Pages visited in this round.
    pub visited: u64,
    /// Pages among them that had changed.
    pub changed: u64,
    /// Changed pages expected among the unvisited ones.
    pub expected: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Out,
    /// Requested for the second time in a row.
    Probed,
    Visited,
}

/// The state of the noise estimate of a page type.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    pages: u32,
    visits: u32,
    changed: u32,
    /// Visits and changes of the pages without a lastmod, with a later and with an earlier one.
    by_lastmod: [(u32, u32); 3],
    /// How much its pages differ between two requests in a row; `None` if this was not tested.
    noise: Option<Difference>,
    probing: bool,
}

struct Page {
    known: KnownPage,
    state: State,
    /// Traits that were found in this round.
    signs: PageTraits,
}

/// The number of visits to a page type, and the share of them that found a change, from which one of its pages is
/// requested twice.
const PROBE_VISITS: u32 = 3;
const PROBE_SHARE: f64 = 0.8;
/// If this many page types were found noisy, and no other, the remaining ones are assumed to be noisy.
const NOISY_KINDS: usize = 2;
/// The maximum number of signs per page.
const SIGNS_MAX: usize = 12;
/// The minimum number of links at a place that make it a list.
const LIST_MIN: usize = 3;
/// The number of pages of each type that are visited first, or the square root of their number if that is smaller.
const SAMPLE_MAX: u32 = 8;
/// The share of the budget that these samples may take, and the share during which weights are drawn.
const SAMPLED: f64 = 0.25;
const DRAWN: f64 = 0.5;
/// The maximum number of earlier visits that count for the weights.
const HISTORY_MAX: u32 = 3;
/// Steps on each weight when everything is learned from scratch, and when there are some new visits.
const FIT_MAX: usize = 60;
const FIT_AGAIN: usize = 4;
/// The number of changes that the prior counts for, against a page's own visits.
const SHAPE: f64 = 1.0;
/// The prior probability of a change, before any observation.
const CHANCE_AT_FIRST: f64 = 0.1;

/// The plan of a recrawl.
pub struct Plan {
    pages: Vec<Page>,
    kinds: BTreeMap<u64, Kind>,
    lastmods: Vec<HostLastmods>,
    usual_noise: Option<Difference>,
    table: TraitTable,
    regression: Regression,
    limits: PlanLimits,
    lasted: u64,
    rng: Rng,
    /// Pages by the page where they were discovered.
    children: Vec<(PageNumber, PageNumber)>,
    /// ln of the median time since the last visit, when the plan was made.
    usual: f64,
    /// Per host, the pages to visit, the best one last.
    queues: Vec<Vec<PageNumber>>,
    probes: Vec<PageNumber>,
    ahead: ChangeForecast,
    /// The number of visits at which all pages are ranked again.
    rank_at: u64,
    rankings: u64,
    /// Pages that were requested twice.
    probed: u64,
    out: u64,
    stop: Option<PlanStop>,
    base: u32,
    waited: u32,
}

impl Plan {
    /// Creates a plan over these pages; their traits are numbered in `table`.
    ///
    /// `lasted` is the duration of the longest earlier round, in seconds: all times between visits are increased by it.
    /// The time between two rounds matters more than whether a page was visited early or late in one; and if one round
    /// follows another immediately, pages visited late are not considered fresh for ever.
    pub fn new(
        known: Vec<KnownPage>,
        mut table: TraitTable,
        limits: PlanLimits,
        lasted: u64,
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
            lastmods: vec![HostLastmods::default(); hosts],
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
        plan.count_lastmods();
        plan.relearn();
        plan
    }

    /// Returns the number of pages.
    pub fn pages(&self) -> u64 {
        self.pages.len() as u64
    }

    /// Returns the forecast for the unvisited pages.
    pub const fn ahead(&self) -> ChangeForecast {
        self.ahead
    }

    /// Returns the number of visits in progress.
    pub const fn under_way(&self) -> u64 {
        self.out
    }

    /// Sets the maximum number of visits.
    pub const fn limit_visits(&mut self, visits: u64) {
        self.limits.visits = visits;
    }

    /// Returns why no more visits are planned; `None` while some are.
    pub const fn stopped(&self) -> Option<PlanStop> {
        self.stop
    }

    /// Returns the next page to visit on a host; `None` if there is none now.
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

    /// Claims a page whose request is queued already.
    ///
    /// Returns true if it was open, or waiting for its second request, and its visit is in progress from now on.
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

    /// Returns whether a page is requested only to measure how much it differs twice in a row.
    pub fn is_probe(&self, page: PageNumber) -> bool {
        self.pages[page as usize].state == State::Probed
    }

    /// Returns how often all pages were ranked.
    pub const fn rankings(&self) -> u64 {
        self.rankings
    }

    /// Processes the result of a visit.
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
        self.note_lastmod(at, self.pages[at].known.lastmod, changed);
        self.signal_children(found, changed);
        self.signal_parent(at, changed);
        self.signal_places(found);
        if !found.gone {
            self.suspect(at);
        }
    }

    /// Replays the result of a visit of this round that was made in an earlier run. Results must be replayed in their
    /// order, before anything else; the second visit to a page was made only to measure how much it differs twice in a
    /// row.
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

    /// Learns from all replayed visits.
    pub fn recalled(&mut self) {
        self.relearn();
    }

    /// Processes the links of a page that was discovered in this round: it is new, and so its targets may be.
    pub fn found_new(&mut self, links: &[PlannedLink]) {
        for link in links {
            let page = &self.pages[link.page as usize];
            if page.state == State::Open {
                let sign = Trait::FromNew(page.known.kind, link.apath);
                self.signal(link.page, sign);
            }
        }
    }

    /// Returns how much a page differs although nothing has changed; `None` if that is unknown.
    pub fn noise_of_page(&self, page: PageNumber) -> Option<Difference> {
        self.noise_of(self.kind_of(page))
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "plan_lastmod_tests.rs"]
mod lastmod_tests;
