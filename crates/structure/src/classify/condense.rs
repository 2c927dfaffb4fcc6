//! A smaller sample that classifies alike (condensed nearest neighbours, Hart 1968), which is future work of SOUrCe.

use super::index::{Buffers, Index};
use super::training_sample::{KnnOptions, NEIGHBOURS, Sample};
use crate::site::{Label, SparseVector};

/// Drops the entries of `sample` that its labels do not need: pages deep inside a cluster.
///
/// It starts with all outliers and the first few entries of each cluster, and adds entries that are classified wrongly
/// until the whole sample and at least `agreement` (0 … 1) of the `probes` (pages that are not in the sample) get the
/// label that the whole sample gives them. If that needs all entries, all are retained.
pub fn condense(sample: &Sample, options: &KnnOptions, probes: &[SparseVector], agreement: f64) -> Sample {
    let whole = Index::new(sample, *options);
    let mut keep = first_of_each(sample, options.neighbours.max(NEIGHBOURS));
    let own: Vec<Vec<(u32, f32)>> = sample.entries().iter().map(|entry| entry.vector.iter().collect()).collect();
    let probes: Vec<Vec<(u32, f32)>> = probes.iter().map(|probe| probe.iter().collect()).collect();
    let (own_labels, probe_labels) = (labels(&whole, &own), labels(&whole, &probes));
    loop {
        let kept = sample.only(&keep);
        let index = Index::new(&kept, *options);
        let wrong = differing(&own_labels, &labels(&index, &own));
        if !wrong.is_empty() {
            // A page that is in the sample itself and is nevertheless wrong needs more neighbours.
            let added = wrong.iter().filter(|place| !std::mem::replace(&mut keep[**place], true)).count();
            if added > 0 {
                continue;
            }
            wrong.iter().for_each(|place| keep_nearest(sample, options, &own[*place], &mut keep));
        } else {
            let wrong = differing(&probe_labels, &labels(&index, &probes));
            if wrong.len() as f64 <= (1.0 - agreement) * probes.len() as f64 {
                return kept;
            }
            wrong.iter().for_each(|place| keep_nearest(sample, options, &probes[*place], &mut keep));
        }
        if keep.iter().filter(|keep| **keep).count() == kept.entries().len() {
            return sample.clone();
        }
    }
}

fn first_of_each(sample: &Sample, count: usize) -> Vec<bool> {
    let mut seen = std::collections::BTreeMap::new();
    let mut first = |label: Label| {
        let seen: &mut usize = seen.entry(label).or_default();
        *seen += 1;
        label.is_none() || *seen <= count
    };
    sample.entries().iter().map(|entry| first(entry.label)).collect()
}

fn labels(index: &Index, pages: &[Vec<(u32, f32)>]) -> Vec<Label> {
    let mut buffers = Buffers::default();
    pages.iter().map(|page| index.classify(page, &mut buffers).cluster).collect()
}

fn differing(wanted: &[Label], found: &[Label]) -> Vec<usize> {
    (0..wanted.len()).filter(|&place| wanted[place] != found[place]).collect()
}

/// Retains the entries that vote on `page` in the whole sample.
fn keep_nearest(sample: &Sample, options: &KnnOptions, page: &[(u32, f32)], keep: &mut [bool]) {
    let page = SparseVector::new(page.to_vec());
    let distance = |place: &usize| page.distance(&sample.entries()[*place].vector);
    let mut places: Vec<usize> = (0..keep.len()).collect();
    places.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
    places.iter().take(options.neighbours).for_each(|place| keep[*place] = true);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pages_deep_inside_clusters_are_dropped() {
        // Two groups of 50 on a line, far apart.
        let place =
            |page: u16| SparseVector::new(vec![(0, f32::from(page % 50) + if page < 50 { 1.0 } else { 1000.0 })]);
        let vectors: Vec<_> = (0..100).map(place).collect();
        let labels: Vec<Label> = (0..100).map(|page| Some(page / 50)).collect();
        let sample = Sample::new(&vectors, &labels);
        let kept = condense(&sample, &KnnOptions::default(), &vectors, 1.0);
        assert_eq!(kept.entries().len(), 6);
    }

    #[test]
    fn nothing_condenses_to_nothing() {
        assert_eq!(condense(&Sample::default(), &KnnOptions::default(), &[], 0.999).pages(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_condensed_sample_gives_its_pages_and_the_probes_the_same_labels(
            places in proptest::collection::vec((1..60_u8, proptest::option::of(0..3_u32)), 0..40),
            probes in proptest::collection::vec(1..60_u8, 0..20),
        ) {
            let at = |place: u8| SparseVector::new(vec![(0, f32::from(place))]);
            let vectors: Vec<_> = places.iter().map(|(place, _)| at(*place)).collect();
            let sample = Sample::new(&vectors, &places.iter().map(|(_, label)| *label).collect::<Vec<_>>());
            let probes: Vec<_> = probes.into_iter().map(at).collect();
            let options = KnnOptions::default();
            let kept = condense(&sample, &options, &probes, 1.0);
            let (whole, part) = (Index::new(&sample, options), Index::new(&kept, options));
            let entries: Vec<Vec<_>> = vectors.iter().chain(&probes).map(|page| page.iter().collect()).collect();
            prop_assert_eq!(labels(&whole, &entries), labels(&part, &entries));
        }
    }
}
