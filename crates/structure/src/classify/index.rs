//! Exact k nearest neighbours through an inverted index, and by comparison with every page of the sample: the reference
//! implementation for tests of the index.

use std::ops::Range;

use super::training_sample::{Classified, KnnOptions, Neighbour, Outliers, Sample, vote};
use crate::site::{Label, SparseVector, distance, squared_norm};

/// The sample by feature: for each feature, the entries that have it.
///
/// A query adds up the scalar products feature by feature and touches only the features of the page; a distance then
/// needs the two norms and that product. Sums run in the order of the features, so distances equal those of
/// [`crate::site::SparseVector::distance`] to the last bit. Memory is 8 bytes for each non-zero weight of the distinct
/// pages.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// The start of the postings of each feature.
    starts: Vec<u32>,
    postings: Vec<(u32, f32)>,
    entries: Vec<Indexed>,
    /// The pages of all entries, of each entry at most as many as can vote.
    pages: Vec<u32>,
    options: KnnOptions,
}

#[derive(Debug, Clone)]
struct Indexed {
    squared_norm: f64,
    label: Label,
    pages: Range<u32>,
}

/// Buffers of a query; one per worker.
#[derive(Debug, Default)]
pub struct Buffers {
    dots: Vec<f64>,
    neighbours: Vec<Neighbour>,
}

impl Index {
    /// Creates the index of `sample`.
    pub fn new(sample: &Sample, options: KnnOptions) -> Self {
        let heard = |label: Label| label.is_some() || options.outliers == Outliers::Vote;
        let mut index = Self { options, ..Self::default() };
        let mut weights = Vec::new();
        for entry in sample.entries().iter().filter(|entry| heard(entry.label)) {
            let number = index.entries.len() as u32;
            weights.extend(entry.vector.iter().map(|(feature, weight)| (feature, number, weight)));
            let from = index.pages.len() as u32;
            index.pages.extend(entry.pages.iter().take(options.neighbours));
            let pages = from..index.pages.len() as u32;
            index.entries.push(Indexed { squared_norm: entry.vector.squared_norm(), label: entry.label, pages });
        }
        weights.sort_unstable_by_key(|(feature, number, _)| (*feature, *number));
        let features = weights.last().map_or(0, |(feature, ..)| *feature + 1);
        let start = |feature| weights.partition_point(|(other, ..)| *other < feature) as u32;
        index.starts = (0..=features).map(start).collect();
        index.postings = weights.into_iter().map(|(_, number, weight)| (number, weight)).collect();
        index
    }

    /// Returns the number of distinct pages in the index.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Classifies the page with these entries, which are sorted by feature as in a vector.
    pub fn classify(&self, page: &[(u32, f32)], buffers: &mut Buffers) -> Classified {
        self.add_up(page, &mut buffers.dots);
        self.nearest(squared_norm(page), buffers);
        vote(&buffers.neighbours, &self.options)
    }

    /// Computes the scalar products of the page with every entry.
    fn add_up(&self, page: &[(u32, f32)], dots: &mut Vec<f64>) {
        dots.clear();
        dots.resize(self.entries.len(), 0.0);
        for (feature, weight) in page {
            let weight = f64::from(*weight);
            for (number, other) in self.postings(*feature) {
                dots[*number as usize] += weight * f64::from(*other);
            }
        }
    }

    fn postings(&self, feature: u32) -> &[(u32, f32)] {
        let feature = feature as usize;
        let range = self.starts.get(feature).zip(self.starts.get(feature + 1));
        range.map_or(&[], |(from, to)| &self.postings[*from as usize..*to as usize])
    }

    /// Leaves the nearest pages in the buffer, nearest first.
    fn nearest(&self, squared_norm: f64, buffers: &mut Buffers) {
        let Buffers { dots, neighbours } = buffers;
        neighbours.clear();
        // Squared distances suffice to see that an entry is too far, and the root is the expensive part. An entry
        // slightly farther than the last neighbour may have the same rounded distance, hence the slack.
        let mut farthest = f64::INFINITY;
        for (entry, dot) in self.entries.iter().zip(dots.iter()) {
            if (squared_norm + entry.squared_norm) - 2.0 * dot > farthest {
                continue;
            }
            let distance = distance(squared_norm, entry.squared_norm, *dot);
            for page in &self.pages[entry.pages.start as usize..entry.pages.end as usize] {
                self.insert(Neighbour { distance, page: *page, label: entry.label }, neighbours);
            }
            if let Some(last) = neighbours.get(self.options.neighbours.wrapping_sub(1)) {
                farthest = f64::from(last.distance).powi(2) * (1.0 + 1e-6);
            }
        }
    }

