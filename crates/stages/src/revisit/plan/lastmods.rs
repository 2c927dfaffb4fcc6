//! The lastmods of pages as signs of change.

use super::{Page, PageNumber, Plan, PlanStop, State};
use crate::revisit::lastmod::{HostLastmods, LastmodSign, log_rate_shift};
use crate::revisit::rate::chance_of_change;

impl Plan {
    /// Takes what a sitemap that was read at `read` states about a page, in seconds since 1970. Has no effect on a page
    /// whose visit has begun.
    pub fn see_lastmod(&mut self, page: PageNumber, modified: u64, read: u64) {
        let Page { known, state, .. } = &mut self.pages[page as usize];
        let Some(sign) = LastmodSign::of(modified, known.last.as_micros() / 1_000_000, read) else { return };
        if *state != State::Open || known.lastmod == Some(sign) {
            return;
        }
        let host = &mut self.lastmods[known.host as usize];
        if let Some(before) = known.lastmod.replace(sign) {
            *host.count(before) -= 1;
        }
        *host.count(sign) += 1;
        // The order of all pages of the host may have changed, and what is expected.
        self.rank_at = 0;
        if matches!(self.stop, Some(PlanStop::Recall | PlanStop::Chance)) {
            self.stop = None;
        }
    }

    /// Counts the signs of all pages, when the plan is made.
    pub(super) fn count_lastmods(&mut self) {
        for Page { known, .. } in &self.pages {
            if let Some(sign) = known.lastmod {
                *self.lastmods[known.host as usize].count(sign) += 1;
            }
        }
    }

    /// Returns by how much the lastmod of a page multiplies the odds that it has changed.
    pub(super) fn lastmod_ratio(&self, at: usize) -> f64 {
        let known = &self.pages[at].known;
        known.lastmod.map_or(1.0, |sign| self.lastmods[known.host as usize].ratio(sign))
    }

    /// Returns the logarithm of the factor by which a sign changes the rate of a page whose traits let expect e to the
    /// power of `log_exposure` changes.
    pub(super) fn lastmod_shift(&self, at: usize, sign: Option<LastmodSign>, log_exposure: f64) -> f64 {
        let Some(sign) = sign else { return 0.0 };
        let ratio = self.lastmods[self.pages[at].known.host as usize].ratio(sign);
        log_rate_shift(chance_of_change(log_exposure.clamp(-40.0, 10.0).exp(), 1.0), ratio)
    }

    /// Learns from a visit what the lastmods of its host are worth.
    pub(super) fn note_lastmod(&mut self, at: usize, sign: Option<LastmodSign>, changed: bool) {
        let host = self.pages[at].known.host as usize;
        if let Some(sign) = sign {
            self.lastmods[host].note(sign, changed);
        }
    }

    /// Learns what the lastmods are worth from all visits from scratch.
    pub(super) fn relearn_lastmods(&mut self) {
        self.lastmods.iter_mut().for_each(HostLastmods::forget);
        for at in 0..self.pages.len() {
            let known = &self.pages[at].known;
            let (found, earlier, sign) = (known.found, known.earlier, known.lastmod);
            if let Some(visit) = earlier {
                self.note_lastmod(at, Some(visit.sign), self.is_change(at, visit.difference));
            }
            if let Some((difference, _)) = found {
                self.note_lastmod(at, sign, self.is_change(at, difference));
            }
        }
    }
}
