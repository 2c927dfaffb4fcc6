//! What a host may do next, and what becomes of what it did.

use super::politeness::WaitReason;
use harvestman_core::clock::Instant;
use harvestman_core::url::CanonicalUrl;

/// A request that the crawl needs for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// robots.txt, or where it redirects to.
    Robots(CanonicalUrl),
    /// A sitemap, with the number of sitemap indexes it was reached through.
    Sitemap {
        /// Where it is.
        url: CanonicalUrl,
        /// Indexes above it.
        nesting: u32,
        /// Requests spent on it before.
        attempts: u8,
    },
}

impl Errand {
    /// What is fetched.
    pub const fn url(&self) -> &CanonicalUrl {
        match self {
            Self::Robots(url) | Self::Sitemap { url, .. } => url,
        }
    }
}

/// What a host does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Look up its address.
    Resolve,
    /// Send a request of its own.
    Errand(Errand),
    /// Ask the frontier for a URL, and hold a connection ready for it.
    Ask,
    /// Ask the frontier for a URL although nothing may be sent: it will be refused.
    AskToRefuse,
    /// Do nothing until this time.
    Wait {
        /// When to look again.
        until: Instant,
        /// Why.
        why: WaitReason,
    },
    /// Do nothing until something ends.
    Busy,
}

/// What came of a request for robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RobotsResult {
    /// Rules, and the sitemaps named there.
    Rules(Vec<String>),
    /// There is none: everything is allowed.
    Absent,
    /// It lies elsewhere.
    Redirected,
    /// The server cannot say: everything is disallowed for a while.
    Unavailable,
    /// The host could not be asked.
    Unreachable,
}

impl RobotsResult {
    /// The result as it stands in metric labels.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Rules(_) => "rules",
            Self::Absent => "absent",
            Self::Redirected => "redirected",
            Self::Unavailable => "unavailable",
            Self::Unreachable => "unreachable",
        }
    }
}

/// What is to be done with an ended request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disposition {
    /// Its result stands.
    Final,
    /// Try again, not before this time.
    Retry(Instant),
}
