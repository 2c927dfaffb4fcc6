//! Near-duplicates, and the text that pages share.
//!
//! Input: the content units of each fetched page. A unit on a large enough share of the pages of its cluster, or of its
//! URL's pattern, is template; the others are content. Two pages are near-duplicates if the weighted Jaccard index of
//! their running text is high. Pages with little running text are compared by their units without template, if they
//! have any: then duplicates are found however long ago the other page was added (of template units only the latest
//! pages are remembered), and pages that differ slightly but have little text are told apart. Lists and small profiles
//! are such pages.
//!
//! Memory is bounded: the oldest pages are forgotten, and a unit remembers the latest pages that have it.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;

use crate::learned::{ContentId, Kin};
use harvestman_core::model::{ClusterId, ContentUnit, PatternId};

/// A text with fewer words is a label, a name or a date, not running text.
const RUNNING_WORDS: u16 = 4;
/// Maximum number of units of a page that are kept.
const UNITS_MAX: usize = 512;
/// Maximum number of pages that a unit remembers.
const PAGES_PER_UNIT: usize = 40;
/// A unit on more than this share of its cluster's or its pattern's pages is template, unless it is on very few.
const TEMPLATE_SHARE: f64 = 0.2;
const TEMPLATE_PAGES: u32 = 3;
/// Pages with less running text are compared by all their units.
const RUNNING_MIN: f64 = 12.0;
/// Maximum number of pages with shared units that are compared.
const CANDIDATES: usize = 12;
/// The minimum likeness of near-duplicates, by running text and by all units.
const ALIKE: f64 = 0.7;
const ALIKE_WHOLLY: f64 = 0.9;

#[derive(Debug, Clone)]
struct Page {
    units: Box<[Unit]>,
    kin: Kin,
    /// Words of running text without template, at the time when the page was added.
    running: f64,
}

#[derive(Debug, Clone, Copy)]
struct Unit {
    hash: u64,
    words: u16,
    in_anchor: bool,
    running: bool,
}

impl Unit {
    const fn is_running(self) -> bool {
        self.running && !self.in_anchor
    }
}

/// A cluster, or the pages whose URLs have a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Group {
    Cluster(ClusterId),
    Pattern(PatternId),
}

const fn groups(kin: Kin) -> [Group; 2] {
    [Group::Cluster(kin.cluster), Group::Pattern(kin.pattern)]
}

/// The pages with a unit.
#[derive(Debug, Clone, Default)]
struct Posting {
    pages: VecDeque<u64>,
}

/// The result for a page.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentMatch {
    /// Its key.
    pub id: ContentId,
    /// The page that it is a near-duplicate of.
    pub duplicate_of: Option<ContentId>,
}

/// The content of the fetched pages.
#[derive(Debug, Default)]
pub struct ContentIndex {
    pages: VecDeque<Page>,
    /// The number of the first page in `pages`.
    first: u64,
    pages_max: usize,
    postings: HashMap<u64, Posting, FixedState>,
    /// The number of pages of a group that have a unit, and the number of its pages.
    shares: HashMap<(Group, u64), u32, FixedState>,
    groups: HashMap<Group, u32, FixedState>,
}

impl ContentIndex {
    /// An index that remembers `pages_max` pages.
    pub fn new(pages_max: usize) -> Self {
        Self { pages_max: pages_max.max(1), ..Self::default() }
    }

    /// Adds a page and looks for one that it repeats.
    pub fn take_in(&mut self, units: &[ContentUnit], kin: Kin) -> ContentMatch {
        let units = distinct(units);
        self.count_template(&units, kin);
        let running = self.words(&units, kin, Unit::is_running);
        let duplicate_of = self.find_alike(&units, kin, running);
        let number = self.first + self.pages.len() as u64;
        for unit in &units {
            let posting = self.postings.entry(unit.hash).or_default();
            if posting.pages.len() == PAGES_PER_UNIT {
                posting.pages.pop_front();
            }
            posting.pages.push_back(number);
        }
        self.pages.push_back(Page { units: units.into(), kin, running });
        if self.pages.len() > self.pages_max {
            self.forget_oldest();
        }
        ContentMatch { id: ContentId(number), duplicate_of: duplicate_of.map(ContentId) }
    }

    /// The words of a page's running text, without template.
    pub fn running_words(&self, id: ContentId) -> f64 {
        self.page(id).map_or(0.0, |page| self.running_units(page).map(weight).sum())
    }

    /// The share of a page's running text, without template, that `other` shows too, in any form; 0 where it has none.
    pub fn share_within(&self, id: ContentId, other: ContentId) -> f64 {
        let (Some(page), Some(other)) = (self.page(id), self.page(other)) else { return 0.0 };
        let shows = |unit: &&Unit| other.units.binary_search_by_key(&unit.hash, |unit| unit.hash).is_ok();
        let all: f64 = self.running_units(page).map(weight).sum();
        let within: f64 = self.running_units(page).filter(shows).map(weight).sum();
        within / f64::max(all, 1.0)
    }

    fn running_units<'a>(&'a self, page: &'a Page) -> impl Iterator<Item = &'a Unit> {
        page.units.iter().filter(|unit| unit.is_running() && !self.is_template(page.kin, unit.hash))
    }

    /// Counts all pages again, after their clusters and patterns have changed. `kin_of` is called for every remembered
    /// page.
    pub fn regroup(&mut self, kin_of: impl Fn(ContentId) -> Option<Kin>) {
        self.shares.clear();
        self.groups.clear();
        for at in 0..self.pages.len() {
            let id = ContentId(self.first + at as u64);
            let kin = kin_of(id).unwrap_or(self.pages[at].kin);
            self.pages[at].kin = kin;
            let units = self.pages[at].units.clone();
            self.count_template(&units, kin);
        }
    }

