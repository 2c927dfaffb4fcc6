//! Hubs and authorities among clusters (Kleinberg 1999; SOUrCe 2018, eq. 7 and 8).

use super::adjacency::Adjacency;

/// The iteration ends when no value changes by more than this.
const CONVERGED: f64 = 1e-10;
/// Maximum number of steps. Matrices whose two largest singular values are nearly equal converge slowly; the values are
/// then mixtures that further steps hardly change.
const STEPS_MAX: u32 = 10_000;
/// The weight of each further link relative to the one before, in [`multi_hop`].
const HOP_DISCOUNT: f64 = 0.3;
/// Number of links that [`multi_hop`] looks ahead.
const HOPS: u32 = 3;

/// The norm that is 1 after each half-step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Norm {
    /// The root of the sum of squares.
    #[default]
    L2,
    /// The sum. It changes the balance of authority and hub in Info.
    L1,
}

/// Links as the two operators of HITS.
pub trait Reinforcement {
    /// Returns the hub values that these authority values give, not normalised.
    fn hubs(&self, authority: &[f64]) -> Vec<f64>;

    /// Returns the authority values that these hub values give, not normalised.
    fn authorities(&self, hub: &[f64]) -> Vec<f64>;
}

impl Reinforcement for Adjacency {
    /// A a.
    fn hubs(&self, authority: &[f64]) -> Vec<f64> {
        self.times(authority)
    }

    /// Aᵀ h.
    fn authorities(&self, hub: &[f64]) -> Vec<f64> {
        self.transposed_times(hub)
    }
}

/// When the iteration ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    /// No value changes by this much or more.
    pub change: f64,
    /// Maximum number of steps.
    pub steps_max: u32,
}

impl Default for Convergence {
    fn default() -> Self {
        Self { change: CONVERGED, steps_max: STEPS_MAX }
    }
}

/// The values of each cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    /// As a destination of links.
    pub authority: Vec<f64>,
    /// As a source of links to good destinations.
    pub hub: Vec<f64>,
    /// The number of steps.
    pub steps: u32,
}

/// Computes h = A a and a = Aᵀ h alternately, from all ones, each normalised, until nothing changes. Without links all
/// values are 0.
pub fn hits(adjacency: &Adjacency, norm: Norm) -> Hits {
    let ones = vec![1.0; adjacency.clusters()];
    hits_from(adjacency, Hits { authority: ones.clone(), hub: ones, steps: 0 }, norm, Convergence::default())
}

/// Applies both operators alternately, the one of hubs first, from the values `start`, each result normalised.
pub fn hits_from(links: &impl Reinforcement, start: Hits, norm: Norm, until: Convergence) -> Hits {
    let mut hits = Hits { steps: 0, ..start };
    while hits.steps < until.steps_max {
        let hub = normalised(links.hubs(&hits.authority), norm);
        let authority = normalised(links.authorities(&hub), norm);
        let change = largest_change(&hub, &hits.hub).max(largest_change(&authority, &hits.authority));
        hits = Hits { authority, hub, steps: hits.steps + 1 };
        if change < until.change {
            break;
        }
    }
    hits
}

/// Computes the variant for a target: authority is fixed to 1 for the example's cluster and 0 for all others, hubs are
/// the clusters that link there (one step of eq. 7).
pub fn target_hits(adjacency: &Adjacency, target: u32, norm: Norm) -> Hits {
    let authority = only(adjacency, target);
    Hits { hub: normalised(adjacency.times(&authority), norm), authority, steps: 1 }
}

/// Computes the same with hubs of hubs: h = Σ 0.3^(k-1) · Aᵏ a, each term divided by its largest value, for up to three
/// links. It needs an adjacency of links per page.
pub fn multi_hop(adjacency: &Adjacency, target: u32) -> Hits {
    let authority = only(adjacency, target);
    let mut hub = vec![0.0; authority.len()];
    let (mut reach, mut weight) = (authority.clone(), 1.0);
    for _ in 0..HOPS {
        reach = divided(adjacency.times(&reach), |values| values.iter().copied().fold(0.0, f64::max));
        hub.iter_mut().zip(&reach).for_each(|(hub, reach)| *hub += weight * reach);
        weight *= HOP_DISCOUNT;
    }
    Hits { authority, hub, steps: HOPS }
}

fn only(adjacency: &Adjacency, target: u32) -> Vec<f64> {
    (0..adjacency.clusters()).map(|cluster| f64::from(u8::from(cluster == target as usize))).collect()
}

fn normalised(values: Vec<f64>, norm: Norm) -> Vec<f64> {
    divided(values, |values| match norm {
        Norm::L2 => values.iter().map(|value| value * value).sum::<f64>().sqrt(),
        Norm::L1 => values.iter().map(|value| value.abs()).sum(),
    })
}

