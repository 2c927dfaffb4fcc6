//! What pages are told apart by: their texts, and other features.

use harvestman_core::model::PsnvPair;

/// The PSNV pairs of a page: each once, in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageStrings {
    pairs: Box<[(u64, u64)]>,
}

impl PageStrings {
    /// Takes the pairs of a parsed page.
    pub fn new(pairs: &[PsnvPair]) -> Self {
        pairs.iter().map(|pair| (pair.path, pair.value)).collect()
    }

    /// Returns the pairs: path string and value, in ascending order.
    pub const fn pairs(&self) -> &[(u64, u64)] {
        &self.pairs
    }

    /// Returns the path strings, each once, in ascending order.
    pub fn paths(&self) -> impl Iterator<Item = u64> + '_ {
        self.pairs.chunk_by(|one, other| one.0 == other.0).map(|pairs| pairs[0].0)
    }

    /// Returns whether a text has this path string. O(log pairs).
    pub fn has_path(&self, path: u64) -> bool {
        let at = self.pairs.partition_point(|pair| pair.0 < path);
        self.pairs.get(at).is_some_and(|pair| pair.0 == path)
    }
}

impl FromIterator<(u64, u64)> for PageStrings {
    fn from_iter<T: IntoIterator<Item = (u64, u64)>>(pairs: T) -> Self {
        let mut pairs: Vec<(u64, u64)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs: pairs.into_boxed_slice() }
    }
}

/// The features of a page, each once: hashes of leaf paths, of parts of its address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFeatures(Box<[u64]>);

impl FromIterator<u64> for PageFeatures {
    fn from_iter<I: IntoIterator<Item = u64>>(features: I) -> Self {
        let mut features: Vec<u64> = features.into_iter().collect();
        features.sort_unstable();
        features.dedup();
        Self(features.into())
    }
}

impl PageFeatures {
    /// Returns the features, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_path_strings_are_listed_once() {
        let page: PageStrings = [(2, 1), (1, 5), (2, 1), (2, 3)].into_iter().collect();
        assert_eq!(page.pairs(), [(1, 5), (2, 1), (2, 3)]);
        assert_eq!(page.paths().collect::<Vec<_>>(), [1, 2]);
        assert_eq!([0, 1, 2, 3].map(|path| page.has_path(path)), [false, true, true, false]);
    }
}
