//! The traps that were met: written by the policy thread, read by status and report.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use harvestman_core::model::{TrapMeasure, TrapRecord};
use harvestman_metrics::PolicyMetrics;

/// The current traps.
#[derive(Debug, Default)]
pub(super) struct TrapBoard(Mutex<Vec<TrapRecord>>);

impl TrapBoard {
    /// Returns the current traps.
    pub(super) fn traps(&self) -> Vec<TrapRecord> {
        self.0.lock().clone()
    }

    /// Replaces the traps, and logs what has changed.
    pub(super) fn show(&self, traps: Vec<TrapRecord>, metrics: &PolicyMetrics) {
        let count =
            |measures: &[TrapMeasure]| traps.iter().filter(|trap| measures.contains(&trap.measure)).count() as u64;
        metrics.forms_last.set(count(&[TrapMeasure::Last]));
        metrics.forms_refused.set(count(&[TrapMeasure::Cut, TrapMeasure::Closed]));
        let mut shown = self.0.lock();
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
