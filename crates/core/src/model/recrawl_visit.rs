//! What the visits of a recrawl saw. It is persisted until the next recrawl begins, so that an interrupted one resumes
//! with all it has learned.

use serde::{Deserialize, Serialize};

use super::Difference;
use crate::clock::Instant;
use crate::url::Fingerprint;

/// How a row of a list differs from the visit before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RowChange {
    /// The row of the visit before is not known.
    Unknown,
    /// The link was not there.
    Fresh,
    /// Nothing differs.
    Same,
    /// What stands behind the link differs.
    Behind,
    /// What stands before the link differs.
    Before,
    /// Both differ.
    Both,
}

/// One visit of a recrawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecrawlVisit {
    /// The page.
    pub page: Fingerprint,
    /// The number of the recrawl.
    pub round: u32,
    /// The time of the visit.
    pub at: Instant,
    /// How the page differed from the visit before; `None` for the first visit to it.
    pub difference: Option<Difference>,
    /// Seconds since the visit before.
    pub waited: u64,
    /// Whether the page was gone.
    pub gone: bool,
    /// The links on the page, by place.
    pub places: Vec<ApathLinks>,
}

/// The links at one Apath of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApathLinks {
    /// The Apath.
    pub apath: u64,
    /// The page behind each link, by its [`short_id`], and the change of its row; in page order.
    pub links: Vec<(u32, RowChange)>,
}

/// Returns a page's identifier in four bytes. Among a million pages one in four thousand is taken for another, which
/// costs a wrong guess and no more.
pub const fn short_id(page: Fingerprint) -> u32 {
    page.0 as u32
}