    fn count_template(&mut self, units: &[Unit], kin: Kin) {
        for group in groups(kin) {
            *self.groups.entry(group).or_default() += 1;
            for unit in units {
                *self.shares.entry((group, unit.hash)).or_default() += 1;
            }
        }
        self.prune_shares();
    }

    /// Lossy counting: a unit that is rare in its group is no template, whatever its exact count.
    fn prune_shares(&mut self) {
        const COUNTED_MAX: usize = 1 << 21;
        if self.shares.len() > COUNTED_MAX {
            let groups = &self.groups;
            self.shares.retain(|(group, _), count| {
                let pages = groups.get(group).copied().unwrap_or(0);
                f64::from(*count) > TEMPLATE_SHARE / 4.0 * f64::from(pages)
            });
        }
    }

    fn is_template(&self, kin: Kin, hash: u64) -> bool {
        groups(kin).into_iter().any(|group| {
            let with = self.shares.get(&(group, hash)).copied().unwrap_or(0);
            let pages = self.groups.get(&group).copied().unwrap_or(0);
            with > TEMPLATE_PAGES && f64::from(with) > TEMPLATE_SHARE * f64::from(pages)
        })
    }

    fn words(&self, units: &[Unit], kin: Kin, which: impl Fn(Unit) -> bool) -> f64 {
        let content = units.iter().filter(|unit| which(**unit) && !self.is_template(kin, unit.hash));
        content.map(weight).sum()
    }

    fn find_alike(&self, units: &[Unit], kin: Kin, running: f64) -> Option<u64> {
        let by_text = running >= RUNNING_MIN;
        let exact = !by_text && units.iter().any(|unit| !self.is_template(kin, unit.hash));
        let counts = |unit: &&Unit| match (by_text, exact) {
            (true, _) => unit.is_running() && !self.is_template(kin, unit.hash),
            (false, true) => !self.is_template(kin, unit.hash),
            (false, false) => true,
        };
        let mut shared: HashMap<u64, f64, FixedState> = HashMap::default();
        for unit in units.iter().filter(counts) {
            let Some(posting) = self.postings.get(&unit.hash) else { continue };
            for page in &posting.pages {
                *shared.entry(*page).or_default() += if by_text { weight(unit) } else { 1.0 };
            }
        }
        let mut candidates: Vec<(u64, f64)> = shared.into_iter().filter(|(page, _)| *page >= self.first).collect();
        // Most shared first, then the earlier page, so that nothing depends on the order of a map.
        candidates.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let size = if by_text { running } else { units.len() as f64 };
        let alike = candidates.into_iter().take(CANDIDATES).find(|(page, shared)| {
            let Some(other) = self.page(ContentId(*page)) else { return false };
            if exact {
                return self.likeness(units, kin, other) >= ALIKE_WHOLLY;
            }
            let other = if by_text { other.running } else { other.units.len() as f64 };
            // A list may have as anchors what this page has as running text; that does not make them alike.
            let shared = shared.min(other);
            let jaccard = shared / (size + other - shared).max(f64::MIN_POSITIVE);
            jaccard >= if by_text { ALIKE } else { ALIKE_WHOLLY }
        });
        alike.map(|(page, _)| page)
    }

    /// The Jaccard index of two pages without their templates.
    fn likeness(&self, units: &[Unit], kin: Kin, other: &Page) -> f64 {
        let content = |unit: &&Unit| !self.is_template(kin, unit.hash) && !self.is_template(other.kin, unit.hash);
        let has = |unit: &&Unit| other.units.binary_search_by_key(&unit.hash, |other| other.hash).is_ok();
        let own = units.iter().filter(content).count();
        let shared = units.iter().filter(content).filter(has).count();
        let all = own + other.units.iter().filter(content).count() - shared;
        shared as f64 / all.max(1) as f64
    }

    fn page(&self, id: ContentId) -> Option<&Page> {
        self.pages.get(id.0.checked_sub(self.first)? as usize)
    }

    fn forget_oldest(&mut self) {
        let Some(page) = self.pages.pop_front() else { return };
        let number = self.first;
        self.first += 1;
        for unit in &page.units {
            if let Some(posting) = self.postings.get_mut(&unit.hash) {
                if posting.pages.front() == Some(&number) {
                    posting.pages.pop_front();
                }
                if posting.pages.is_empty() {
                    self.postings.remove(&unit.hash);
                }
            }
        }
    }
}

fn weight(unit: &Unit) -> f64 {
    f64::from(unit.words)
}

/// Removes repeated units. A text that occurs both in an anchor and as running text is running text.
fn distinct(units: &[ContentUnit]) -> Vec<Unit> {
    let mut found: Vec<Unit> = units
        .iter()
        .take(4 * UNITS_MAX)
        .map(|unit| Unit {
            hash: unit.hash,
            words: unit.words,
            in_anchor: unit.in_anchor,
            running: unit.text_words >= RUNNING_WORDS,
        })
        .collect();
    found.sort_unstable_by_key(|unit| (unit.hash, unit.in_anchor));
    found.dedup_by_key(|unit| unit.hash);
    if found.len() > UNITS_MAX {
        // The smallest hashes: the same choice on every page, so that of two pages with a common unit either both keep
        // it or neither.
        found.truncate(UNITS_MAX);
    }
    found
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
