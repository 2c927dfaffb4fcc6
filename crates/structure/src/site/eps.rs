//! The radius of DBSCAN, chosen from the data (SOUrCe 2018, section 3.3).

use super::dbscan::{MIN_PTS, dbscan_points, silhouette_times_coverage};
use super::distances::{Counting, Distances, K, k_dist};

/// The paper's w for a sample of 1,000 pages; it grows with the sample.
const BINS_PER_FEATURE: f64 = 4.8;
/// Maximum number of radii that [`EpsRule::Silhouette`] tries.
const CANDIDATES: usize = 24;
/// The quantile that [`EpsRule::Silhouette`] falls back to if no radius separates anything.
const FALLBACK_QUANTILE: f64 = 0.95;

/// How the radius is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EpsRule {
    /// As printed: the histogram of K-dist with w · features bins is scanned upwards to the first bin with fewer than
    /// minPts members and at least half of the pages below it; the radius is its left edge. It makes about a third of a
    /// forum outliers.
    PaperLiteral,
    /// The same over distinct vectors, so that identical pages do not fill one bin.
    PaperDistinct,
    /// The K-dist that this share of the pages does not exceed. With 0.95 it was robust on every site that was tried.
    Quantile(f64),
    /// The radius whose clustering has the best product of silhouette and coverage.
    Silhouette,
}

/// The parameters of the radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpsOptions {
    /// The rule.
    pub rule: EpsRule,
    /// Neighbours that K-dist counts besides the page itself.
    pub k: u32,
    /// DBSCAN's minPts.
    pub min_pts: u32,
}

impl Default for EpsOptions {
    fn default() -> Self {
        Self { rule: EpsRule::Quantile(0.95), k: K, min_pts: MIN_PTS }
    }
}

/// Returns the radius for a sample with these distances and this number of features; 0 if all pages are identical or
/// there are none.
pub fn eps(distances: &Distances, features: usize, options: &EpsOptions) -> f32 {
    let k_dists = |counting| k_dist(distances, options.k, counting);
    match options.rule {
        EpsRule::PaperLiteral => scan(&k_dists(Counting::Pages), bins(distances.pages(), features), options.min_pts),
        EpsRule::PaperDistinct => {
            scan(&k_dists(Counting::Distinct), bins(distances.points(), features), options.min_pts)
        }
        EpsRule::Quantile(share) => positive_quantile(distances, share, options.k),
        EpsRule::Silhouette => by_silhouette(distances, options),
    }
}

/// Returns NumBins: w grows with the number of vectors that the histogram counts.
fn bins(counted: usize, features: usize) -> u64 {
    (BINS_PER_FEATURE * counted as f64 / 1000.0 * features as f64).round().max(1.0) as u64
}

/// Scans the histogram. Returns the largest K-dist if no bin is sparse enough.
fn scan(sorted: &[f32], bins: u64, min_pts: u32) -> f32 {
    let max = sorted.last().copied().unwrap_or(0.0);
    let edge = |bin: u64| (f64::from(max) * bin as f64 / bins as f64) as f32;
    let mut below = 0;
    for bin in 0..bins {
        // The last bin includes its right edge.
        let end = if bin + 1 == bins { sorted.len() } else { sorted.partition_point(|value| *value < edge(bin + 1)) };
        if end - below < min_pts as usize && below * 2 >= sorted.len() {
            return edge(bin);
        }
        below = end;
    }
    max
}

