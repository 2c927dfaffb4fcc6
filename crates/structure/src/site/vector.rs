//! Sparse vectors: the representation of a page in clustering and classification; and the cluster nearest to a page.

use std::hash::{Hash, Hasher};

use super::Label;

/// A vector with few non-zero entries, sorted by feature.
///
/// Weights are finite and not zero. Sums run over ascending features in double precision, so that a distance is the
/// same to the last bit whether it is computed by merging two vectors or through an inverted index.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
#[serde(from = "Vec<(u32, f32)>", into = "Vec<(u32, f32)>")]
pub struct SparseVector {
    ids: Box<[u32]>,
    weights: Box<[f32]>,
    squared_norm: f64,
}

impl SparseVector {
    /// Creates the vector with these entries, in any order. Entries of one feature are added up; zeros and non-finite
    /// numbers are dropped.
    pub fn new(mut entries: Vec<(u32, f32)>) -> Self {
        entries.sort_by_key(|(id, _)| *id);
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        entries.retain(|(_, weight)| weight.is_finite() && *weight != 0.0);
        Self::from_sorted(&entries)
    }

    /// Creates the vector with these entries, which are sorted, of different features, finite and not zero.
    pub(crate) fn from_sorted(entries: &[(u32, f32)]) -> Self {
        debug_assert!(entries.windows(2).all(|pair| pair[0].0 < pair[1].0), "sorted by feature, each once");
        let (ids, weights) = entries.iter().copied().unzip::<_, _, Vec<_>, Vec<_>>();
        Self { ids: ids.into(), weights: weights.into(), squared_norm: squared_norm(entries) }
    }

    /// Returns the features with non-zero weight, ascending.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns feature and weight of each entry, by ascending feature.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.ids.iter().copied().zip(self.weights.iter().copied())
    }

    /// Returns the number of non-zero entries.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether this is the zero vector.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the squared Euclidean norm, computed once.
    pub const fn squared_norm(&self) -> f64 {
        self.squared_norm
    }

    /// Returns this vector divided by the sum of its absolute weights (SOUrCe 2018, eq. 2); the zero vector is
    /// unchanged.
    pub fn l1_normalised(&self) -> Self {
        let mut entries: Vec<_> = self.iter().collect();
        normalise_l1(&mut entries);
        Self::from_sorted(&entries)
    }

    /// Returns the scalar product.
    pub fn dot(&self, other: &Self) -> f64 {
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while let (Some(one), Some(two)) = (self.ids.get(i), other.ids.get(j)) {
            if one == two {
                sum += f64::from(self.weights[i]) * f64::from(other.weights[j]);
            }
            i += usize::from(one <= two);
            j += usize::from(two <= one);
        }
        sum
    }

    /// Returns the Euclidean distance, computed from the scalar product.
    pub fn distance(&self, other: &Self) -> f32 {
        distance(self.squared_norm, other.squared_norm, self.dot(other))
    }

    /// Returns the Euclidean distance, computed from the differences: the reference for [`Self::distance`].
    pub fn distance_by_merge(&self, other: &Self) -> f32 {
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        loop {
            let (one, two) = (self.ids.get(i).copied(), other.ids.get(j).copied());
            let Some(id) = one.into_iter().chain(two).min() else { break };
            let mut difference = 0.0;
            if one == Some(id) {
                difference += f64::from(self.weights[i]);
                i += 1;
            }
            if two == Some(id) {
                difference -= f64::from(other.weights[j]);
                j += 1;
            }
            sum += difference * difference;
        }
        sum.sqrt() as f32
    }
}

impl From<Vec<(u32, f32)>> for SparseVector {
    fn from(entries: Vec<(u32, f32)>) -> Self {
        Self::new(entries)
    }
}

impl From<SparseVector> for Vec<(u32, f32)> {
    fn from(vector: SparseVector) -> Self {
        vector.iter().collect()
    }
}

