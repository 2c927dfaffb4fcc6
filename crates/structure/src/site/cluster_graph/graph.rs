//! Clusters, edges, and what became of them.

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
    /// Its URL's cluster is linked from almost everywhere: terms of use, contact.
    HeaderFooter,
    /// Its URL's cluster shows what others show.
    DuplicateContent,
    /// Its URL's cluster is small and leads nowhere.
    Uninformative,
}

impl GraphReason {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::NoCluster, Self::NoEdge, Self::HeaderFooter, Self::DuplicateContent, Self::Uninformative];

    /// Its name in labels and tables.
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

/// What became of a cluster when the graph was pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is crawled.
    Kept,
    /// It would have been pruned, for this reason, but the way to others leads through it: it is crawled where an edge was put
    /// back.
    Bridge(GraphReason),
    /// It was pruned.
    Pruned(GraphReason),
}

impl Standing {
    /// Whether it is not crawled at all, and why.
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
    /// Links to them, each page's to each URL counted once.
    pub links_in: u64,
    /// What became of it.
    pub standing: Standing,
}

/// Some URL of one cluster links to one of another, or of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Where the links stand.
    pub from: Cluster,
    /// Where they lead.
    pub to: Cluster,
    /// How many URLs of `from` link to one of `to`.
    pub sources: u32,
    /// How many URLs of `to` are linked to from one of `from`.
    pub targets: u32,
    /// Whether such links are followed.
    pub kept: bool,
}

/// Which clusters link to which. Its serialised form is in the order of the clusters and of the edges by (from, to).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterGraph {
    pub(super) pages: u32,
    pub(super) nodes: Vec<GraphNode>,
    /// By (from, to).
    pub(super) edges: Vec<GraphEdge>,
}

impl ClusterGraph {
    /// Sampled URLs, those without a cluster among them.
    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// The clusters, by number.
    pub fn nodes(&self) -> &[GraphNode] {
        &self.nodes
    }

    /// The edges, by (from, to).
    pub fn edges(&self) -> &[GraphEdge] {
        &self.edges
    }

    /// Whether a link from a URL of `source` to one of `target` is followed (section 4.4). One on a page that belongs to no
    /// cluster is, if its own URL belongs to a cluster that is crawled: otherwise nothing would come of a start page.
    /// O(log edges); [`GraphFilter::decide`] says the same in a few nanoseconds.
    ///
    /// # Errors
    ///
    /// The reason why it is not followed.
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
