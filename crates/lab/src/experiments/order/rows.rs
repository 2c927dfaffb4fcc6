//! The rows of the table: one per order and store.

use std::time::Duration;

use super::steps::{Filtering, Tally};
use super::timing::Timed;
use crate::measures::Quality;
use crate::tables::{Measure, Row};
use harvestman_core::config::FilterOrder;

/// The measurements of a crawl in each order.
pub struct Measured<'a> {
    /// The complete crawl of each order, timed alone.
    pub own: &'a [Timed],
    /// The links of the pages that graph-dup fetches, processed in all orders side by side.
    pub side_by_side: &'a [Timed],
    /// The results of the crawls.
    pub quality: &'a [(FilterOrder, Quality)],
}

impl Measured<'_> {
    /// Returns a row per order and store. `row` creates one for the name of an order.
    pub fn rows(&self, row: impl Fn(&str) -> Row) -> Vec<Row> {
        let row = |one: &Timed| {
            let row = Row { store: Some(one.store.to_string()), ..row(name(one)) };
            self.with_times(self.with_quality(row, one), one)
        };
        self.side_by_side.iter().map(row).collect()
    }

    fn with_quality(&self, row: Row, one: &Timed) -> Row {
        let of =
            |(order, _): &&(FilterOrder, Quality)| (*order, Filtering::ByPlaceAndUrl) == (one.order, one.filtering);
        match self.quality.iter().find(of) {
            Some((_, quality)) => with_quality(row, quality),
            None => row,
        }
    }

    fn with_times(&self, row: Row, one: &Timed) -> Row {
        let same_links = find(self.side_by_side, one, FilterOrder::DupOnly, Filtering::ByPlaceAndUrl);
        let row = row.with(Measure::RelativeTimeSameLinks, relative(one.tally.total(), same_links));
        let own = find(self.own, one, one.order, one.filtering);
        let alone = find(self.own, one, FilterOrder::DupOnly, Filtering::ByPlaceAndUrl);
        let row = with_counts(row, own.unwrap_or(one));
        let Some(own) = own else { return row };
        row.with(Measure::RelativeFilterTime, relative(own.tally.filter, alone))
            .with(Measure::RelativeCanonicaliseTime, relative(own.tally.canonicalise, alone))
            .with(Measure::RelativeDedupTime, relative(own.tally.dedup, alone))
            .with(Measure::RelativeTime, relative(own.tally.total(), alone))
    }
}

/// Finds the measurement over the same store in this order.
fn find<'a>(all: &'a [Timed], one: &Timed, order: FilterOrder, filtering: Filtering) -> Option<&'a Timed> {
    all.iter().find(|other| other.store == one.store && other.order == order && other.filtering == filtering)
}

/// Returns the name of the order in rows.
const fn name(one: &Timed) -> &'static str {
    match one.filtering {
        Filtering::ByPlaceAndUrl => one.order.name(),
        Filtering::ByUrl => "graph-dup by URL",
    }
}

/// Returns a time relative to the total time with dedup only.
fn relative(time: Duration, alone: Option<&Timed>) -> Option<f64> {
    let all = alone?.tally.total();
    (!all.is_zero()).then(|| time.as_secs_f64() / all.as_secs_f64())
}

#[expect(clippy::cast_precision_loss, reason = "counts of links and of nanoseconds are far below 2^52")]
fn with_counts(row: Row, one: &Timed) -> Row {
    let tally: &Tally = &one.tally;
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let each = |time: Duration| ratio(time.as_nanos() as u64, tally.links);
    let refused = tally.refused_by_place + tally.refused_by_url;
    let asked = if one.order == FilterOrder::DupOnly { 0 } else { tally.links };
    row.with(Measure::Links, tally.links as f64)
        .with(Measure::FilterIn, asked as f64)
        .with(Measure::RefusedByPlace, tally.refused_by_place as f64)
        .with(Measure::RefusedByUrl, tally.refused_by_url as f64)
        .with(Measure::Canonicalised, tally.canonicalised as f64)
        .with(Measure::DedupIn, tally.dedup_in as f64)
        .with(Measure::Admitted, tally.admitted as f64)
        .with(Measure::DuplicatesByDedup, ratio(tally.duplicates, tally.dedup_in))
        .with(Measure::RefusedShare, ratio(refused, asked))
        .with(Measure::FilterNs, each(tally.filter))
        .with(Measure::CanonicaliseNs, each(tally.canonicalise))
        .with(Measure::DedupNs, each(tally.dedup))
        .with(Measure::MemoryBytes, one.memory as f64)
        .with(Measure::DiskBytes, one.disk as f64)
}

/// Adds the results of a crawl.
#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
pub fn with_quality(row: Row, quality: &Quality) -> Row {
    row.with(Measure::Fetches, quality.fetches as f64)
        .with(Measure::ValuableShare, quality.valuable)
        .with(Measure::DuplicateShare, quality.duplicate)
        .with(Measure::UninformativeShare, quality.uninformative)
        .with(Measure::RecallValuable, quality.recall)
        .with(Measure::FalsePositives, quality.false_positives())
        .with(Measure::FalseNegatives, quality.false_negatives)
}

#[cfg(test)]
mod tests {
    use super::super::StoreKind;
    use super::*;

    fn timed(order: FilterOrder, links: u64, nanoseconds: u64) -> Timed {
        let part = Duration::from_nanos(nanoseconds);
        let tally = Tally { links, filter: part, canonicalise: part, dedup: 2 * part, ..Tally::default() };
        Timed { order, filtering: Filtering::ByPlaceAndUrl, store: StoreKind::ALL[0], tally, memory: 1, disk: 2 }
    }

    #[test]
    fn crawls_are_compared_with_crawls_and_links_with_the_same_links() {
        // Powers of two, so that the ratios are exact.
        let own = [timed(FilterOrder::DupOnly, 1_024, 1_024), timed(FilterOrder::GraphDup, 128, 256)];
        let by_url = Timed { filtering: Filtering::ByUrl, ..timed(FilterOrder::GraphDup, 128, 1_024) };
        let side_by_side = [timed(FilterOrder::DupOnly, 128, 512), timed(FilterOrder::GraphDup, 128, 384), by_url];
        let measured = Measured { own: &own, side_by_side: &side_by_side, quality: &[] };
        let rows = measured.rows(|order| Row { order: Some(order.to_owned()), ..Row::new("c", "order", "p") });
        let of = |row: usize, measure| rows[row].measures.get(&measure).copied();
        assert_eq!((of(0, Measure::RelativeTime), of(0, Measure::RelativeTimeSameLinks)), (Some(1.0), Some(1.0)));
        assert_eq!((of(1, Measure::RelativeTime), of(1, Measure::RelativeTimeSameLinks)), (Some(0.25), Some(0.75)));
        assert_eq!((of(1, Measure::RelativeDedupTime), of(1, Measure::DedupNs)), (Some(0.125), Some(4.0)));
        assert_eq!((of(2, Measure::RelativeTime), of(2, Measure::RelativeTimeSameLinks)), (None, Some(2.0)));
        assert_eq!(of(2, Measure::Links), Some(128.0), "an order without its own crawl counts the same links");
    }
}
