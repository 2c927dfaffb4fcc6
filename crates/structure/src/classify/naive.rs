//! k nearest neighbours by comparison with every page of the sample: the reference implementation for tests of the
//! index.

use super::sample::Sample;
use super::vote::{Classified, KnnOptions, Neighbour, Outliers, vote};
use crate::site::SparseVector;

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
