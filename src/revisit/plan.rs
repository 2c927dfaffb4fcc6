//! Whom to visit next, in a recrawl that learns while it goes on.
//!
//! Each page that is still to be visited has a chance to have changed: by what the visits of this round and of those before found of
//! pages like it ([`Regression`]) and by its own [history](crate::page::History), which leans on that ([`shrunk_rate`]). At first some
//! pages of each pattern are visited; then the likeliest ones, with weights drawn from what is held of them (Thompson 1933) until a good
//! part of the budget is spent. Chances are judged anew after each sixteenth more visits.
//!
//! A kind of page in which nearly each visit finds a change may show a clock or a counter: one of its pages is asked for twice in a row.
//! What differs even then is no change.

use std::collections::BTreeMap;

use rand::RngCore;

use super::rate::{Gamma, chance_of_change, shrunk_rate};
use super::regression::Regression;
use super::rows::RowSign;
use super::traits::{PageTraits, Trait, TraitTable, rank_in_list};
use crate::clock::Instant;
use crate::page::{Difference, History};
use crate::seed::{Rng, Seed};

/// Names a page within a plan.
pub type PageNumber = u32;

/// What is known of a page when a plan is made.
#[derive(Debug, Clone)]
pub struct Known {
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
pub struct Limits {
    /// Visits at most.
    pub visits: u64,
    /// The share of the changed pages that is to be found.
    pub recall: f64,
    /// The chance of a change that is worth a request.
    pub chance: f64,
}

/// Why no more visits are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
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
pub struct Linked {
    /// The place of the link.
    pub apath: u64,
    /// Where it leads.
    pub page: PageNumber,
    /// How what stands around it differs from what it was.
    pub row: RowSign,
}

/// What a visit found.
#[derive(Debug, Clone)]
pub struct Found<'a> {
    /// The page.
    pub page: PageNumber,
    /// How it differed; none where it could not be had.
    pub difference: Option<Difference>,
    /// Seconds since the visit before.
    pub waited: u64,
    /// Whether it is gone: that is no noise.
    pub gone: bool,
    /// The pages of the plan that it links to, in page order.
    pub links: &'a [Linked],
}

