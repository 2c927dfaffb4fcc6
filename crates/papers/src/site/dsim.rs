//! The distances of pages to the centroid of their cluster.

use harvestman_structure::site::{Label, SparseVector};

/// Returns Dsim(C), the mean Euclidean distance of a cluster's pages to their centroid (SOUrCe 2018, eq. 10), for the
/// clusters 0 … `clusters`-1. It is 0 for a cluster of identical pages and for one without pages.
pub fn dsim(vectors: &[SparseVector], labels: &[Label], clusters: usize) -> Vec<f64> {
    let features = vectors.iter().filter_map(|vector| vector.ids().last()).max().map_or(0, |last| *last as usize + 1);
    let mut of_cluster: Vec<Vec<&SparseVector>> = vec![Vec::new(); clusters];
    for (vector, label) in vectors.iter().zip(labels) {
        if let Some(pages) = label.and_then(|cluster| of_cluster.get_mut(cluster as usize)) {
            pages.push(vector);
        }
    }
    of_cluster.iter().map(|pages| mean_distance_to_centroid(pages, features)).collect()
}

fn mean_distance_to_centroid(pages: &[&SparseVector], features: usize) -> f64 {
    let Some(first) = pages.first() else { return 0.0 };
    // Rounding must not make identical pages differ from their centroid.
    if pages.iter().all(|page| page == first) {
        return 0.0;
    }
    let count = pages.len() as f64;
    let mut centroid = vec![0.0; features];
    for (feature, weight) in pages.iter().flat_map(|page| page.iter()) {
        centroid[feature as usize] += f64::from(weight) / count;
    }
    let norm: f64 = centroid.iter().map(|weight| weight * weight).sum();
    let distance = |page: &&SparseVector| {
        let dot: f64 = page.iter().map(|(feature, weight)| f64::from(weight) * centroid[feature as usize]).sum();
        (page.squared_norm() + norm - 2.0 * dot).max(0.0).sqrt()
    };
    pages.iter().map(distance).sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(x: f32, y: f32) -> SparseVector {
        SparseVector::new(vec![(0, x), (3, y)])
    }

    #[test]
    fn dsim_is_that_of_equation_10() {
        // The centroid of the first three is (1, 1): distances 1, 1 and 0. Cluster 1 is one page, cluster 2 has none.
        let vectors = [at(0.0, 1.0), at(2.0, 1.0), at(1.0, 1.0), at(7.0, 7.0), at(99.0, 99.0)];
        let labels = [Some(0), Some(0), Some(0), Some(1), None];
        let found = dsim(&vectors, &labels, 3);
        assert!((found[0] - 2.0 / 3.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found[1..], [0.0, 0.0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn dsim_is_at_most_the_largest_distance_within_the_cluster(
            places in proptest::collection::vec((0..50_u8, 0..50_u8), 1..20)
        ) {
            let vectors: Vec<_> = places.iter().map(|(x, y)| at(f32::from(*x), f32::from(*y))).collect();
            let found = dsim(&vectors, &vec![Some(0); vectors.len()], 1)[0];
            let pairs = vectors.iter().flat_map(|one| vectors.iter().map(|other| one.distance(other)));
            prop_assert!(found >= 0.0 && found <= f64::from(pairs.fold(0.0, f32::max)) + 1e-4);
        }
    }
}
