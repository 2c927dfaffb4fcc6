//! Clusters, edges, and their state after pruning.

use serde::{Deserialize, Serialize};

use super::sample::Cluster;

/// Why a link is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphReason {
    /// Its URL belongs to no cluster.
    NoCluster,
    /// The cluster of its page does not lead to the cluster of its URL, or need not.
    NoEdge,
    /// Its URL's cluster is linked from almost everywhere, like terms of use or contact pages.
    HeaderFooter,
    /// Its URL's cluster shows the same as others.
    DuplicateContent,
    /// Its URL's cluster is small and leads nowhere.
    Uninformative,
}

impl GraphReason {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::NoCluster, Self::NoEdge, Self::HeaderFooter, Self::DuplicateContent, Self::Uninformative];

    /// Returns its name in labels and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoCluster => "no_cluster",
            Self::NoEdge => "no_edge",
            Self::HeaderFooter => "header_footer",
            Self::DuplicateContent => "duplicate_content",
            Self::Uninformative => "uninformative",
        }
    }
}

/// The state of a cluster after pruning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is crawled.
    Kept,
    /// It would have been pruned, for this reason, but the route to other clusters leads through it. It is crawled
    /// where an edge was restored.
    Bridge(GraphReason),
    /// It was pruned.
    Pruned(GraphReason),
}

impl Standing {
    /// Returns the reason why it is not crawled at all; `None` if it is crawled.
    pub const fn pruned(self) -> Option<GraphReason> {
        match self {
            Self::Pruned(reason) => Some(reason),
            Self::Kept | Self::Bridge(_) => None,
        }
    }
}

/// A cluster of URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Its URLs in the sample.
    pub size: u32,
    /// Links to them; the links of a page to the same URL count once.
    pub links_in: u64,
    /// Its state after pruning.
    pub standing: Standing,
}

/// Links from URLs of one cluster to URLs of another, or of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// The cluster of the pages with the links.
    pub from: Cluster,
    /// The cluster of the links' targets.
    pub to: Cluster,
    /// Number of URLs of `from` that link to one of `to`.
    pub sources: u32,
    /// Number of URLs of `to` that one of `from` links to.
    pub targets: u32,
    /// Whether such links are followed.
    pub kept: bool,
}

/// The links between clusters. The serialised form is in the order of the clusters and of the edges by (from, to).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterGraph {
    pub(super) pages: u32,
    pub(super) nodes: Vec<GraphNode>,
    /// Ordered by (from, to).
    pub(super) edges: Vec<GraphEdge>,
}

impl ClusterGraph {
    /// Returns the number of sampled URLs, including those without a cluster.
    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// Returns the clusters, by number.
    pub fn nodes(&self) -> &[GraphNode] {
        &self.nodes
    }

    /// Returns the edges, by (from, to).
    pub fn edges(&self) -> &[GraphEdge] {
        &self.edges
    }

    /// Returns whether a link from a URL of `source` to one of `target` is followed (section 4.4). A link on a page
    /// without a cluster is followed if its own URL belongs to a cluster that is crawled; otherwise a start page would
    /// lead nowhere. O(log edges); [`GraphFilter::decide`](super::GraphFilter::decide) gives the same answer in a few
    /// nanoseconds.
    ///
    /// # Errors
    ///
    /// The reason why the link is not followed.
    pub fn decide(&self, source: Option<Cluster>, target: Option<Cluster>) -> Result<(), GraphReason> {
        let node = |cluster: Cluster| self.nodes.get(cluster.index());
        let (to, standing) = target.and_then(|to| Some((to, node(to)?.standing))).ok_or(GraphReason::NoCluster)?;
        if let Some(reason) = standing.pruned() {
            return Err(reason);
        }
        let Some(from) = source.filter(|from| node(*from).is_some()) else { return Ok(()) };
        let edge = self.edges.binary_search_by_key(&(from, to), |edge| (edge.from, edge.to));
        let kept = edge.is_ok_and(|place| self.edges[place].kept);
        if kept { Ok(()) } else { Err(GraphReason::NoEdge) }
    }
}
