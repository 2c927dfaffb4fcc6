//! The set of URLs seen in a running crawl: its figures for the metrics, and what its disk does.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::crawl::Crawl;
use harvestman_metrics::DedupMetrics;
use harvestman_stages::frontier::Control;
use harvestman_storage::dedup::{SeenFigures, SeenUrls};

/// Sets the metrics that are not counted link by link.
pub(super) fn show(figures: &SeenFigures, metrics: &DedupMetrics) {
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

/// Lets go of the set when nobody uses it any more; its files go with it.
pub(super) fn ended(seen: Arc<SeenUrls>) {
    // Someone who still holds it, as after a panic, may still read it: then its files stay.
    let removed = Arc::into_inner(seen).map_or(Ok(()), SeenUrls::remove);
    if let Err(error) = removed {
        tracing::warn!(%error, "files of the set of URLs seen are left; they are of no more use");
    }
}

impl Crawl {
    /// Says once what is wrong with the disk of the set; ends the crawl where it must. True if it must.
    pub(super) fn watch_seen(&self) -> bool {
        let (Some(error), ends) = (self.seen.trouble(), self.seen.must_end()) else { return false };
        if !self.seen_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "URLs seen stay in memory; nothing is lost");
        }
        if ends && !self.seen_ends.swap(true, Ordering::Relaxed) {
            tracing::error!(%error, "the URLs seen cannot be kept: the crawl stops; nothing is lost");
            self.lines.0.to_frontier(Control::Stop);
        }
        ends
    }
}
