//! What a host is told of its pages.

/// Reports what the pages of the host turned out to be.
#[derive(Debug)]
pub enum ContentReport {
    /// A block page, several times in a row: the host pauses.
    BlockPage,
    /// What was asked for, again.
    AsAsked,
}
