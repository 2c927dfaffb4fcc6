//! What the policy has found: written by its thread, read by status and report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use harvestman_core::model::{FoundSite, SearchRecord, TrapMeasure, TrapRecord};
use harvestman_metrics::PolicyMetrics;

/// Stands for a number of wanted pages that is not known.
const UNKNOWN: u64 = u64::MAX;
/// Maximum number of traps that a crawl warns of.
const WARNED_MAX: usize = 10;

/// The current traps, the number of wanted pages, and what searches have found.
#[derive(Debug)]
pub(crate) struct PolicyBoard {
    traps: Mutex<Vec<TrapRecord>>,
    wanted: AtomicU64,
    searches: Mutex<Option<SearchRecord>>,
    warned: Mutex<Warned>,
}

impl Default for PolicyBoard {
    fn default() -> Self {
        let wanted = AtomicU64::new(UNKNOWN);
        Self { traps: Mutex::default(), wanted, searches: Mutex::default(), warned: Mutex::default() }
    }
}

impl PolicyBoard {
    /// Returns the current traps.
    pub(crate) fn traps(&self) -> Vec<TrapRecord> {
        self.traps.lock().clone()
    }

    /// Returns the number of wanted pages; `None` if the policy does not tell pages apart.
    pub(crate) fn wanted(&self) -> Option<u64> {
        Some(self.wanted.load(Ordering::Relaxed)).filter(|count| *count != UNKNOWN)
    }

    /// Returns what searches have found; `None` if there are none.
    pub(crate) fn searches(&self) -> Option<SearchRecord> {
        self.searches.lock().clone()
    }

    /// Replaces what searches have found, and logs the sites that were left since.
    pub(crate) fn show_searches(&self, searches: Option<SearchRecord>) {
        let mut shown = self.searches.lock();
        let left = |record: &Option<SearchRecord>| -> Vec<FoundSite> {
            record.iter().flat_map(|record| record.sites.iter().filter(|site| site.left).cloned()).collect()
        };
        let before: BTreeSet<String> = left(&shown).into_iter().map(|site| site.site).collect();
        for FoundSite { site, requests, wanted, .. } in left(&searches) {
            if !before.contains(&site) {
                // Of the sites that searches find, most are left: the report lists them.
                tracing::debug!(
                    site,
                    requests,
                    wanted,
                    "this site is left: others bring far more wanted pages per request"
                );
            }
        }
        *shown = searches;
    }

    /// Replaces the number of wanted pages.
    pub(crate) fn show_wanted(&self, wanted: Option<u64>, metrics: &PolicyMetrics) {
        self.wanted.store(wanted.unwrap_or(UNKNOWN), Ordering::Relaxed);
        metrics.wanted_pages.set(wanted.unwrap_or_default());
    }

    /// Replaces the traps, and logs what has changed.
    pub(crate) fn show_traps(&self, traps: Vec<TrapRecord>, metrics: &PolicyMetrics) {
        let count =
            |measures: &[TrapMeasure]| traps.iter().filter(|trap| measures.contains(&trap.measure)).count() as u64;
        metrics.forms_last.set(count(&[TrapMeasure::Last]));
        metrics.forms_refused.set(count(&[TrapMeasure::Cut, TrapMeasure::Closed]));
        let mut shown = self.traps.lock();
        let before: BTreeMap<&str, TrapMeasure> = shown.iter().map(|trap| (trap.form.as_str(), trap.measure)).collect();
        let changed = |trap: &&TrapRecord| before.get(trap.form.as_str()) != Some(&trap.measure);
        let mut warned = self.warned.lock();
        traps.iter().filter(changed).for_each(|trap| log(trap, warned.level(trap)));
        *shown = traps;
    }
}

/// The forms that a crawl has warned of.
#[derive(Debug, Default)]
struct Warned(BTreeSet<(String, TrapMeasure)>);

/// How a trap is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrapLevel {
    /// As something to look at.
    Warn,
    /// The same, and as the last one.
    WarnLast,
    /// For those who look for details.
    Debug,
}

impl Warned {
    /// Returns how a trap is logged. An operator may want to know of a form from which on URLs are refused: of each
    /// once, and of a few. That a form waits changes only the order, and forms come and go.
    fn level(&mut self, trap: &TrapRecord) -> TrapLevel {
        let is_news = trap.measure >= TrapMeasure::Cut
            && self.0.len() < WARNED_MAX
            && self.0.insert((trap.form.clone(), trap.measure));
        match is_news {
            true if self.0.len() == WARNED_MAX => TrapLevel::WarnLast,
            true => TrapLevel::Warn,
            false => TrapLevel::Debug,
        }
    }
}

fn log(trap: &TrapRecord, level: TrapLevel) {
    let TrapRecord { form, example, measure, fetched, fruitful, .. } = trap;
    let what = measure.describe();
    match level {
        TrapLevel::Debug => {
            tracing::debug!(form, example, fetched, fruitful, "the latest pages of this form show nothing new; {what}");
        }
        TrapLevel::Warn | TrapLevel::WarnLast => tracing::warn!(
            form,
            example,
            fetched,
            fruitful,
            "a trap: the latest pages of this form lead to more like them and show nothing new; {what}"
        ),
    }
    if level == TrapLevel::WarnLast {
        tracing::warn!("further traps are not reported here: `harvestman report` lists them");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_warns_of_each_trap_once_and_of_a_few() {
        let mut warned = Warned::default();
        let trap = |form: usize, measure| TrapRecord { form: form.to_string(), measure, ..TrapRecord::default() };
        let mut level = |form, measure| warned.level(&trap(form, measure));
        assert_eq!(level(0, TrapMeasure::Last), TrapLevel::Debug);
        assert_eq!(level(0, TrapMeasure::Cut), TrapLevel::Warn);
        assert_eq!(level(0, TrapMeasure::Last), TrapLevel::Debug);
        assert_eq!(level(0, TrapMeasure::Cut), TrapLevel::Debug, "again");
        assert_eq!(level(0, TrapMeasure::Closed), TrapLevel::Warn);
        let levels: Vec<_> = (1..100).map(|form| level(form, TrapMeasure::Cut)).collect();
        assert_eq!(levels.iter().filter(|level| **level == TrapLevel::Warn).count(), WARNED_MAX - 3);
        assert_eq!(levels.iter().filter(|level| **level == TrapLevel::WarnLast).count(), 1);
        assert_eq!(levels.last(), Some(&TrapLevel::Debug));
    }
}
