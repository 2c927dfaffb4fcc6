//! What the policy has found: written by its thread, read by status and report.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use harvestman_core::model::{TrapMeasure, TrapRecord};
use harvestman_metrics::PolicyMetrics;

/// Stands for a number of wanted pages that is not known.
const UNKNOWN: u64 = u64::MAX;

/// The current traps, and the number of wanted pages.
#[derive(Debug)]
pub(super) struct PolicyBoard {
    traps: Mutex<Vec<TrapRecord>>,
    wanted: AtomicU64,
}

impl Default for PolicyBoard {
    fn default() -> Self {
        Self { traps: Mutex::default(), wanted: AtomicU64::new(UNKNOWN) }
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
