//! Entries of the list of active formatting elements.

use super::element::Tag;
use super::outlinks::LinkSpan;
use harvestman_core::model::PageNode;

/// The stack position of elements that are not open any more.
pub(super) const CLOSED: usize = usize::MAX;

/// The data to reopen an `a`, which is then another link at another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The word of its name and class.
    pub word: u64,
    /// Its link, if it has one.
    pub link: Option<LinkSpan>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Formatting {
    pub tag: Tag,
    /// Start and end of its attributes on the page.
    pub attributes: (usize, usize),
    /// The word of its kept class tokens.
    pub class: u64,
    pub anchor: Option<Anchor>,
    /// Its node, where the tree is recorded.
    pub(super) node: PageNode,
    /// Its position in the stack.
    pub(super) at: usize,
    /// The number of open markers (elements that formatting does not extend into) around it.
    pub(super) level: u32,
}
