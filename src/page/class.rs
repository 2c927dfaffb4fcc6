//! Link classes: the unit in which links are refused, queued and scored.

use serde::{Deserialize, Serialize};

/// A page cluster: pages made from one template. Assigned by the site model; [`ClusterId::UNKNOWN`] before there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct ClusterId(pub u32);

impl ClusterId {
    /// The cluster of a page that was not classified.
    pub const UNKNOWN: Self = Self(0);
}

/// The place of a link on its page, as a 64-bit hash of its Apath: the element names from the root to the `a`, with that
/// element's class attribute (SOUrCe 2018, section 3.1). The parser can spell it out on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Apath(pub u64);

impl Apath {
    /// Links that stand on no page: seeds.
    pub const SEED: Self = Self(0);
    /// Links named by a sitemap or feed.
    pub const SITEMAP: Self = Self(1);
    /// The target of an HTTP redirect.
    pub const REDIRECT: Self = Self(2);
    /// The target of a `<meta http-equiv=refresh>`.
    pub const REFRESH: Self = Self(3);
}

/// The pair that all that is known of an unfetched link depends on: the cluster of its page and its Apath there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LinkClass {
    /// Cluster of the page that the link stands on.
    pub cluster: ClusterId,
    /// Place of the link on that page.
    pub apath: Apath,
}

impl LinkClass {
    /// The class of links with this Apath on pages that have no cluster.
    pub const fn unclassified(apath: Apath) -> Self {
        Self { cluster: ClusterId::UNKNOWN, apath }
    }
}

/// How much the URLs of a link class are wanted now. A policy's snapshot implements it; the frontier orders by it.
pub trait ClassOrder: Send + Sync {
    /// Higher is better; NaN counts as least. Classes of equal score are taken breadth-first.
    fn score(&self, class: LinkClass) -> f64;
}
