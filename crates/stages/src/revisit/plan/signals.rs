//! Derives signs for other pages from the visit to one page.

use std::collections::BTreeMap;

use super::{KnownPage, LIST_MIN, PageNumber, Plan, PlannedLink, SIGNS_MAX, State, VisitFinding};
use crate::revisit::rows::RowChange;
use crate::revisit::traits::{Trait, rank_in_list};

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
