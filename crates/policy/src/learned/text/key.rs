//! The keys of pages in an index of texts.

use harvestman_core::model::{ClusterId, PatternId};

/// The key of a page in an index of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId(pub u64);

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
