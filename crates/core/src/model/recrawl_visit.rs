//! What the visits of a recrawl saw: kept until the next one begins, so that one that is interrupted goes on with what it had learnt.

use serde::{Deserialize, Serialize};

use super::Difference;
use crate::clock::Instant;
use crate::url::Fingerprint;

/// How a row of a list differs from what it was at the visit before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RowSign {
    /// It is not known what it was.
    Unknown,
    /// The link was not there.
    Fresh,
    /// In nothing.
    Same,
    /// In what stands behind the link.
    Behind,
    /// In what stands before it.
    Before,
    /// In both.
    Both,
}

/// One visit of a recrawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// The page.
    pub page: Fingerprint,
    /// The recrawl.
    pub round: u32,
    /// When it was visited.
    pub at: Instant,
    /// How it differed from what it was; none where this was the first visit to it.
    pub difference: Option<Difference>,
    /// Seconds since the visit before.
    pub waited: u64,
    /// Whether it was gone.
    pub gone: bool,
    /// Where it led.
    pub places: Vec<Place>,
}

/// The links at one place of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The place.
    pub apath: u64,
    /// The page behind each, by [`brief`], and its row; in page order.
    pub links: Vec<(u32, RowSign)>,
}

/// A page by four bytes: among a million pages one in four thousand is taken for another, which costs a wrong guess and no more.
pub const fn brief(page: Fingerprint) -> u32 {
    page.0 as u32
}
