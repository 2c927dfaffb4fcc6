//! The pages of the training sample, with identical ones merged, and the way from nearest neighbours to a cluster
//! (SOUrCe 2018, section 3.4).

use std::collections::HashMap;

use crate::site::{Label, SparseVector};

/// The labelled sample. Pages with one vector and label are one entry, of any number of pages: votes need only the
/// first few of them.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    entries: Vec<Entry>,
}

/// Identical pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Their vector.
    pub vector: SparseVector,
    /// Their cluster; `None` for outliers.
    pub label: Label,
    /// The numbers of the pages, ascending.
    pub pages: Vec<u32>,
}

impl Sample {
    /// Creates the sample of these pages, one vector and label per page. If one list is longer, its surplus is ignored.
    pub fn new(vectors: &[SparseVector], labels: &[Label]) -> Self {
        let mut place: HashMap<(&SparseVector, Label), usize> = HashMap::new();
        let mut entries: Vec<Entry> = Vec::new();
        for (page, (vector, &label)) in (0..).zip(vectors.iter().zip(labels)) {
            let at = *place.entry((vector, label)).or_insert(entries.len());
            if at == entries.len() {
                entries.push(Entry { vector: vector.clone(), label, pages: Vec::new() });
            }
            entries[at].pages.push(page);
        }
        Self { entries }
    }

    /// Returns the entries, by first page.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the number of pages in the sample.
    pub fn pages(&self) -> usize {
        self.entries.iter().map(|entry| entry.pages.len()).sum()
    }

    /// Returns this sample with only the entries that `keep` selects by their position.
    pub fn only(&self, keep: &[bool]) -> Self {
        let kept = self.entries.iter().zip(keep).filter(|(_, keep)| **keep);
        Self { entries: kept.map(|(entry, _)| entry.clone()).collect() }
    }
}

/// Number of neighbours that vote (minPts - 1).
pub const NEIGHBOURS: usize = 3;

/// How classification treats the outliers of the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outliers {
    /// As a class like a cluster: a page among outliers is one.
    #[default]
    Vote,
    /// As absent: every page gets a cluster, unless the cut-off forbids it.
    Ignored,
}

/// Options of the vote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnnOptions {
    /// Number of neighbours that vote.
    pub neighbours: usize,
    /// Whether outliers vote.
    pub outliers: Outliers,
    /// A page whose nearest neighbour is farther away than this is an outlier.
    pub cut_off: Option<f32>,
}

impl Default for KnnOptions {
    fn default() -> Self {
        Self { neighbours: NEIGHBOURS, outliers: Outliers::Vote, cut_off: None }
    }
}

/// A page of the sample, as a neighbour of the page to classify.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Euclidean distance.
    pub distance: f32,
    /// Its number in the sample.
    pub page: u32,
    /// Its cluster.
    pub label: Label,
}

impl Neighbour {
    /// Returns whether this neighbour comes first: nearer before farther, and of equally near ones the earlier page.
    pub fn is_before(&self, other: &Self) -> bool {
        self.distance.total_cmp(&other.distance).then(self.page.cmp(&other.page)).is_lt()
    }
}

/// The result of classification.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classified {
    /// The page's cluster; `None` for an outlier.
    pub cluster: Label,
    /// The distance to the nearest page of the sample; infinite if the sample is empty.
    pub distance: f32,
    /// The number of that page.
    pub nearest: u32,
}

impl Classified {
    /// The result for every page if the sample is empty.
    pub const UNLIKE_ALL: Self = Self { cluster: None, distance: f32::INFINITY, nearest: u32::MAX };
}

/// Returns the label that most of the neighbours have, which are given nearest first; of labels with equally many votes
/// the one with the nearest neighbour.
pub fn vote(neighbours: &[Neighbour], options: &KnnOptions) -> Classified {
    let Some(nearest) = neighbours.first() else { return Classified::UNLIKE_ALL };
    let too_far = options.cut_off.is_some_and(|cut_off| nearest.distance > cut_off);
    let cluster = if too_far { None } else { majority(neighbours) };
    Classified { cluster, distance: nearest.distance, nearest: nearest.page }
}

fn majority(neighbours: &[Neighbour]) -> Label {
    let votes = |label: Label| neighbours.iter().filter(|neighbour| neighbour.label == label).count();
    let mut best = (0, None);
    for neighbour in neighbours {
        let count = votes(neighbour.label);
        if count > best.0 {
            best = (count, neighbour.label);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identical_pages_of_one_label_are_one_entry() {
        let [a, b] = [1, 2].map(|feature| SparseVector::new(vec![(feature, 1.0)]));
        let sample = Sample::new(&[a.clone(), b.clone(), a.clone(), a], &[Some(0), None, Some(0), None]);
        let pages: Vec<_> = sample.entries().iter().map(|entry| (entry.label, entry.pages.clone())).collect();
        assert_eq!(pages, [(Some(0), vec![0, 2]), (None, vec![1]), (None, vec![3])]);
        assert_eq!(sample.pages(), 4);
        assert_eq!(sample.only(&[true, false, false]).pages(), 2);
    }

    fn vote_of(labels: &[Label], options: &KnnOptions) -> Label {
        let neighbour = |(place, label): (u8, &Label)| Neighbour { distance: f32::from(place), page: 9, label: *label };
        vote(&(1..).zip(labels).map(neighbour).collect::<Vec<_>>(), options).cluster
    }

    #[test]
    fn the_majority_wins_and_the_nearest_breaks_ties() {
        let vote = |labels: &[Label]| vote_of(labels, &KnnOptions::default());
        assert_eq!(vote(&[Some(1), Some(2), Some(2)]), Some(2));
        assert_eq!(vote(&[Some(1), Some(2), Some(3)]), Some(1));
        assert_eq!(vote(&[Some(1), None, None]), None, "outliers are a class");
        assert_eq!(vote(&[None, Some(2)]), None);
        assert_eq!(vote(&[]), None);
    }

    #[test]
    fn a_page_beyond_the_cut_off_is_an_outlier() {
        let at = |cut_off| vote_of(&[Some(1)], &KnnOptions { cut_off: Some(cut_off), ..KnnOptions::default() });
        assert_eq!((at(0.5), at(1.0)), (None, Some(1)));
    }
}
