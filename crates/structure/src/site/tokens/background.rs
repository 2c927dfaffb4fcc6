//! How many documents of a general collection contain each token.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;

use super::tokens;

/// Maximum number of distinct tokens that are counted, about 60 bytes each. Further ones count as unknown.
const DISTINCT_MAX: usize = 1 << 20;

/// Document frequencies of a collection that is not about the wanted subject: the other pages of a site, or pages of
/// many sites.
#[derive(Debug, Clone, Default)]
pub struct Background {
    documents: u64,
    containing: HashMap<String, u64, FixedState>,
}

impl Background {
    /// Creates it from known counts: the number of documents, and for each token how many of them contain it.
    pub fn from_counts(documents: u64, containing: impl IntoIterator<Item = (String, u64)>) -> Self {
        let containing = containing.into_iter().take(DISTINCT_MAX).map(|(token, count)| (token, count.min(documents)));
        Self { documents, containing: containing.collect() }
    }

    /// Counts a document.
    pub fn add(&mut self, text: &str) {
        self.documents = self.documents.saturating_add(1);
        let distinct: BTreeSet<String> = tokens(text).collect();
        for token in distinct {
            if let Some(count) = self.containing.get_mut(&token) {
                *count = count.saturating_add(1);
            } else if self.containing.len() < DISTINCT_MAX {
                self.containing.insert(token, 1);
            }
        }
    }

    /// Returns the number of documents.
    pub const fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of documents that contain `token`.
    pub fn containing(&self, token: &str) -> u64 {
        self.containing.get(token).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_counts_once_for_each_token_it_contains() {
        let mut background = Background::default();
        background.add("zoom Zoom lens");
        background.add("zoom");
        assert_eq!(background.documents(), 2);
        assert_eq!(["zoom", "lens", "tripod"].map(|token| background.containing(token)), [2, 1, 0]);
    }

    #[test]
    fn no_more_documents_contain_a_token_than_there_are() {
        let background = Background::from_counts(3, [("zoom".to_owned(), 9)]);
        assert_eq!(background.containing("zoom"), 3);
    }
}
