//! The pages of the training sample, with identical ones merged.

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
}
