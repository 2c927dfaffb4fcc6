//! Signs of change: the lastmods of pages, and what the visit to one page says about others.

use std::collections::BTreeMap;

use super::{KnownPage, LIST_MIN, Page, PageNumber, Plan, PlanStop, PlannedLink, SIGNS_MAX, State, VisitFinding};
use crate::revisit::lastmod::{HostLastmods, LastmodSign, log_rate_shift};
use crate::revisit::rate::chance_of_change;
use crate::revisit::rows::RowChange;
use crate::revisit::traits::{Trait, rank_in_list};

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

impl Plan {
    /// Adds the result of a page's visit as a sign to the pages that were discovered on it.
    pub(super) fn signal_children(&mut self, found: &VisitFinding<'_>, changed: bool) {
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
            self.signal(child, if left { Trait::Left(kind) } else { Trait::Hub(kind, changed) });
        }
    }

    /// Adds the result of a page's visit as a sign to the page where it was discovered: another view of a page changes
    /// with it.
    pub(super) fn signal_parent(&mut self, at: usize, changed: bool) {
        let KnownPage { via: Some(via), kind, .. } = self.pages[at].known else { return };
        if self.pages[via as usize].state == State::Open {
            let sign = Trait::Child(self.kind_of(via), kind, changed);
            self.signal(via, sign);
        }
    }

    /// Adds the places at which a page links to others as signs to these.
    pub(super) fn signal_places(&mut self, found: &VisitFinding<'_>) {
        let hub = self.pages[found.page as usize].known.kind;
        let mut lists: BTreeMap<u64, Vec<PageNumber>> = BTreeMap::new();
        for PlannedLink { apath, page, row } in found.links.iter().copied() {
            if row != RowChange::Unknown && self.pages[page as usize].state == State::Open {
                let kind = self.kind_of(page);
                self.signal(page, Trait::Row(kind, apath, row));
                self.signal(page, Trait::AnyRow(row));
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
                self.signal(target, Trait::Place { hub, apath, rank: rank_in_list(at) });
                if moved {
                    self.signal(target, Trait::Moved(hub, apath));
                }
            }
        }
    }

    pub(super) fn kind_of(&self, page: PageNumber) -> u64 {
        self.pages[page as usize].known.kind
    }

    pub(super) fn signal(&mut self, page: PageNumber, sign: Trait) {
        let Some(number) = self.table.number(sign) else { return };
        let signs = &mut self.pages[page as usize].signs;
        if signs.len() < SIGNS_MAX && !signs.contains(&number) {
            signs.push(number);
        }
    }
}