    fn insert(&self, neighbour: Neighbour, neighbours: &mut Vec<Neighbour>) {
        let place = neighbours.iter().position(|other| neighbour.is_before(other)).unwrap_or(neighbours.len());
        if place < self.options.neighbours {
            neighbours.truncate(self.options.neighbours - 1);
            neighbours.insert(place, neighbour);
        }
    }
}

/// Classifies `page` by its distances to all pages of `sample`.
pub fn classify_naively(sample: &Sample, options: &KnnOptions, page: &SparseVector) -> Classified {
    let heard = |label: Option<u32>| label.is_some() || options.outliers == Outliers::Vote;
    let mut neighbours: Vec<Neighbour> = Vec::new();
    for entry in sample.entries().iter().filter(|entry| heard(entry.label)) {
        let distance = page.distance(&entry.vector);
        neighbours.extend(entry.pages.iter().map(|&page| Neighbour { distance, page, label: entry.label }));
    }
    neighbours.sort_unstable_by(|one, other| one.distance.total_cmp(&other.distance).then(one.page.cmp(&other.page)));
    neighbours.truncate(options.neighbours);
    vote(&neighbours, options)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn classify(index: &Index, page: &SparseVector) -> Classified {
        index.classify(&page.iter().collect::<Vec<_>>(), &mut Buffers::default())
    }

    #[test]
    fn an_empty_sample_has_nothing_like_the_page() {
        let index = Index::new(&Sample::default(), KnnOptions::default());
        assert_eq!(classify(&index, &SparseVector::new(vec![(3, 1.0)])), Classified::UNLIKE_ALL);
    }

    #[test]
    fn copies_of_a_page_vote_each() {
        let [a, b] = [1.0, 2.0].map(|weight| SparseVector::new(vec![(1, weight)]));
        let vectors = [b.clone(), b, a.clone(), a];
        let sample = Sample::new(&vectors, &[Some(1), Some(1), Some(0), Some(0)]);
        let found = classify(&Index::new(&sample, KnnOptions::default()), &SparseVector::new(vec![(1, 1.25)]));
        assert_eq!(found, Classified { cluster: Some(0), distance: 0.25, nearest: 2 });
    }

    #[test]
    fn a_page_of_unknown_features_is_nearest_to_the_shortest_vector() {
        let vectors = [3.0, 1.0, 2.0].map(|weight| SparseVector::new(vec![(1, weight)]));
        let options = KnnOptions { neighbours: 1, ..KnnOptions::default() };
        let index = Index::new(&Sample::new(&vectors, &[Some(0), Some(1), Some(2)]), options);
        assert_eq!(classify(&index, &SparseVector::default()).nearest, 1);
        assert_eq!(classify(&index, &SparseVector::new(vec![(77, 1.0)])).cluster, Some(1));
    }

    fn vectors(count: usize) -> impl Strategy<Value = Vec<SparseVector>> {
        let entry = (0..6_u32, (1..4_u8).prop_map(f32::from));
        let vector =
            proptest::collection::vec(entry, 0..5).prop_map(|entries| SparseVector::new(entries).l1_normalised());
        proptest::collection::vec(vector, 0..count)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_index_says_what_looking_at_every_page_says(
            sample in vectors(25), pages in vectors(12), labels in proptest::collection::vec(proptest::option::of(0..4_u32), 25),
            neighbours in 0..5_usize, vote in any::<bool>(), cut_off in proptest::option::of(0.0..1.0_f32),
        ) {
            let outliers = if vote { Outliers::Vote } else { Outliers::Ignored };
            let options = KnnOptions { neighbours, outliers, cut_off };
            let sample = Sample::new(&sample, &labels);
            let index = Index::new(&sample, options);
            for page in &pages {
                prop_assert_eq!(classify(&index, page), classify_naively(&sample, &options, page));
            }
        }
    }
}
