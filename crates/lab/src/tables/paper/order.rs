//! ClusterGraph's figures: filter before dedup, and dedup before filter.

use super::AVERAGE;
use crate::tables::{Measure, Row};

/// Quality by crawler in ClusterGraph (Jiang, Lv 2009): the order, then for LiveJournal, Shelfari and Jaiku the share
/// of valuable pages (section 5.3), false positives and false negatives (table 6). Missing figures of the crawler with
/// dedup only are [`f64::NAN`].
type Quality = (&'static str, [f64; 3], [f64; 3], [f64; 3]);
const ORDERS: &[Quality] = &[
    ("dup-only", [0.56, 0.76, 0.83], [f64::NAN; 3], [f64::NAN; 3]),
    ("dup-graph", [0.82, 0.90, 0.94], [0.181, 0.096, 0.059], [0.020, 0.009, 0.007]),
    ("graph-dup", [0.82, 0.90, 0.94], [0.185, 0.098, 0.061], [0.021, 0.011, 0.007]),
];

/// Times relative to dedup only (its figure 5, ranges over the three sites): the order, then total, dedup and filter,
/// minimum and maximum each. Canonicalisation is not included there.
type Times = (&'static str, [f64; 2], [f64; 2], [f64; 2]);
const ORDER_TIMES: &[Times] =
    &[("dup-graph", [1.00, 1.07], [0.94, 0.99], [0.06, 0.08]), ("graph-dup", [0.35, 0.39], [0.19, 0.22], [0.15, 0.17])];

/// Returns ClusterGraph's crawls: quality by site, and times as the midpoints of the published ranges.
pub fn order() -> Vec<Row> {
    const SITES: [&str; 3] = ["paper: LiveJournal", "paper: Shelfari", "paper: Jaiku"];
    let row =
        |corpus: &str, order: &str| Row { order: Some(order.to_owned()), ..Row::new(corpus, "order", "ClusterGraph") };
    let quality = ORDERS.iter().flat_map(|(order, valuable, positives, negatives)| {
        (0..SITES.len()).map(move |at| {
            row(SITES[at], order)
                .with(Measure::ValuableShare, valuable[at])
                .with(Measure::FalsePositives, positives[at])
                .with(Measure::FalseNegatives, negatives[at])
        })
    });
    let middle = |[low, high]: [f64; 2]| (low + high) / 2.0;
    let times = ORDER_TIMES.iter().map(|(order, all, dedup, filter)| {
        Row { store: Some("exact-disk".to_owned()), ..row(AVERAGE, order) }
            .with(Measure::RelativeTime, middle(*all))
            .with(Measure::RelativeDedupTime, middle(*dedup))
            .with(Measure::RelativeFilterTime, middle(*filter))
    });
    quality.chain(times).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_false_positives_are_the_pages_that_are_not_valuable() {
        let rows = order();
        assert_eq!(rows.len(), 11);
        for row in rows.iter().filter(|row| row.measures.contains_key(&Measure::FalsePositives)) {
            let useless = 1.0 - row.measures[&Measure::ValuableShare];
            assert!((useless - row.measures[&Measure::FalsePositives]).abs() < 0.011, "{row:?}");
        }
    }
}
