//! Ranks all pages: which come next, and whether to stop.

use std::collections::BTreeMap;

use rand::RngCore;

use super::plan_learning::lastmod_index;
use super::{
    CHANCE_AT_FIRST, DRAWN, FIT_AGAIN, Kind, Page, PageNumber, Plan, PlanStop, SAMPLE_MAX, SAMPLED, SHAPE, State,
};
use crate::revisit::lastmod::chance_given;
use crate::revisit::rate::{Gamma, chance_of_change, shrunk_rate};
use crate::revisit::traits::Trait;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Difference, History};

impl Plan {
    /// Ranks all pages again, and decides whether to stop.
    pub(super) fn rank(&mut self, now: Instant) {
        self.rankings += 1;
        self.rank_at = self.ahead.visited + (self.ahead.visited / 16).max(4);
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

    pub(super) fn enough(&self, ranked: &[(f64, PageNumber)], best: f64, sampling: bool) -> Option<PlanStop> {
        let found = self.ahead.changed as f64;
        let expected = self.ahead.expected.max(self.cautiously_expected(ranked));
        // If changes were found, there are more than those that look likely.
        let chance = if self.ahead.changed == 0 { self.limits.chance } else { self.limits.chance / 10.0 };
        match () {
            () if ranked.is_empty() => Some(PlanStop::Done),
            () if self.ahead.visited + self.probed >= self.limits.visits => Some(PlanStop::Visits),
            () if sampling => None,
            () if best < chance => Some(PlanStop::Chance),
            () if found > 0.0 && found >= self.limits.recall * (found + expected) => Some(PlanStop::Recall),
            () => None,
        }
    }

    /// Returns the number of changed pages among the unvisited ones if each type continued at a quarter of its share so
    /// far, with half a change added: the likeliest pages were visited first, but what is learned from few changes is
    /// overconfident. The pages of a type are told apart by their lastmods, which decide what is visited; where an
    /// earlier lastmod makes a change unlikely, the half is as much smaller.
    pub(super) fn cautiously_expected(&self, ranked: &[(f64, PageNumber)]) -> f64 {
        let mut open: BTreeMap<(u64, usize), (u32, f64)> = BTreeMap::new();
        for (_, page) in ranked {
            let at = *page as usize;
            let known = &self.pages[at].known;
            let (pages, added) = open.entry((known.kind, lastmod_index(known.lastmod))).or_default();
            *pages += 1;
            *added += 0.5 * self.lastmod_ratio(at).min(1.0);
        }
        let of_kind = |((kind, index), (pages, added)): ((u64, usize), (u32, f64))| {
            let kind = self.kinds.get(&kind).copied().unwrap_or_default();
            let (visits, changed) = kind.by_lastmod[index];
            let is_noisy = kind.noise.or(self.usual_noise).is_some_and(|noise| noise >= Difference::Numbers);
            let changed = if is_noisy { 0 } else { changed };
            0.25 * (f64::from(pages) * f64::from(changed) + added) / (f64::from(visits) + 1.0)
        };
        open.into_iter().map(of_kind).sum()
    }

    /// Moves pages of hardly visited types to the front. Returns true if there are any.
    pub(super) fn put_samples_first(&mut self, ranked: &mut [(f64, PageNumber)]) -> bool {
        let wanted = |kind: &Kind| {
            let root = f64::from(kind.pages).sqrt().ceil() as u32;
            root.min(SAMPLE_MAX).saturating_sub(kind.visits)
        };
        let mut wanted: BTreeMap<u64, (u32, u32)> =
            self.kinds.iter().map(|(kind, known)| (*kind, (wanted(known), known.pages))).collect();
        // The choice within a type is random.
        for at in (1..ranked.len()).rev() {
            ranked.swap(at, (self.rng.next_u64() % (at as u64 + 1)) as usize);
        }
        let mut any = false;
        for (score, page) in ranked.iter_mut() {
            let Some((left, pages)) = wanted.get_mut(&self.pages[*page as usize].known.kind) else { continue };
            if *left > 0 {
                *left -= 1;
                // Above every probability; large types first.
                *score = 1.0 + f64::from(*pages);
                any = true;
            }
        }
        any
    }

    /// Fills the queues of the hosts with the best pages, as far as the limit of visits allows.
    pub(super) fn fill(&mut self, mut ranked: Vec<(f64, PageNumber)>) {
        ranked.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let left = self.limits.visits.saturating_sub(self.spent());
        ranked.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        self.queues.iter_mut().for_each(Vec::clear);
        for (_, page) in ranked.into_iter().rev() {
            let host = self.pages[page as usize].known.host as usize;
            self.queues[host].push(page);
        }
    }

    /// Returns the probability that a page has changed since its last visit, with drawn weights if `draws` is given.
    pub(super) fn chance(&self, at: usize, now: Instant, draws: Option<&[f64]>) -> f64 {
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
        chance_given(chance_of_change(rate, waited), self.lastmod_ratio(at))
    }

    /// Returns the number of visits made and in progress. A probe in progress counts twice, which does no harm.
    pub(super) const fn spent(&self) -> u64 {
        self.ahead.visited + self.probed + self.out
    }

    /// Returns how much longer than usual, as a logarithm.
    pub(super) fn waited_more(&self, seconds: f64) -> f64 {
        (seconds.ln() - self.usual).clamp(-3.0, 3.0)
    }

    pub(super) fn base_rate(&self) -> f64 {
        CHANCE_AT_FIRST.ln() - self.usual
    }

    pub(super) fn draws(&mut self) -> Vec<f64> {
        let explores = |number: usize| self.table.get(number as u32).is_some_and(Trait::explores);
        let rng = &mut self.rng;
        let regression = &self.regression;
        (0..regression.traits())
            .map(|at| if explores(at) { regression.draw(at, rng) } else { regression.weight(at) })
            .collect()
    }
}
