//! Entries of the list of active formatting elements.

use super::element::Tag;
use super::links::LinkSpan;

/// Where elements are that are not open any more.
pub(super) const CLOSED: usize = usize::MAX;

/// What is needed to open an `a` again: it is then a further link at a further place.
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
    /// Where its attributes begin and end on the page.
    pub attributes: (usize, usize),
    /// The word of its kept class tokens.
    pub class: u64,
    pub anchor: Option<Anchor>,
    /// Where it is in the stack.
    pub(super) at: usize,
    /// How many open elements that formatting does not reach into are around it.
    pub(super) level: u32,
}
