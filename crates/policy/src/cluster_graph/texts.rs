//! What pages say: which of them repeat one another, and how much of its text a page shares with others.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::memory::FETCHES_MAX;
use crate::learned::{ContentId, ContentIndex, Kin};
use harvestman_core::model::ContentUnit;

/// The texts of the pages that are remembered.
#[derive(Debug)]
pub struct Texts {
    index: ContentIndex,
    /// For pages that repeat another, the first that says the same.
    first: HashMap<ContentId, ContentId, FixedState>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { index: ContentIndex::new(FETCHES_MAX).comparing_exactly(), first: HashMap::default() }
    }
}

impl Texts {
    /// Takes in a page. Gives its name, and the name of the first page that says nearly the same: of the page itself where
    /// none did.
    pub fn take_in(&mut self, units: &[ContentUnit], kin: Kin) -> (ContentId, ContentId) {
        let found = self.index.take_in(units, kin);
        let first = found.duplicate_of.map_or(found.id, |other| self.first.get(&other).copied().unwrap_or(other));
        if first != found.id {
            self.first.insert(found.id, first);
        }
        (found.id, first)
    }

    /// Words of a page's running text; what its template says is not among them.
    pub fn words(&self, text: ContentId) -> f64 {
        self.index.running_words(text)
    }

    /// The share of a page's running text that `other` shows too.
    pub fn share_within(&self, text: ContentId, other: ContentId) -> f64 {
        self.index.share_within(text, other)
    }

    /// Tells templates from texts anew, after kinds have changed.
    pub fn regroup(&mut self, kin_of: impl Fn(ContentId) -> Option<Kin>) {
        self.index.regroup(kin_of);
    }
}
