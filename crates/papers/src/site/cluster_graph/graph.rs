//! The sampled pages, the clusters and edges between them with their state after pruning, and the decision about a
//! link.

use harvestman_core::model::PolicyRefusal;

/// A cluster of URLs, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cluster(pub u32);

impl Cluster {
    /// Returns the index in a list with an entry for each cluster.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A page of the sample: a fetched URL and what it leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphPage {
    /// Identifies the URL: equal for equal canonical URLs.
    pub url: u64,
    /// The URL's cluster; `None` if it belongs to none.
    pub cluster: Option<Cluster>,
    /// The URLs that it leads to, by link or by redirect. Repetitions and links to itself do not count.
    pub leads_to: Vec<u64>,
}

/// A cluster of URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphNode {
    /// Its URLs in the sample.
    pub size: u32,
    /// Links to them; the links of a page to the same URL count once.
    pub links_in: u64,
    /// Why it is not crawled; `None` if it is.
    pub pruned: Option<PolicyRefusal>,
}

/// Links from URLs of one cluster to URLs of another, or of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphEdge {
    /// The cluster of the pages with the links.
    pub from: Cluster,
    /// The cluster of the links' targets.
    pub to: Cluster,
    /// Whether such links are followed.
    pub kept: bool,
}

/// The links between clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// lead nowhere. O(log edges).
    ///
    /// # Errors
    ///
    /// The reason why the link is not followed.
    pub fn decide(&self, source: Option<Cluster>, target: Option<Cluster>) -> Result<(), PolicyRefusal> {
        let node = |cluster: Cluster| self.nodes.get(cluster.index());
        let (to, pruned) = target.and_then(|to| Some((to, node(to)?.pruned))).ok_or(PolicyRefusal::NoCluster)?;
        if let Some(reason) = pruned {
            return Err(reason);
        }
        let Some(from) = source.filter(|from| node(*from).is_some()) else { return Ok(()) };
        let edge = self.edges.binary_search_by_key(&(from, to), |edge| (edge.from, edge.to));
        let kept = edge.is_ok_and(|place| self.edges[place].kept);
        if kept { Ok(()) } else { Err(PolicyRefusal::NoEdge) }
    }
}
