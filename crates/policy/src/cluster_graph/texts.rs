//! The texts of pages: which pages repeat one another, and how much of its text a page shares with others.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::content::ContentIndex;
use super::memory::FETCHES_MAX;
use crate::learned::{ContentId, Kin};
use harvestman_core::model::ContentUnit;

/// The texts of the remembered pages.
#[derive(Debug)]
pub struct Texts {
    index: ContentIndex,
    /// For pages that repeat another, the first page with the same content.
    first: HashMap<ContentId, ContentId, FixedState>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { index: ContentIndex::new(FETCHES_MAX), first: HashMap::default() }
    }
}

impl Texts {
    /// Adds a page. Returns its key, and the key of the first page with nearly the same content: the page itself where
    /// there is none.
    pub fn take_in(&mut self, units: &[ContentUnit], kin: Kin) -> (ContentId, ContentId) {
        let found = self.index.take_in(units, kin);
        let first = found.duplicate_of.map_or(found.id, |other| self.first.get(&other).copied().unwrap_or(other));
        if first != found.id {
            self.first.insert(found.id, first);
        }
        (found.id, first)
    }

    /// The number of words of a page's running text, without those of its template.
    pub fn words(&self, text: ContentId) -> f64 {
        self.index.running_words(text)
    }

    /// The share of a page's running text that `other` shows too.
    pub fn share_within(&self, text: ContentId, other: ContentId) -> f64 {
        self.index.share_within(text, other)
    }

    /// Separates templates from texts again, after the assignment of pages has changed.
    pub fn regroup(&mut self, kin_of: impl Fn(ContentId) -> Option<Kin>) {
        self.index.regroup(kin_of);
    }
}
