//! What a web graph stores of a node and of an edge.

use harvestman_core::model::Apath;

/// The end of a list of edges.
pub(super) const NONE: u32 = u32::MAX;
/// In place of the next incoming edge: the page has an earlier link to the same node.
pub(super) const REPEATED: u32 = u32::MAX - 1;

/// A node without its URL: 24 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Its first outgoing edge; those of a page are contiguous, because they are added together.
    pub first_out: u32,
    /// Number of its outgoing edges, repetitions included.
    pub links: u32,
    /// Number of distinct nodes that it links to.
    pub outdegree: u32,
    /// Its latest incoming edge.
    pub first_in: u32,
    /// Number of distinct authorities that it links to.
    pub authority_links: u32,
    pub visited: bool,
    pub accepted: bool,
}

impl Node {
    pub const NEW: Self = Self {
        first_out: 0,
        links: 0,
        outdegree: 0,
        first_in: NONE,
        authority_links: 0,
        visited: false,
        accepted: false,
    };
}

/// The ends of an edge: 12 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub from: u32,
    pub to: u32,
    /// The next incoming edge of `to`.
    pub next_in: u32,
}

/// The place of an edge's link on its page: 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub apath: Apath,
    pub parent: u32,
    pub grandparent: u32,
}
