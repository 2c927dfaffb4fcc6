//! Learns from visits, and estimates how much of their findings is noise.

use super::{DatedVisit, FIT_MAX, HISTORY_MAX, KnownPage, NOISY_KINDS, PROBE_SHARE, PROBE_VISITS, PageNumber, Plan};
use crate::revisit::lastmod::LastmodSign;
use crate::revisit::rate::Regression;
use harvestman_core::model::{Difference, History};

impl Plan {
    /// Returns the informative part of a page's history: if numbers are noise, visits that found only other numbers
    /// count as unchanged.
    pub(super) fn own_history(&self, known: &KnownPage) -> History {
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

    /// Returns whether that counts as a change of the page.
    pub(super) fn is_change(&self, at: usize, difference: Difference) -> bool {
        let noise = self.noise_of(self.pages[at].known.kind);
        difference >= Difference::Numbers && noise.is_none_or(|noise| difference > noise)
    }

    /// Returns how much pages of a type differ although nothing has changed; `None` if that is unknown.
    pub(super) fn noise_of(&self, kind: u64) -> Option<Difference> {
        self.kinds.get(&kind).and_then(|kind| kind.noise).or(self.usual_noise)
    }

    /// Returns the noise to assume for untested page types: a clock is on all pages of a site or on none.
    pub(super) fn usual_noise(&self) -> Option<Difference> {
        let tried = || self.kinds.values().filter_map(|kind| kind.noise);
        let noisy = tried().filter(|noise| *noise >= Difference::Numbers);
        (tried().count() >= NOISY_KINDS && tried().all(|noise| noise >= Difference::Numbers)).then(|| noisy.min())?
    }

    /// Counts the visits of this round.
    pub(super) fn count(&mut self) {
        for at in 0..self.pages.len() {
            self.kinds.entry(self.pages[at].known.kind).or_default().pages += 1;
        }
        for at in 0..self.pages.len() {
            if let Some((difference, _)) = self.pages[at].known.found {
                self.see(at, difference);
            }
        }
    }

    pub(super) fn see(&mut self, at: usize, difference: Difference) {
        self.ahead.visited += 1;
        self.ahead.changed += u64::from(self.is_change(at, difference));
        let kind = self.kinds.entry(self.pages[at].known.kind).or_default();
        kind.visits += 1;
        kind.changed += u32::from(difference >= Difference::Numbers);
        let signed = &mut kind.by_lastmod[lastmod_index(self.pages[at].known.lastmod)];
        *signed = (signed.0 + 1, signed.1 + u32::from(difference >= Difference::Numbers));
    }

    /// Learns from all visits from scratch.
    pub(super) fn relearn(&mut self) {
        self.regression = Regression::default();
        let base = self.base_rate();
        self.table.enter(&mut self.regression, base);
        self.ahead.changed = 0;
        self.relearn_lastmods();
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
    pub(super) fn observe(&mut self, at: usize) {
        let Some((difference, waited)) = self.pages[at].known.found else { return };
        let changed = self.is_change(at, difference);
        let waited = (self.lasted + waited.max(1)) as f64;
        let base = self.base_rate();
        self.table.enter(&mut self.regression, base);
        let traits = self.traits_at(at, waited, true);
        // The weights explain what the lastmod does not: pages are visited because of it.
        let exposure = waited.ln() + self.regression.log_rate(&traits);
        let shift = self.lastmod_shift(at, self.pages[at].known.lastmod, exposure);
        self.regression.observe(&traits, waited.ln() + shift, changed, 1.0);
    }

    /// Learns from the visits of earlier rounds.
    fn observe_history(&mut self, at: usize) {
        let mut history = self.own_history(&self.pages[at].known);
        if let Some(visit) = self.pages[at].known.earlier.filter(|_| history != History::default()) {
            history.forget(self.is_change(at, visit.difference), visit.waited);
            self.observe_dated(at, visit);
        }
        let History { changed, unchanged, changed_seconds, unchanged_seconds } = history;
        for (visits, seconds, found) in [(changed, changed_seconds, true), (unchanged, unchanged_seconds, false)] {
            if visits == 0 {
                continue;
            }
            let waited = (seconds as f64 / f64::from(visits)).max(1.0) + self.lasted as f64;
            let traits = self.traits_at(at, waited, false);
            self.regression.observe(&traits, waited.ln(), found, f64::from(visits.min(HISTORY_MAX)));
        }
    }

    /// Learns from an earlier visit to a page whose lastmod was known.
    fn observe_dated(&mut self, at: usize, visit: DatedVisit) {
        let waited = (self.lasted + visit.waited.max(1)) as f64;
        let traits = self.traits_at(at, waited, false);
        let exposure = waited.ln() + self.regression.log_rate(&traits);
        let shift = self.lastmod_shift(at, Some(visit.sign), exposure);
        self.regression.observe(&traits, waited.ln() + shift, self.is_change(at, visit.difference), 1.0);
    }

    /// Requests a page twice in a row if its type seems to change on every visit.
    pub(super) fn suspect(&mut self, at: usize) {
        let difference = self.pages[at].known.found.map_or(Difference::None, |(difference, _)| difference);
        // The first pages that differ only in numbers show early whether the site has a clock: until then all pages
        // seem to change.
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

    pub(super) fn probed(&mut self, at: usize, difference: Difference) {
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

/// Returns the index of a sign in [`Kind::by_lastmod`](super::Kind).
pub(super) const fn lastmod_index(sign: Option<LastmodSign>) -> usize {
    match sign {
        None => 0,
        Some(LastmodSign::Later) => 1,
        Some(LastmodSign::Earlier) => 2,
    }
}
