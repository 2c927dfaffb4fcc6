//! The cluster nearest to a page.

use super::Label;
use super::vector::SparseVector;

/// Returns the cluster whose pages are nearest to `page` on average. It represents an example page that is itself an
/// outlier.
pub fn nearest_cluster(vectors: &[SparseVector], labels: &[Label], page: &SparseVector) -> Label {
    let mut sums = std::collections::BTreeMap::<u32, (f64, u32)>::new();
    for (vector, label) in vectors.iter().zip(labels) {
        if let Some(cluster) = label {
            let (sum, count) = sums.entry(*cluster).or_default();
            *sum += f64::from(page.distance(vector));
            *count += 1;
        }
    }
    let means = sums.into_iter().map(|(cluster, (sum, count))| (cluster, sum / f64::from(count)));
    means.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(cluster, _)| cluster)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32) -> SparseVector {
        SparseVector::new(vec![(0, x), (3, y)])
    }

    #[test]
    fn an_outlier_is_nearest_to_the_cluster_that_is_nearest_on_average() {
        let vectors = [at(1.0, 0.0), at(9.0, 0.0), at(4.0, 0.0), at(2.5, 0.0)];
        let labels = [Some(0), Some(0), Some(1), None];
        assert_eq!(nearest_cluster(&vectors, &labels, &at(2.0, 0.0)), Some(1));
        assert_eq!(nearest_cluster(&vectors[..1], &[None], &at(2.0, 0.0)), None);
    }
}
