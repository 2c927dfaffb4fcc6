//! What the policy has found: written by its thread, read by status and report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use harvestman_core::model::{FoundSite, SearchRecord, TrapMeasure, TrapRecord};
use harvestman_metrics::PolicyMetrics;

/// Stands for a number of wanted pages that is not known.
const UNKNOWN: u64 = u64::MAX;

/// The current traps, the number of wanted pages, and what searches have found.
#[derive(Debug)]
pub(super) struct PolicyBoard {
    traps: Mutex<Vec<TrapRecord>>,
    wanted: AtomicU64,
    searches: Mutex<Option<SearchRecord>>,
}

impl Default for PolicyBoard {
    fn default() -> Self {
        Self { traps: Mutex::default(), wanted: AtomicU64::new(UNKNOWN), searches: Mutex::default() }
    }
}

impl PolicyBoard {
    /// Returns the current traps.
    pub(super) fn traps(&self) -> Vec<TrapRecord> {
        self.traps.lock().clone()
    }

    /// Returns the number of wanted pages; `None` if the policy does not tell pages apart.
    pub(super) fn wanted(&self) -> Option<u64> {
        Some(self.wanted.load(Ordering::Relaxed)).filter(|count| *count != UNKNOWN)
    }

    /// Returns what searches have found; `None` if there are none.
    pub(super) fn searches(&self) -> Option<SearchRecord> {
        self.searches.lock().clone()
    }

    /// Replaces what searches have found, and logs the sites that were left since.
    pub(super) fn show_searches(&self, searches: Option<SearchRecord>) {
        let mut shown = self.searches.lock();
        let left = |record: &Option<SearchRecord>| -> Vec<FoundSite> {
            record.iter().flat_map(|record| record.sites.iter().filter(|site| site.left).cloned()).collect()
        };
        let before: BTreeSet<String> = left(&shown).into_iter().map(|site| site.site).collect();
        for FoundSite { site, requests, wanted, .. } in left(&searches) {
            if !before.contains(&site) {
                tracing::info!(
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
    pub(super) fn show_wanted(&self, wanted: Option<u64>, metrics: &PolicyMetrics) {
        self.wanted.store(wanted.unwrap_or(UNKNOWN), Ordering::Relaxed);
        metrics.wanted_pages.set(wanted.unwrap_or_default());
    }

    /// Replaces the traps, and logs what has changed.
    pub(super) fn show_traps(&self, traps: Vec<TrapRecord>, metrics: &PolicyMetrics) {
        let count =
            |measures: &[TrapMeasure]| traps.iter().filter(|trap| measures.contains(&trap.measure)).count() as u64;
        metrics.forms_last.set(count(&[TrapMeasure::Last]));
        metrics.forms_refused.set(count(&[TrapMeasure::Cut, TrapMeasure::Closed]));
        let mut shown = self.traps.lock();
        let before: BTreeMap<&str, TrapMeasure> = shown.iter().map(|trap| (trap.form.as_str(), trap.measure)).collect();
        for trap in &traps {
            if before.get(trap.form.as_str()) != Some(&trap.measure) {
                log(trap);
            }
        }
        *shown = traps;
    }
}

fn log(trap: &TrapRecord) {
    let TrapRecord { form, example, measure, fetched, fruitful, .. } = trap;
    let what = measure.describe();
    if *measure >= TrapMeasure::Cut {
        tracing::warn!(
            form,
            example,
            fetched,
            fruitful,
            "a trap: its pages lead to more like them and yield nothing; {what}"
        );
    } else {
        tracing::info!(form, example, fetched, fruitful, "URLs of this form yield nothing; {what}");
    }
}
