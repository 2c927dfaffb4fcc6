//! Options of pruning.

use serde::{Deserialize, Serialize};

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