fn divided(mut values: Vec<f64>, by: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let by = by(&values);
    values.iter_mut().for_each(|value| *value = if by > 0.0 { *value / by } else { 0.0 });
    values
}

fn largest_change(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrix(rows: &[&[f64]]) -> Adjacency {
        let mut adjacency = Adjacency::new(rows.len());
        for (from, row) in rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(to, links)| adjacency.add(from, to, *links));
        }
        adjacency
    }

    fn assert_close(found: &[f64], wanted: &[f64]) {
        let close = found.len() == wanted.len() && largest_change(found, wanted) < 1e-8;
        assert!(close, "{found:?} is not {wanted:?}");
    }

    #[test]
    fn a_hub_and_its_two_authorities_have_the_values_computed_by_hand() {
        // Cluster 0 links 3 times to 1 and 4 times to 2: a = (0, 3, 4) / 5, h = (1, 0, 0).
        let adjacency = matrix(&[&[0.0, 3.0, 4.0], &[0.0; 3], &[0.0; 3]]);
        let found = hits(&adjacency, Norm::L2);
        assert_close(&found.authority, &[0.0, 0.6, 0.8]);
        assert_close(&found.hub, &[1.0, 0.0, 0.0]);
        assert_close(&hits(&adjacency, Norm::L1).authority, &[0.0, 3.0 / 7.0, 4.0 / 7.0]);
    }

    #[test]
    fn two_coupled_clusters_have_the_singular_vectors_of_their_matrix() {
        // A = [[1, 1], [0, 1]]: AᵀA = [[1, 1], [1, 2]], whose first eigenvector is (1, φ) for the golden ratio φ.
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let length = (1.0 + golden * golden).sqrt();
        let found = hits(&matrix(&[&[1.0, 1.0], &[0.0, 1.0]]), Norm::L2);
        assert_close(&found.authority, &[1.0 / length, golden / length]);
        assert_close(&found.hub, &[golden / length, 1.0 / length]);
        assert!(found.steps < 100);
    }

    #[test]
    fn without_clusters_or_links_there_is_nothing() {
        assert!(hits(&Adjacency::new(0), Norm::L2).hub.is_empty());
        assert_eq!(hits(&Adjacency::new(2), Norm::L2), Hits { authority: vec![0.0; 2], hub: vec![0.0; 2], steps: 2 });
        assert_eq!(target_hits(&Adjacency::new(1), 5, Norm::L2).authority, [0.0]);
    }

    #[test]
    fn the_hubs_of_a_target_are_what_links_to_it() {
        let adjacency = matrix(&[&[9.0, 3.0, 0.0], &[0.0, 0.0, 7.0], &[0.0, 4.0, 0.0]]);
        let found = target_hits(&adjacency, 1, Norm::L2);
        assert_close(&found.authority, &[0.0, 1.0, 0.0]);
        assert_close(&found.hub, &[0.6, 0.0, 0.8]);
    }

    #[test]
    fn hubs_of_hubs_count_less() {
        // 0 → 1 → 2, and 2 is wanted.
        let found = multi_hop(&matrix(&[&[0.0, 2.0, 0.0], &[0.0, 0.0, 5.0], &[0.0; 3]]), 2);
        assert_close(&found.hub, &[0.3, 1.0, 0.0]);
    }

    /// The reference implementation: powers of the matrix A Aᵀ, multiplied out.
    fn hubs_by_power_iteration(rows: &[Vec<f64>], steps: u32) -> Vec<f64> {
        let size = rows.len();
        let squared: Vec<Vec<f64>> =
            (0..size).map(|i| (0..size).map(|j| (0..size).map(|k| rows[i][k] * rows[j][k]).sum()).collect()).collect();
        let mut hub: Vec<f64> = rows.iter().map(|row| row.iter().sum()).collect();
        for _ in 1..steps {
            hub = squared.iter().map(|row| row.iter().zip(&hub).map(|(entry, hub)| entry * hub).sum()).collect();
            hub = normalised(hub, Norm::L2);
        }
        normalised(hub, Norm::L2)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn hubs_are_those_of_power_iteration(entries in proptest::collection::vec(0..9_u8, 16)) {
            let rows: Vec<Vec<f64>> = entries.chunks(4).map(|row| row.iter().copied().map(f64::from).collect()).collect();
            let adjacency = matrix(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let found = hits(&adjacency, Norm::L2);
            let wanted = hubs_by_power_iteration(&rows, found.steps);
            prop_assert!(largest_change(&found.hub, &wanted) < 1e-9, "{:?} is not {:?}", found, wanted);
        }
    }
}