// The weights are finite and not zero, so equal bits are equal numbers.
impl PartialEq for SparseVector {
    fn eq(&self, other: &Self) -> bool {
        self.ids == other.ids && self.weights == other.weights
    }
}

impl Eq for SparseVector {}

impl Hash for SparseVector {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ids.hash(state);
        self.weights.iter().for_each(|weight| weight.to_bits().hash(state));
    }
}

/// Returns the Euclidean distance between two vectors with these squared norms and this scalar product.
pub fn distance(squared_norm: f64, other_squared_norm: f64, dot: f64) -> f32 {
    // A sum in one fixed order keeps the distance symmetric to the last bit.
    let squared = (squared_norm + other_squared_norm) - 2.0 * dot;
    squared.max(0.0).sqrt() as f32
}

/// Returns the squared norm of these entries, summed in their order.
pub fn squared_norm(entries: &[(u32, f32)]) -> f64 {
    // Not `sum`, which starts at -0.0.
    entries.iter().fold(0.0, |sum, (_, weight)| sum + f64::from(*weight) * f64::from(*weight))
}

/// Divides all weights by the sum of their absolute values; entries that become zero are dropped.
pub fn normalise_l1(entries: &mut Vec<(u32, f32)>) {
    let sum: f64 = entries.iter().map(|(_, weight)| f64::from(weight.abs())).sum();
    entries.iter_mut().for_each(|(_, weight)| *weight = (f64::from(*weight) / sum) as f32);
    entries.retain(|(_, weight)| weight.is_finite() && *weight != 0.0);
}

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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn distances_of_known_vectors_are_pythagoras() {
        let one = SparseVector::new(vec![(7, 3.0), (1, 1.0)]);
        let two = SparseVector::new(vec![(1, 1.0), (9, 4.0)]);
        assert_eq!((one.distance(&two), one.distance_by_merge(&two)), (5.0, 5.0));
        assert_eq!((one.dot(&two), one.squared_norm()), (1.0, 10.0));
        assert_eq!(one.distance(&SparseVector::default()), 10.0_f32.sqrt(), "the zero vector is a norm away");
    }

    #[test]
    fn entries_are_sorted_added_up_and_cleaned() {
        let vector =
            SparseVector::new(vec![(5, 1.0), (2, 0.5), (5, 2.0), (3, 0.0), (4, f32::NAN), (6, 1.0), (6, -1.0)]);
        assert_eq!(vector.iter().collect::<Vec<_>>(), [(2, 0.5), (5, 3.0)]);
    }

    #[test]
    fn l1_normalisation_makes_weights_sum_to_one_and_leaves_the_zero_vector() {
        let vector = SparseVector::new(vec![(1, 1.0), (2, 3.0)]).l1_normalised();
        assert_eq!(vector.iter().collect::<Vec<_>>(), [(1, 0.25), (2, 0.75)]);
        assert!(SparseVector::default().l1_normalised().is_empty());
    }

    fn vectors() -> impl Strategy<Value = SparseVector> {
        proptest::collection::vec((0..20_u32, -2.0..2.0_f32), 0..12).prop_map(SparseVector::new)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn distance_is_a_metric_and_both_ways_to_it_agree(a in vectors(), b in vectors(), c in vectors()) {
            prop_assert!((a.distance(&b) - a.distance_by_merge(&b)).abs() < 1e-5);
            prop_assert_eq!(a.distance(&b).to_bits(), b.distance(&a).to_bits());
            prop_assert_eq!(a.distance(&a), 0.0);
            prop_assert!(a.distance(&c) <= a.distance(&b) + b.distance(&c) + 1e-5);
        }

        #[test]
        fn a_vector_that_was_stored_is_the_same_to_the_last_bit(vector in vectors()) {
            let read: SparseVector = serde_json::from_str(&serde_json::to_string(&vector).unwrap()).unwrap();
            prop_assert_eq!(read.squared_norm().to_bits(), vector.squared_norm().to_bits());
            prop_assert_eq!(read, vector);
        }
    }

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
