//! Options of pruning.

use serde::{Deserialize, Serialize};

/// Which URLs make up a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Universe {
    /// Those that were fetched: the paper's sample. An edge shows only where both ends were.
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
    /// Where they stand in the graph (section 4.3): headers and footers, duplicate content, uninformative clusters.
    Links,
    /// What their pages show: less than this share shows something of its own.
    Content(f64),
}

/// Which clusters are brought back within reach of the seeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// None.
    Never,
    /// Those that a way leads to with no more URLs of pruned clusters on it than URLs of kept clusters that it brings back: nobody
    /// fetches a thousand log-in forms for the one page that they link to.
    Worthwhile,
    /// All that any way leads to.
    Always,
}

/// How a graph is pruned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PruneOptions {
    /// Which URLs make up a cluster.
    pub universe: Universe,
    /// The share of a cluster's URLs that the edges into it must reach; those beyond it are deleted. None: no edge is.
    pub coverage: Option<f64>,
    /// What prunes clusters.
    pub nodes: NodeRule,
    /// How sure it must be that a cluster shows too little of its own, as a number of standard deviations: of a cluster of which few
    /// pages were sampled little is known. 0: what was sampled is taken as it is.
    pub sure: f64,
    /// Whether edges are put back until the clusters that are kept can be reached from the seeds.
    pub reach: Reach,
}

impl PruneOptions {
    /// As the paper has it. On recorded sites such a graph ends at the seeds or near them: the edges that reach the most URLs of a
    /// cluster seldom are those by which a crawl gets there, and what the seeds link to is linked from everywhere.
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
    /// By content: 0.7 of a cluster's pages must be distinct. No edge between kept clusters is deleted: with a coverage of 0.6 or
    /// 0.9 crawls of recorded sites came to as little as a fifth of what they come to without.
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