/// What is expected of the pages that were not visited.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ahead {
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
    known: Known,
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
    limits: Limits,
    lasted: u64,
    rng: Rng,
    /// Pages by where they were discovered.
    children: Vec<(PageNumber, PageNumber)>,
    /// ln of the time since the last visit that is in the middle of all, when the plan was made.
    usual: f64,
    /// Per host, the pages to visit, the best last.
    queues: Vec<Vec<PageNumber>>,
    probes: Vec<PageNumber>,
    ahead: Ahead,
    /// Visits at which all is judged anew.
    judged_at: u64,
    judgements: u64,
    /// Pages that were asked for twice.
    probed: u64,
    out: u64,
    stop: Option<Stop>,
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
        known: Vec<Known>,
        mut table: TraitTable,
        (limits, lasted): (Limits, u64),
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
        let state = |known: &Known| if known.found.is_some() { State::Visited } else { State::Open };
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
            ahead: Ahead::default(),
            judged_at: 0,
            judgements: 0,
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
    pub const fn ahead(&self) -> Ahead {
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
    pub const fn stopped(&self) -> Option<Stop> {
        self.stop
    }

    /// The next page to visit of a host; none where there is none now.
    pub fn next(&mut self, host: u32, now: Instant) -> Option<PageNumber> {
        if self.ahead.visited >= self.judged_at && self.stop.is_none() {
            self.judge(now);
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
    /// True if it was open, and its visit is under way from now on.
    pub fn leave_out(&mut self, page: PageNumber) -> bool {
        let open = self.pages[page as usize].state == State::Open;
        if open {
            self.pages[page as usize].state = State::Out;
            self.out += 1;
        }
        open
    }

    /// Whether a page is asked for only to see how much it differs twice in a row.
    pub fn is_probe(&self, page: PageNumber) -> bool {
        self.pages[page as usize].state == State::Probed
    }

    /// How often all pages were judged.
    pub const fn judgements(&self) -> u64 {
        self.judgements
    }

    /// Takes in what a visit found.
    pub fn found(&mut self, found: &Found<'_>) {
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
        self.sign_hub(found, changed);
        self.sign_parent(at, changed);
        self.sign_places(found);
        if !found.gone {
            self.suspect(at);
        }
    }

    /// Takes in what a page links to that was found in this round: it is new, and so perhaps are they.
    pub fn found_new(&mut self, links: &[Linked]) {
        for link in links {
            let page = &self.pages[link.page as usize];
            if page.state == State::Open {
                let sign = Trait::FromNew(page.known.kind, link.apath);
                self.sign(link.page, sign);
            }
        }
    }

    /// Judges all pages anew, and whether it is enough.
    fn judge(&mut self, now: Instant) {
        self.judgements += 1;
        self.judged_at = self.ahead.visited + (self.ahead.visited / 16).max(4);
        let base = self.base_rate();
        self.table.enter(&mut self.regression, base);
        self.regression.fit(FIT_AGAIN);
        let most = self.limits.visits.clamp(1, self.pages.len().max(1) as u64);
        let spent = self.spent() as f64 / most as f64;
        let draws = (spent < DRAWN).then(|| self.draws());
        let mut ranked: Vec<(f64, PageNumber)> = Vec::new();
        let (mut expected, mut best) = (0.0, 0.0_f64);
        for at in 0..self.pages.len() {
            if self.pages[at].state != State::Open {
                continue;
            }
            let chance = self.chance(at, now, None);
            expected += chance;
            best = best.max(chance);
            let score = draws.as_ref().map_or(chance, |draws| self.chance(at, now, Some(draws)));
            ranked.push((score, at as PageNumber));
        }
        self.ahead.expected = expected;
        let sampled = spent < SAMPLED && self.put_samples_first(&mut ranked);
        self.stop = self.enough(&ranked, best, sampled);
        self.fill(ranked);
    }

    fn enough(&self, ranked: &[(f64, PageNumber)], best: f64, sampling: bool) -> Option<Stop> {
        let found = self.ahead.changed as f64;
        let expected = self.ahead.expected.max(self.cautiously_expected(ranked));
        // Where changes were found, there are more of them than those that look likely.
        let chance = if self.ahead.changed == 0 { self.limits.chance } else { self.limits.chance / 10.0 };
        match () {
            () if ranked.is_empty() => Some(Stop::Done),
            () if self.ahead.visited + self.probed >= self.limits.visits => Some(Stop::Visits),
            () if sampling => None,
            () if best < chance => Some(Stop::Chance),
            () if found > 0.0 && found >= self.limits.recall * (found + expected) => Some(Stop::Recall),
            () => None,
        }
    }

    /// Changed pages among the rest if each kind went on at a quarter of the share that it had so far, half a change added to it: the
    /// likeliest were visited first, but what is learnt of few changes is soon too sure of itself.
    fn cautiously_expected(&self, ranked: &[(f64, PageNumber)]) -> f64 {
        let mut open: BTreeMap<u64, u32> = BTreeMap::new();
        ranked.iter().for_each(|(_, page)| *open.entry(self.kind_of(*page)).or_default() += 1);
        let of_kind = |(kind, pages): (u64, u32)| {
            let kind = self.kinds.get(&kind).copied().unwrap_or_default();
            let changed = if kind.noise.or(self.usual_noise).is_some_and(|noise| noise >= Difference::Numbers) {
                0
            } else {
                kind.changed
            };
            f64::from(pages) * 0.25 * (f64::from(changed) + 0.5) / (f64::from(kind.visits) + 1.0)
        };
        open.into_iter().map(of_kind).sum()
    }

    /// Lets pages of kinds that were hardly visited yet come first. True if there are such.
    fn put_samples_first(&mut self, ranked: &mut [(f64, PageNumber)]) -> bool {
        let wanted = |kind: &Kind| {
            let root = f64::from(kind.pages).sqrt().ceil() as u32;
            root.min(SAMPLE_MAX).saturating_sub(kind.visits)
        };
        let mut wanted: BTreeMap<u64, (u32, u32)> =
            self.kinds.iter().map(|(kind, known)| (*kind, (wanted(known), known.pages))).collect();
        // Which ones is a matter of chance.
        for at in (1..ranked.len()).rev() {
            ranked.swap(at, (self.rng.next_u64() % (at as u64 + 1)) as usize);
        }
        let mut any = false;
        for (score, page) in ranked.iter_mut() {
            let Some((left, pages)) = wanted.get_mut(&self.pages[*page as usize].known.kind) else { continue };
            if *left > 0 {
                *left -= 1;
                // Above every chance; of large kinds first.
                *score = 1.0 + f64::from(*pages);
                any = true;
            }
        }
        any
    }

    /// Puts the best, as many as may be visited, into the queues of their hosts.
    fn fill(&mut self, mut ranked: Vec<(f64, PageNumber)>) {
        ranked.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let left = self.limits.visits.saturating_sub(self.spent());
        ranked.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        self.queues.iter_mut().for_each(Vec::clear);
        for (_, page) in ranked.into_iter().rev() {
            let host = self.pages[page as usize].known.host as usize;
            self.queues[host].push(page);
        }
    }

    /// The chance that a page has changed since its last visit; with weights that were drawn, where there are such.
    fn chance(&self, at: usize, now: Instant, draws: Option<&[f64]>) -> f64 {
        let Page { known, signs, .. } = &self.pages[at];
        let waited = (self.lasted + now.since(known.last).as_secs().max(1)) as f64;
        let weight =
            |number: u32| draws.map_or_else(|| self.regression.weight(number as usize), |draws| draws[number as usize]);
        let own: f64 = known.traits.iter().chain(signs).map(|number| weight(*number)).sum();
        let log_rate = own + weight(self.base) + weight(self.waited) * self.waited_more(waited);
        let mean = log_rate.clamp(-40.0, 10.0).exp();
        let history = self.own_history(known);
        let rate =
            if history == History::default() { mean } else { shrunk_rate(Gamma { mean, shape: SHAPE }, &history) };
        chance_of_change(rate, waited)
    }

    /// A page's history as far as it says something: where numbers are noise, what found them alone found nothing.
    fn own_history(&self, known: &Known) -> History {
        let History { changed, unchanged, changed_seconds, unchanged_seconds } = known.history;
        let numbers = known.numbers.min(changed);
        match self.noise_of(known.kind) {
            Some(Difference::Content) => History::default(),
            Some(Difference::Numbers) if numbers > 0 => {
                let moved = changed_seconds / u64::from(changed) * u64::from(numbers);
                History {
                    changed: changed - numbers,
                    unchanged: unchanged + numbers,
                    changed_seconds: changed_seconds - moved,
                    unchanged_seconds: unchanged_seconds + moved,
                }
            }
            _ => known.history,
        }
    }

    /// Visits made and under way. A probe under way is among both kinds, which does no harm.
    const fn spent(&self) -> u64 {
        self.ahead.visited + self.probed + self.out
    }

    /// How much longer than usual, as a logarithm.
    fn waited_more(&self, seconds: f64) -> f64 {
        (seconds.ln() - self.usual).clamp(-3.0, 3.0)
    }

    fn base_rate(&self) -> f64 {
        CHANCE_AT_FIRST.ln() - self.usual
    }

    fn draws(&mut self) -> Vec<f64> {
        let explores = |number: usize| self.table.get(number as u32).is_some_and(Trait::explores);
        let rng = &mut self.rng;
        let regression = &self.regression;
        (0..regression.traits())
            .map(|at| if explores(at) { regression.draw(at, rng) } else { regression.weight(at) })
            .collect()
    }

    /// Whether that counts as a change of the page.
    fn is_change(&self, at: usize, difference: Difference) -> bool {
        let noise = self.noise_of(self.pages[at].known.kind);
        difference >= Difference::Numbers && noise.is_none_or(|noise| difference > noise)
    }

    /// How much a page differs when nothing has changed; none where that is not known.
    pub fn noise_of_page(&self, page: PageNumber) -> Option<Difference> {
        self.noise_of(self.kind_of(page))
    }

    /// How much pages of a kind differ when nothing has changed; none where that is not known.
    fn noise_of(&self, kind: u64) -> Option<Difference> {
        self.kinds.get(&kind).and_then(|kind| kind.noise).or(self.usual_noise)
    }

    /// What is held of kinds that were not tried: a clock stands on all pages of a site or on none.
    fn usual_noise(&self) -> Option<Difference> {
        let tried = || self.kinds.values().filter_map(|kind| kind.noise);
        let noisy = tried().filter(|noise| *noise >= Difference::Numbers);
        (tried().count() >= NOISY_KINDS && tried().all(|noise| noise >= Difference::Numbers)).then(|| noisy.min())?
    }

    /// Counts the visits of this round.
    fn count(&mut self) {
        for at in 0..self.pages.len() {
            self.kinds.entry(self.pages[at].known.kind).or_default().pages += 1;
        }
        for at in 0..self.pages.len() {
            if let Some((difference, _)) = self.pages[at].known.found {
                self.see(at, difference);
            }
        }
    }

    fn see(&mut self, at: usize, difference: Difference) {
        self.ahead.visited += 1;
        self.ahead.changed += u64::from(self.is_change(at, difference));
        let kind = self.kinds.entry(self.pages[at].known.kind).or_default();
        kind.visits += 1;
        kind.changed += u32::from(difference >= Difference::Numbers);
    }

    /// Learns from all visits anew.
    fn relearn(&mut self) {
        self.regression = Regression::default();
        let base = self.base_rate();
        self.table.enter(&mut self.regression, base);
        self.ahead.changed = 0;
        for at in 0..self.pages.len() {
            self.observe_history(at);
            self.observe(at);
            let found = self.pages[at].known.found;
            self.ahead.changed += u64::from(found.is_some_and(|(difference, _)| self.is_change(at, difference)));
        }
        self.regression.fit(FIT_MAX);
    }

    fn traits_at(&self, at: usize, waited: f64, signs: bool) -> Vec<(usize, f64)> {
        let page = &self.pages[at];
        let signs = page.signs.iter().filter(|_| signs);
        let own = page.known.traits.iter().chain(signs).map(|number| (*number as usize, 1.0));
        let all = [(self.base as usize, 1.0), (self.waited as usize, self.waited_more(waited))];
        all.into_iter().chain(own).collect()
    }

    /// Learns from the visit of this round.
    fn observe(&mut self, at: usize) {
        let Some((difference, waited)) = self.pages[at].known.found else { return };
        let changed = self.is_change(at, difference);
        let waited = (self.lasted + waited.max(1)) as f64;
        let base = self.base_rate();
        self.table.enter(&mut self.regression, base);
        let traits = self.traits_at(at, waited, true);
        self.regression.observe(&traits, waited.ln(), changed, 1.0);
    }

    /// Learns from the visits of earlier rounds.
    fn observe_history(&mut self, at: usize) {
        let History { changed, unchanged, changed_seconds, unchanged_seconds } =
            self.own_history(&self.pages[at].known);
        for (visits, seconds, found) in [(changed, changed_seconds, true), (unchanged, unchanged_seconds, false)] {
            if visits == 0 {
                continue;
            }
            let waited = (seconds as f64 / f64::from(visits)).max(1.0) + self.lasted as f64;
            let traits = self.traits_at(at, waited, false);
            self.regression.observe(&traits, waited.ln(), found, f64::from(visits.min(HISTORY_MAX)));
        }
    }

    /// Notes for the pages that were discovered on a page what its visit found.
    fn sign_hub(&mut self, found: &Found<'_>, changed: bool) {
        let start = self.children.partition_point(|(via, _)| *via < found.page);
        let end = self.children.partition_point(|(via, _)| *via <= found.page);
        let mut linked: Vec<PageNumber> = found.links.iter().map(|link| link.page).collect();
        linked.sort_unstable();
        for at in start..end {
            let (_, child) = self.children[at];
            let page = &self.pages[child as usize];
            if page.state != State::Open {
                continue;
            }
            let kind = page.known.kind;
            let left = !linked.is_empty() && linked.binary_search(&child).is_err();
            self.sign(child, if left { Trait::Left(kind) } else { Trait::Hub(kind, changed) });
        }
    }

    /// Notes for the page that this one was discovered on what its visit found: another view of a page changes with it.
    fn sign_parent(&mut self, at: usize, changed: bool) {
        let Known { via: Some(via), kind, .. } = self.pages[at].known else { return };
        if self.pages[via as usize].state == State::Open {
            let sign = Trait::Child(self.kind_of(via), kind, changed);
            self.sign(via, sign);
        }
    }

    /// Notes where a page links to others.
    fn sign_places(&mut self, found: &Found<'_>) {
        let hub = self.pages[found.page as usize].known.kind;
        let mut lists: BTreeMap<u64, Vec<PageNumber>> = BTreeMap::new();
        for Linked { apath, page, row } in found.links.iter().copied() {
            if row != RowSign::Unknown && self.pages[page as usize].state == State::Open {
                let kind = self.kind_of(page);
                self.sign(page, Trait::Row(kind, apath, row));
                self.sign(page, Trait::AnyRow(row));
            }
            let list = lists.entry(apath).or_default();
            if !list.contains(&page) {
                list.push(page);
            }
        }
        for (apath, list) in lists.into_iter().filter(|(_, list)| list.len() >= LIST_MIN) {
            for (at, target) in list.into_iter().enumerate() {
                let page = &self.pages[target as usize];
                if page.state != State::Open {
                    continue;
                }
                let moved = page.known.via.is_some_and(|via| via != found.page && self.kind_of(via) == hub);
                self.sign(target, Trait::Place { hub, apath, rank: rank_in_list(at) });
                if moved {
                    self.sign(target, Trait::Moved(hub, apath));
                }
            }
        }
    }

    fn kind_of(&self, page: PageNumber) -> u64 {
        self.pages[page as usize].known.kind
    }

    fn sign(&mut self, page: PageNumber, sign: Trait) {
        let Some(number) = self.table.number(sign) else { return };
        let signs = &mut self.pages[page as usize].signs;
        if signs.len() < SIGNS_MAX && !signs.contains(&number) {
            signs.push(number);
        }
    }

    /// Has a page asked for twice in a row where its kind seems to change always.
    fn suspect(&mut self, at: usize) {
        let difference = self.pages[at].known.found.map_or(Difference::None, |(difference, _)| difference);
        // The first pages that differ in nothing but numbers tell early whether the site has a clock: until then all seem to change.
        let tried = self.kinds.values().filter(|kind| kind.probing || kind.noise.is_some()).count();
        let at_once = tried < NOISY_KINDS && difference == Difference::Numbers;
        let Some(kind) = self.kinds.get_mut(&self.pages[at].known.kind) else { return };
        let often = f64::from(kind.changed) >= PROBE_SHARE * f64::from(kind.visits);
        let asked = kind.probing || kind.noise.is_some();
        if (at_once || kind.visits >= PROBE_VISITS) && often && !asked && difference >= Difference::Numbers {
            kind.probing = true;
            self.probes.push(at as PageNumber);
        }
    }

    fn probed(&mut self, at: usize, difference: Difference) {
        if let Some(kind) = self.kinds.get_mut(&self.pages[at].known.kind) {
            kind.probing = false;
            kind.noise = Some(difference);
        }
        let usual = self.usual_noise();
        let was = std::mem::replace(&mut self.usual_noise, usual);
        if difference >= Difference::Numbers || was != usual {
            self.relearn();
        }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
