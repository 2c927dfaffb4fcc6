//! The published figures of SOUrCe (Li, Pantel and Callan 2018) and ClusterGraph (Jiang, Lv 2009), as rows for
//! comparison.
//!
//! They were measured on six other sites, so they show the size of differences between policies, not values to be
//! reproduced. Figures 5 to 8 were published as plots without numbers; the values stated in the text are
//! [`FINAL_RECALL`] and [`SAMPLES_ALIKE`].

mod order;
mod xcrawl;

pub use order::order;
pub use xcrawl::xcrawl;

use super::{Measure, Row};

/// The name of the paper's average in the column `corpus`.
pub const AVERAGE: &str = "paper";
/// Recall of the target pages at the end of a crawl of a whole corpus, on average (section 5.4, figure 7).
pub const FINAL_RECALL: f64 = 0.9498;
/// Number of pages sampled by Apath that is as good as the given number sampled breadth-first (section 5.5, figure 8).
pub const SAMPLES_ALIKE: (u64, u64) = (200, 1_000);
/// Budget of a crawl for user-created content, and number of pages of the corpus (section 5.3).
pub const UCC_BUDGET: (u64, u64) = (5_000, 20_000);

/// The policies of table 3, in the order of its columns.
const UCC_POLICIES: [&str; 3] = ["SOUrCe", "iRobot", "BFS"];
/// A line of table 3: valid ratio, recall and F, each by policy.
type Site = (&'static str, [f64; 3], [f64; 3], [f64; 3]);
const UCC: &[Site] = &[
    ("paper: ASP", [0.9988, 0.7419, 0.8566], [0.3187, 0.0466, 0.2733], [0.4833, 0.0876, 0.4144]),
    ("paper: YouTube", [0.9992, 0.9977, 0.997], [0.2503, 0.0218, 0.2497], [0.4003, 0.0427, 0.3994]),
    ("paper: Douban", [0.9996, 0.8994, 0.6064], [0.2907, 0.0437, 0.1764], [0.4504, 0.0833, 0.2732]),
    ("paper: Hupu", [0.9978, 1.0, 0.9924], [0.2501, 0.0864, 0.2488], [0.400, 0.1590, 0.3978]),
    ("paper: Rott", [0.9998, 0.9796, 0.982], [0.2527, 0.0367, 0.2482], [0.4035, 0.07029, 0.3963]),
    ("paper: Stack", [0.9984, 0.9979, 0.8328], [0.2978, 0.0277, 0.2484], [0.4588, 0.054, 0.3827]),
    (AVERAGE, [0.9989, 0.9361, 0.8779], [0.2767, 0.0438, 0.2408], [0.4327, 0.0828, 0.3773]),
];

/// The policies of table 4, in the order of its columns.
const TARGET_POLICIES: [&str; 3] = ["SOUrCe", "TPM", "BFS"];
/// A line of table 4: target, budget, harvest rate, recall and F, each by policy.
type Target = (&'static str, &'static str, Option<u64>, [f64; 3], [f64; 3], [f64; 3]);
const TARGET: &[Target] = &[
    ("paper: ASP", "detail", Some(8_314), [0.804, 0.689, 0.416], [0.804, 0.077, 0.416], [0.804, 0.138, 0.416]),
    ("paper: ASP", "profile", Some(4_189), [0.846, 0.802, 0.265], [0.846, 0.090, 0.265], [0.846, 0.162, 0.265]),
    ("paper: YouTube", "detail", Some(14_580), [0.952, 0.994, 0.723], [0.952, 0.752, 0.723], [0.952, 0.856, 0.723]),
    ("paper: YouTube", "profile", Some(4_244), [0.881, 1.0, 0.265], [0.881, 0.368, 0.265], [0.881, 0.538, 0.265]),
    ("paper: Douban", "review", Some(1_795), [0.772, 0.870, 0.096], [0.772, 0.101, 0.097], [0.772, 0.182, 0.097]),
    ("paper: Douban", "movie", Some(2_488), [0.780, 1.0, 0.279], [0.780, 0.536, 0.279], [0.780, 0.698, 0.279]),
    ("paper: Hupu", "detail", Some(15_285), [0.971, 0.995, 0.816], [0.971, 0.136, 0.816], [0.971, 0.239, 0.816]),
    ("paper: Hupu", "profile", Some(4_541), [0.854, 0.150, 0.146], [0.854, 0.150, 0.146], [0.854, 0.150, 0.146]),
    ("paper: Rott", "detail", Some(4_722), [0.645, 0.937, 0.134], [0.645, 0.103, 0.134], [0.645, 0.186, 0.134]),
    ("paper: Rott", "profile", Some(8_635), [0.816, 0.975, 0.534], [0.816, 0.425, 0.534], [0.816, 0.592, 0.534]),
    ("paper: Stack", "detail", Some(8_578), [0.897, 0.997, 0.393], [0.897, 0.418, 0.393], [0.897, 0.589, 0.393]),
    ("paper: Stack", "profile", Some(3_854), [0.642, 0.521, 0.196], [0.642, 0.114, 0.196], [0.642, 0.187, 0.196]),
    (AVERAGE, "average", None, [0.822, 0.828, 0.355], [0.822, 0.273, 0.355], [0.822, 0.376, 0.355]),
];

/// Table 5: the remaining terms of the score (eq. 11), valid ratio, entropy. Averages over the six sites.
const ABLATION: &[(&str, f64, f64)] = &[
    ("Dsim+Balance", 0.9892, 1.539),
    ("Info+Balance", 0.9896, 1.1413),
    ("Info+Dsim", 0.9936, 0.4949),
    ("Info+Dsim+Balance", 0.9954, 0.8649),
];

/// Table 2: features, types, clusters, outliers of the clustering; samples of 1,000 pages.
const CLUSTERING: &[(&str, f64, f64, f64, f64)] = &[
    ("paper: ASP", 194.0, 9.0, 12.0, 13.0),
    ("paper: YouTube", 446.0, 4.0, 12.0, 13.0),
    ("paper: Douban", 408.0, 22.0, 28.0, 15.0),
    ("paper: Hupu", 250.0, 7.0, 11.0, 19.0),
    ("paper: Rott", 414.0, 15.0, 20.0, 27.0),
    ("paper: Stack", 416.0, 15.0, 20.0, 55.0),
];

/// Returns table 3, the crawl for user-created content: the sites, then the average.
pub fn ucc() -> Vec<Row> {
    let of_site = |(site, valid, recall, f): &Site| {
        let rows = (0..3).map(|at| {
            Row { budget: Some(UCC_BUDGET.0), ..Row::new(site, "ucc", UCC_POLICIES[at]) }
                .with(Measure::ValidRatio, valid[at])
                .with(Measure::Recall, recall[at])
                .with(Measure::F, f[at])
        });
        rows.collect::<Vec<_>>()
    };
    UCC.iter().flat_map(of_site).collect()
}

/// Returns table 4, the crawl for a target: sites and targets, then the average.
pub fn target() -> Vec<Row> {
    let of_target = |(site, target, budget, rate, recall, f): &Target| {
        let rows = (0..3).map(|at| {
            let target = Some((*target).to_owned());
            Row { target, budget: *budget, ..Row::new(site, "target", TARGET_POLICIES[at]) }
                .with(Measure::HarvestRate, rate[at])
                .with(Measure::Recall, recall[at])
                .with(Measure::F, f[at])
        });
        rows.collect::<Vec<_>>()
    };
    TARGET.iter().flat_map(of_target).collect()
}

/// Returns table 5, the score without one of its terms.
pub fn ablation() -> Vec<Row> {
    let row = |(terms, valid_ratio, entropy): &(&str, f64, f64)| {
        let row = Row { variant: Some((*terms).to_owned()), ..Row::new(AVERAGE, "ucc", "SOUrCe") };
        row.with(Measure::ValidRatio, *valid_ratio).with(Measure::Entropy, *entropy)
    };
    ABLATION.iter().map(row).collect()
}

/// Returns table 2, the clusterings.
pub fn clustering() -> Vec<Row> {
    let row = |(site, features, types, clusters, outliers): &(&str, f64, f64, f64, f64)| {
        Row::new(site, "cluster", "SOUrCe")
            .with(Measure::Sample, 1_000.0)
            .with(Measure::Features, *features)
            .with(Measure::Types, *types)
            .with(Measure::Clusters, *clusters)
            .with(Measure::Outliers, *outliers)
    };
    CLUSTERING.iter().map(row).collect()
}

/// Returns only the averages.
pub fn averages(rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter().filter(|row| row.corpus == AVERAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measures::f_measure;

    /// Returns the mean of a measure over the sites, for a policy.
    fn mean(rows: &[Row], policy: &str, measure: Measure) -> f64 {
        let values = rows.iter().filter(|row| row.corpus != AVERAGE && row.policy == policy);
        let values: Vec<_> = values.map(|row| row.measures[&measure]).collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn the_published_averages_are_those_of_the_published_rows() {
        for (rows, measures) in [
            (ucc(), [Measure::ValidRatio, Measure::Recall, Measure::F]),
            (target(), [Measure::HarvestRate, Measure::Recall, Measure::F]),
        ] {
            for average in averages(rows.clone()) {
                for measure in measures {
                    let (stated, computed) = (average.measures[&measure], mean(&rows, &average.policy, measure));
                    assert!((stated - computed).abs() < 1.1e-3, "{} {measure:?}: {stated}, {computed}", average.policy);
                }
            }
        }
    }

    #[test]
    fn the_published_f_is_that_of_ratio_and_recall() {
        for row in ucc().iter().chain(&target()).filter(|row| row.corpus != AVERAGE) {
            let of = |measure| row.measures.get(&measure).copied();
            let ratio = of(Measure::ValidRatio).or(of(Measure::HarvestRate)).unwrap();
            let f = f_measure(ratio, of(Measure::Recall).unwrap());
            assert!((f - of(Measure::F).unwrap()).abs() < 2e-3, "{row:?}: {f}");
        }
    }

    #[test]
    fn every_table_is_whole() {
        assert_eq!((ucc().len(), target().len(), ablation().len(), clustering().len()), (21, 39, 4, 6));
        assert_eq!((averages(ucc()).len(), averages(target()).len()), (3, 3));
    }
}
