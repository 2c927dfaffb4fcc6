//! The keys of pages in an index of texts.

use harvestman_core::model::{ClusterId, PatternId};

/// The key of a shingle or of a whole text: half of its hash, because there are many of them. Of a million in an index,
/// a new one is taken for one of these once in 4,000 times.
pub type TextKey = u32;

/// The key of a page in an index of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(pub u64);

impl ContentId {
    /// Returns its lower half, by which the remembered pages are told apart.
    pub const fn short(self) -> u32 {
        self.0 as u32
    }

    /// Returns the first key from this one on with the lower half `short`.
    pub const fn with_short(self, short: u32) -> Self {
        Self(self.0 + short.wrapping_sub(self.short()) as u64)
    }
}

/// The pages that a page may share a template with: those of its cluster, and those whose URLs have its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kin {
    /// Its cluster.
    pub cluster: ClusterId,
    /// Its URL's coarse pattern.
    pub pattern: PatternId,
}

/// How a page relates to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Both show nearly the same.
    Alike,
    /// The other one shows nearly all of the page's text, and more.
    Within,
}
