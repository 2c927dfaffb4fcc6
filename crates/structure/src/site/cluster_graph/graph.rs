//! Clusters, edges, and their state after pruning; the options of pruning; and the filter for crawling: one bit for
//! each pair of clusters.

use serde::{Deserialize, Serialize};

use super::graph_pages::Cluster;

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

/// [`ClusterGraph::decide`] in a few nanoseconds. It takes n²/8 bytes for n clusters, and is immutable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphFilter {
    /// The reason why no link to a cluster is followed; `None` if some are.
    pruned: Box<[Option<GraphReason>]>,
    /// The number of words in the row of each source.
    words: usize,
    /// Row by row, one bit for each target: whether the edge is kept.
    kept: Box<[u64]>,
}

impl ClusterGraph {
    /// Returns the form of the graph for crawling.
    pub fn filter(&self) -> GraphFilter {
        GraphFilter::new(self)
    }
}

impl GraphFilter {
    fn new(graph: &ClusterGraph) -> Self {
        let pruned: Box<[_]> = graph.nodes.iter().map(|node| node.standing.pruned()).collect();
        let words = pruned.len().div_ceil(64);
        let mut kept = vec![0; pruned.len() * words].into_boxed_slice();
        let inside = |cluster: Cluster| cluster.index() < pruned.len();
        for edge in graph.edges.iter().filter(|edge| edge.kept && inside(edge.from) && inside(edge.to)) {
            kept[edge.from.index() * words + edge.to.index() / 64] |= 1 << (edge.to.index() % 64);
        }
        Self { pruned, words, kept }
    }

    /// Returns whether a link from a URL of `source` to one of `target` is followed, as [`ClusterGraph::decide`] does.
    /// O(1), without allocation.
    ///
    /// # Errors
    ///
    /// The reason why the link is not followed.
    pub fn decide(&self, source: Option<Cluster>, target: Option<Cluster>) -> Result<(), GraphReason> {
        let to = target.map_or(usize::MAX, Cluster::index);
        match self.pruned.get(to) {
            None => return Err(GraphReason::NoCluster),
            Some(Some(reason)) => return Err(*reason),
            Some(None) => {}
        }
        let Some(from) = source.map(Cluster::index).filter(|from| *from < self.pruned.len()) else { return Ok(()) };
        let kept = self.kept[from * self.words + to / 64] >> (to % 64) & 1 == 1;
        if kept { Ok(()) } else { Err(GraphReason::NoEdge) }
    }
}

/// Which URLs make up a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Universe {
    /// Those that were fetched: the paper's sample. An edge is visible only if both ends were fetched.
    Sampled,
    /// Those that were fetched or linked to.
    Seen,
}

/// What prunes clusters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeRule {
    /// Nothing.
    Never,
    /// Their position in the graph (section 4.3): headers and footers, duplicate content, uninformative clusters.
    Links,
    /// The content of their pages: a cluster is pruned if less than this share shows something of its own.
    Content(f64),
}

/// Which clusters are made reachable from the seeds again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// None.
    Never,
    /// Those with a route that has no more URLs of pruned clusters on it than URLs of kept clusters that it makes
    /// reachable: nobody fetches a thousand log-in forms for the one page that they link to.
    Worthwhile,
    /// All that have any route.
    Always,
}

/// How a graph is pruned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PruneOptions {
    /// Which URLs make up a cluster.
    pub universe: Universe,
    /// The share of a cluster's URLs that the edges into it must reach; edges beyond it are deleted. `None`: no edge is
    /// deleted.
    pub coverage: Option<f64>,
    /// What prunes clusters.
    pub nodes: NodeRule,
    /// The required certainty that a cluster shows too little of its own, in standard deviations: little is known of a
    /// cluster of which few pages were sampled. 0: the sample is taken as it is.
    pub sure: f64,
    /// Whether edges are restored until the clusters that are kept are reachable from the seeds.
    pub reach: Reach,
}

impl PruneOptions {
    /// Returns the options of the paper. On recorded sites such a graph ends at the seeds or near them: the edges that
    /// reach the most URLs of a cluster are seldom those by which a crawl gets there, and the pages that the seeds link
    /// to are linked from everywhere.
    pub const fn paper() -> Self {
        Self {
            universe: Universe::Sampled,
            coverage: Some(0.6),
            nodes: NodeRule::Links,
            sure: 0.0,
            reach: Reach::Never,
        }
    }
}

impl Default for PruneOptions {
    /// Prunes by content: 0.7 of a cluster's pages must be distinct. No edge between kept clusters is deleted: with a
    /// coverage of 0.6 or 0.9, crawls of recorded sites reached as little as a fifth of what they reach without.
    fn default() -> Self {
        Self {
            universe: Universe::Seen,
            coverage: None,
            nodes: NodeRule::Content(0.7),
            sure: 0.0,
            reach: Reach::Worthwhile,
        }
    }
}
