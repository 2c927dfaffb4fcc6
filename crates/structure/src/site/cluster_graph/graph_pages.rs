//! The input of the graph, and the sampled pages of one cluster.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// Maximum number of clusters in a graph: the filter then takes 2 MiB. Clusters with higher numbers count as none.
pub const CLUSTERS_MAX: usize = 4_096;

/// A cluster of URLs, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cluster(pub u32);

impl Cluster {
    /// Returns the index in a list with an entry for each cluster.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLink {
    /// Identifies the URL: equal for equal canonical URLs.
    pub url: u64,
    /// The URL's cluster; `None` if it belongs to none.
    pub cluster: Option<Cluster>,
}

/// A page of the sample: a fetched URL and the outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphPage {
    /// Identifies the URL, as [`GraphLink::url`] does.
    pub url: u64,
    /// The URL's cluster; `None` if it belongs to none.
    pub cluster: Option<Cluster>,
    /// The template that made it, as a number. `None` if that is not known or does not matter.
    pub maker: Option<u32>,
    /// What the URL shows, for any media type: equal for URLs that show the same or nearly the same. `None` if it shows
    /// nothing: errors, redirects.
    pub content: Option<u64>,
    /// Whether it shows no text: a document that is no page, or a form to fill in with nothing around it but what other
    /// pages also show.
    pub bare: bool,
    /// The target of its redirect.
    pub redirects_to: Option<GraphLink>,
    /// The complexity of its address, such as the number of its query parameters: of two clusters that show the same,
    /// the one with the plainer addresses is the original. 0 throughout if it is not known.
    pub detours: u32,
    /// The length of its address, such as the number of the segments of its path: it decides if nothing else does.
    pub segments: u32,
    /// The distinct URLs that it links to.
    pub links: Vec<GraphLink>,
}

impl GraphPage {
    /// Returns every URL that it leads to, by link or by redirect, except itself.
    pub(super) fn leads_to(&self) -> impl Iterator<Item = GraphLink> {
        self.links.iter().chain(&self.redirects_to).copied().filter(|link| link.url != self.url)
    }
}

/// The sampled pages of a cluster.
pub(super) struct ClusterSample<'a> {
    pub(super) cluster: usize,
    pub(super) pages: Vec<&'a GraphPage>,
    /// Number of those that redirect.
    pub(super) redirects: usize,
    /// The mean number of detours in their URLs, and of path segments.
    pub(super) detours: f64,
    pub(super) segments: f64,
    /// The share of pages that show something that no other of them shows first.
    pub(super) distinct: f64,
}

impl ClusterSample<'_> {
    /// Returns whether most of its URLs only redirect to others, in which case it is the original of nothing.
    const fn only_redirects(&self) -> bool {
        2 * self.redirects > self.pages.len()
    }

    /// Orders originals first: clusters that show something themselves, have plainer addresses, repeat themselves less
    /// (by at least a tenth), have shorter addresses, are larger.
    pub(super) fn by_originality(&self, other: &Self) -> Ordering {
        let plainness = self.only_redirects().cmp(&other.only_redirects()).then(self.detours.total_cmp(&other.detours));
        let tenths = |members: &Self| (members.distinct * 10.0).round();
        let variety = tenths(other).total_cmp(&tenths(self)).then(self.segments.total_cmp(&other.segments));
        let size = other.distinct.total_cmp(&self.distinct).then(other.pages.len().cmp(&self.pages.len()));
        plainness.then(variety).then(size).then(self.cluster.cmp(&other.cluster))
    }
}
