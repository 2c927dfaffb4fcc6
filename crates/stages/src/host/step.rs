//! The next step of a host, and the disposition of a request that has ended.

use super::politeness::WaitReason;
use super::subrequest::Subrequest;
use harvestman_core::clock::Instant;
use harvestman_core::url::CanonicalUrl;

/// An auxiliary request, which the crawl needs for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time for each host, and it is moved once or twice")]
pub enum Errand {
    /// robots.txt, or the URL that it redirects to.
    Robots(CanonicalUrl),
    /// A sitemap.
    Sitemap {
        /// Its URL.
        url: CanonicalUrl,
        /// Number of sitemap indexes that lead to it.
        nesting: u32,
        /// Number of requests made for it before.
        attempts: u8,
    },
    /// Something that a page needs that is rendered.
    Subrequest(Subrequest),
    /// `/.well-known/tdmrep.json`, or the URL that it redirects to.
    Tdmrep(CanonicalUrl),
}

impl Errand {
    /// Returns the URL to fetch.
    pub const fn url(&self) -> &CanonicalUrl {
        match self {
            Self::Robots(url) | Self::Tdmrep(url) | Self::Sitemap { url, .. } => url,
            Self::Subrequest(wanted) => &wanted.url,
        }
    }

    /// Returns the kind's name in metric labels.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Robots(_) => "robots",
            Self::Sitemap { .. } => "sitemap",
            Self::Subrequest(wanted) if wanted.is_of_log_in() => "log_in",
            Self::Subrequest(_) => "subrequest",
            Self::Tdmrep(_) => "tdmrep",
        }
    }
}

/// The next step of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time for each host, and it is moved once or twice")]
pub enum Step {
    /// Look up its address.
    Resolve,
    /// Send an auxiliary request.
    Errand(Errand),
    /// Ask the frontier for a URL, and reserve a connection for it.
    Ask,
    /// Ask the frontier for a URL although nothing may be sent: it will be refused.
    AskToRefuse,
    /// Do nothing until this time.
    Wait {
        /// When to check again.
        until: Instant,
        /// The reason to wait.
        why: WaitReason,
    },
    /// Do nothing until something in progress ends.
    Busy,
}

/// The result of a request for robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RobotsResult {
    /// It has rules; with the sitemaps that it names.
    Rules(Vec<String>),
    /// It does not exist: everything is allowed.
    Absent,
    /// It redirects to another URL.
    Redirected,
    /// The server asks for a signature, with which it is requested again.
    SignatureWanted,
    /// The server cannot deliver it: everything is disallowed for now.
    Unavailable,
    /// The host cannot be reached.
    Unreachable,
}

impl RobotsResult {
    /// Returns the result's name in metric labels.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Rules(_) => "rules",
            Self::Absent => "absent",
            Self::Redirected => "redirected",
            Self::SignatureWanted => "signature_wanted",
            Self::Unavailable => "unavailable",
            Self::Unreachable => "unreachable",
        }
    }
}

/// What happens to a request that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disposition {
    /// Its result is final.
    Final,
    /// Retry it, not before this time.
    Retry(Instant),
}
