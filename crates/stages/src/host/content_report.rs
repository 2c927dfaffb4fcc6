//! What a host is told of its pages.

/// Reports what the pages of the host turned out to be.
#[derive(Debug)]
pub enum ContentReport {
    /// A block page, several times in a row: the host pauses.
    BlockPage,
    /// What was asked for, again.
    AsAsked,
    /// What guests see: the session is lost, and pages wait for the next log-in.
    SessionLost,
    /// The crawl is logged in.
    SessionFound,
}
