//! The set of seen URLs in a running crawl: its figures for the metrics, and errors of its disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::handles::FrontierHandle;
use harvestman_metrics::DedupMetrics;
use harvestman_storage::dedup::{DedupStats, SeenUrls};

/// Sets the metrics that are not counted link by link.
fn show(figures: &DedupStats, metrics: &DedupMetrics) {
    metrics.entries.set(figures.urls);
    metrics.memory_bytes.set(figures.memory_bytes);
    metrics.disk_bytes.set(figures.disk_bytes);
    metrics.bloom_fill.set(figures.bloom.map_or(0.0, |bloom| bloom.fill));
    metrics.bloom_error.set(figures.bloom.map_or(0.0, |bloom| bloom.error));
    let positives = figures.false_positives.unwrap_or_default();
    metrics.false_positives.set(positives.measured.count as u64);
    metrics.expected_false_positives.set(positives.expected.round() as u64);
    metrics.wrongly_dropped.set(figures.wrongly_dropped.measured.count as u64);
    metrics.expected_wrongly_dropped.set(figures.wrongly_dropped.expected.round() as u64);
}

/// Monitors the set of seen URLs, and stops the crawl if the set can hold no more.
pub(crate) struct SeenMonitor {
    seen: Arc<SeenUrls>,
    frontier: FrontierHandle,
    /// Whether it was logged that the disk fails, and that the crawl stops because of that.
    warned: AtomicBool,
    ends: AtomicBool,
}

impl SeenMonitor {
    pub(crate) const fn new(seen: Arc<SeenUrls>, frontier: FrontierHandle) -> Self {
        Self { seen, frontier, warned: AtomicBool::new(false), ends: AtomicBool::new(false) }
    }

    /// Returns the set.
    pub(crate) const fn seen(&self) -> &Arc<SeenUrls> {
        &self.seen
    }

    /// Logs a disk error once, and stops the crawl if it must. Returns whether it must.
    pub(crate) fn check(&self) -> bool {
        let (Some(error), ends) = (self.seen.error(), self.seen.must_end()) else { return false };
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "seen URLs stay in memory; nothing is lost");
        }
        if ends && !self.ends.swap(true, Ordering::Relaxed) {
            tracing::error!(%error, "no more seen URLs can be stored: the crawl stops; nothing is lost");
            self.frontier.stop();
        }
        ends
    }

    /// Sets the metrics of the set.
    pub(crate) fn export(&self, metrics: &DedupMetrics) {
        show(&self.seen.stats(), metrics);
    }

    /// Drops the set; its files are removed unless it is still in use. Returns its figures.
    pub(crate) fn close(self) -> DedupStats {
        let figures = self.seen.stats();
        // It may still be in use, for example after a panic: then its files stay.
        let removed = Arc::into_inner(self.seen).map_or(Ok(()), SeenUrls::remove);
        if let Err(error) = removed {
            tracing::warn!(%error, "files of the set of seen URLs are left over; they are no longer needed");
        }
        figures
    }
}
