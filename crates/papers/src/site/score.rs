//! The value of a cluster to a crawl (SOUrCe 2018, section 3.6).

use super::hits::Hits;
use harvestman_structure::site::Label;

/// The factors of the score, and the mix of authority and hub.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreOptions {
    /// The weight of authority in Info, 0 … 1; the remainder is the weight of hub.
    pub alpha: f64,
    /// Whether Info counts (eq. 9).
    pub info: bool,
    /// Whether Dsim counts (eq. 10).
    pub dsim: bool,
    /// Whether Balance counts.
    pub balance: bool,
}

impl ScoreOptions {
    /// For user-created content: all factors.
    pub const UCC: Self = Self { alpha: 0.5, info: true, dsim: true, balance: true };
    /// For pages like an example: Info alone.
    pub const TARGET: Self = Self { alpha: 0.8, info: true, dsim: false, balance: false };
}

/// Balance(C) = 1 - pages of C crawled so far / all pages crawled so far. Outliers count only among all pages.
#[derive(Debug, Clone, Default)]
pub struct Balance {
    crawled: Vec<u64>,
    all: u64,
}

impl Balance {
    /// Creates a balance of this number of clusters with nothing crawled yet.
    pub fn new(clusters: usize) -> Self {
        Self { crawled: vec![0; clusters], all: 0 }
    }

    /// Counts a page that was crawled and found to be of this cluster.
    pub fn count(&mut self, label: Label) {
        self.all += 1;
        if let Some(crawled) = label.and_then(|cluster| self.crawled.get_mut(cluster as usize)) {
            *crawled += 1;
        }
    }

    /// Returns the balance of a cluster, in 0 … 1; 1 before anything was crawled.
    pub fn of(&self, cluster: u32) -> f64 {
        let crawled = self.crawled.get(cluster as usize).copied().unwrap_or(0);
        if self.all == 0 { 1.0 } else { 1.0 - crawled as f64 / self.all as f64 }
    }
}

/// The scores of clusters: the part that does not change while pages are crawled, times their balance.
#[derive(Debug, Clone)]
pub struct ClusterScores {
    steady: Vec<f64>,
    by_balance: bool,
}

impl ClusterScores {
    /// Creates the scores from hubs and authorities and from Dsim, which has one value per cluster.
    pub fn new(hits: &Hits, dsim: &[f64], options: &ScoreOptions) -> Self {
        let steady = hits.authority.iter().zip(&hits.hub).zip(dsim).map(|((authority, hub), dsim)| {
            let info = if options.info { info(*authority, *hub, options.alpha) } else { 1.0 };
            info * if options.dsim { *dsim } else { 1.0 }
        });
        Self { steady: steady.collect(), by_balance: options.balance }
    }

    /// Returns Score(C) = Info · Dsim · Balance (eq. 11); 0 for an unknown cluster.
    pub fn of(&self, cluster: u32, balance: &Balance) -> f64 {
        let steady = self.steady.get(cluster as usize).copied().unwrap_or(0.0);
        if self.by_balance { steady * balance.of(cluster) } else { steady }
    }
}

/// Returns Info(C) = α a + (1 - α) h (eq. 9).
pub fn info(authority: f64, hub: f64, alpha: f64) -> f64 {
    alpha * authority + (1.0 - alpha) * hub
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn example() -> (Hits, [f64; 2]) {
        (Hits { authority: vec![0.6, 0.8], hub: vec![1.0, 0.0], steps: 2 }, [0.1, 0.5])
    }

    fn crawled(labels: &[Label]) -> Balance {
        let mut balance = Balance::new(2);
        labels.iter().for_each(|label| balance.count(*label));
        balance
    }

    #[test]
    fn scores_are_those_of_equations_9_and_11() {
        let (hits, dsim) = example();
        let balance = crawled(&[Some(0), None, Some(0), Some(1)]);
        let scores = ClusterScores::new(&hits, &dsim, &ScoreOptions::UCC);
        assert!((scores.of(0, &balance) - 0.8 * 0.1 * 0.5).abs() < 1e-12);
        assert!((scores.of(1, &balance) - 0.4 * 0.5 * 0.75).abs() < 1e-12);
        assert_eq!(scores.of(2, &balance), 0.0);
    }

    #[test]
    fn a_targets_score_is_its_info_alone() {
        let (hits, dsim) = example();
        let scores = ClusterScores::new(&hits, &dsim, &ScoreOptions::TARGET);
        assert!((scores.of(0, &crawled(&[Some(0)])) - (0.8 * 0.6 + 0.2 * 1.0)).abs() < 1e-12);
    }

    #[test]
    fn factors_can_be_left_out_one_by_one() {
        let (hits, dsim) = example();
        let balance = crawled(&[Some(0), Some(1)]);
        let score = |options| ClusterScores::new(&hits, &dsim, &options).of(1, &balance);
        let without = ScoreOptions { info: false, ..ScoreOptions::UCC };
        assert_eq!(score(without), 0.5 * 0.5);
        assert_eq!(score(ScoreOptions { dsim: false, ..without }), 0.5);
        assert_eq!(score(ScoreOptions { dsim: false, balance: false, ..without }), 1.0);
    }

    #[test]
    fn everything_is_in_balance_before_the_first_page() {
        assert_eq!(Balance::new(1).of(0), 1.0);
        assert_eq!(crawled(&[Some(7), None]).of(0), 1.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn imbalances_sum_to_the_share_of_clustered_pages(
            labels in proptest::collection::vec(proptest::option::of(0..2_u32), 1..50)
        ) {
            let balance = crawled(&labels);
            let sum: f64 = (0..2).map(|cluster| 1.0 - balance.of(cluster)).sum();
            let clustered = labels.iter().flatten().count() as f64 / labels.len() as f64;
            prop_assert!((sum - clustered).abs() < 1e-9);
        }
    }
}