/// Returns the smallest K-dist that at least this share of the pages does not exceed; 0 if there are no pages.
fn quantile(sorted: &[f32], share: f64) -> f32 {
    let rank = (share.clamp(0.0, 1.0) * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Returns the quantile over pages, or the quantile over distinct vectors if copies of pages make the former 0.
fn positive_quantile(distances: &Distances, share: f64, k: u32) -> f32 {
    let of_pages = quantile(&k_dist(distances, k, Counting::Pages), share);
    if of_pages > 0.0 { of_pages } else { quantile(&k_dist(distances, k, Counting::Distinct), share) }
}

fn by_silhouette(distances: &Distances, options: &EpsOptions) -> f32 {
    let mut best = (0.0, None);
    for eps in candidates(distances, options.k) {
        let value = silhouette_times_coverage(distances, &dbscan_points(distances, eps, options.min_pts));
        // Of equals the largest, which also includes pages that are slightly farther away.
        if value > 0.0 && value >= best.0 {
            best = (value, Some(eps));
        }
    }
    best.1.unwrap_or_else(|| positive_quantile(distances, FALLBACK_QUANTILE, options.k))
}

/// Returns the distinct quantiles of K-dist over distinct vectors, from the median to the largest, ascending.
fn candidates(distances: &Distances, k: u32) -> Vec<f32> {
    let sorted = k_dist(distances, k, Counting::Distinct);
    let share = |step: usize| 0.5 + 0.5 * step as f64 / (CANDIDATES - 1) as f64;
    let mut candidates: Vec<f32> = (0..CANDIDATES).map(|step| quantile(&sorted, share(step))).collect();
    candidates.dedup();
    candidates
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::site::dbscan::dbscan;
    use crate::site::vector::SparseVector;

    fn line(places: &[f32]) -> Distances {
        Distances::between(&places.iter().map(|place| SparseVector::new(vec![(0, *place)])).collect::<Vec<_>>())
    }

    fn with(rule: EpsRule) -> EpsOptions {
        EpsOptions { rule, ..EpsOptions::default() }
    }

    const RULES: [EpsRule; 4] =
        [EpsRule::PaperLiteral, EpsRule::PaperDistinct, EpsRule::Quantile(0.95), EpsRule::Silhouette];

    #[test]
    fn the_scan_stops_at_the_first_sparse_bin_above_half_of_the_pages() {
        // Bins of width 1: 0 → 1 page, 1 → 6 pages, 2 → 4 pages, 3 → 1 page, …, 9 → the largest.
        let sorted = [0.5, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 2.0, 2.1, 2.2, 2.3, 3.5, 10.0];
        assert_eq!(scan(&sorted, 10, 4), 3.0, "bin 0 is sparse too, but no page lies below it");
        assert_eq!(scan(&sorted, 10, 5), 2.0);
        assert_eq!(scan(&sorted, 10, 0), 10.0, "no bin is sparser than empty");
    }

    #[test]
    fn there_are_as_many_bins_as_the_paper_has() {
        // The paper's Hupu: 1,000 pages, 250 features, w = 4.8.
        let pages: Vec<_> = (0..1000).map(|page| page as f32).collect();
        assert_eq!(bins(line(&pages).pages(), 250), 1200);
        assert_eq!(bins(line(&pages[..200]).pages(), 250), 240);
        assert_eq!(bins(line(&[]).pages(), 0), 1);
    }

    #[test]
    fn a_quantile_is_the_k_dist_that_so_many_pages_do_not_exceed() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        let at = |share| quantile(&sorted, share);
        assert_eq!([at(0.0), at(0.25), at(0.26), at(0.5), at(1.0), at(7.0)], [1.0, 1.0, 2.0, 2.0, 4.0, 4.0]);
        assert_eq!(quantile(&[], 0.5), 0.0);
    }

    #[test]
    fn copies_of_a_log_in_page_do_not_make_the_quantile_zero() {
        let mut places = vec![1.0; 500];
        places.extend([10.0, 10.5, 11.0, 11.5, 12.0]);
        let radius = eps(&line(&places), 1, &with(EpsRule::Quantile(0.95)));
        assert!(radius >= 1.0, "{radius}");
    }

    #[test]
    fn the_best_silhouette_separates_two_groups() {
        let mut places: Vec<f32> = (0..20_u8).map(|step| 1.0 + f32::from(step) * 0.1).collect();
        places.extend((0..20_u8).map(|step| 50.0 + f32::from(step) * 0.1));
        let distances = line(&places);
        let labels = dbscan(&distances, eps(&distances, 1, &with(EpsRule::Silhouette)), MIN_PTS);
        assert_eq!(labels[..20], [Some(0); 20]);
        assert_eq!(labels[20..], [Some(1); 20]);
    }

    #[test]
    fn no_pages_one_page_and_identical_pages_have_radius_zero() {
        for places in [&[][..], &[1.0], &[1.0; 50]] {
            for rule in RULES {
                assert_eq!(eps(&line(places), 3, &with(rule)), 0.0, "{rule:?} of {places:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_rule_stays_between_zero_and_the_largest_distance(
            places in proptest::collection::vec(0..40_u8, 0..40), features in 0..300_usize,
        ) {
            let distances = line(&places.iter().map(|place| f32::from(*place)).collect::<Vec<_>>());
            for rule in RULES {
                let radius = eps(&distances, features, &with(rule));
                prop_assert!((0.0..=40.0).contains(&radius), "{:?}: {}", rule, radius);
            }
        }

        #[test]
        fn a_quantile_makes_that_share_of_pages_core(places in proptest::collection::vec(0..200_u8, 8..60)) {
            let distances = line(&places.iter().map(|place| f32::from(*place)).collect::<Vec<_>>());
            let labels = dbscan(&distances, eps(&distances, 1, &with(EpsRule::Quantile(0.9))), MIN_PTS);
            let outliers = labels.iter().filter(|label| label.is_none()).count();
            prop_assert!(outliers as f64 <= 0.1 * labels.len() as f64);
        }
    }
}
