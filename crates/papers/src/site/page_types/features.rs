//! The features of a page, by which types of pages are told apart.

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
