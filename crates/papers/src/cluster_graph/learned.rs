//! The learned graph, and which links are followed by it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use foldhash::fast::FixedState;

use super::memory::{Fetch, Memory, UrlNumber};
use crate::site::{Cluster, ClusterGraph, GraphPage, TooFewUrls, UrlClusterOptions, UrlClusters, UrlMatcher};
use harvestman_core::model::{Apath, ClusterId, LinkClass, PatternId, PolicyRefusal, UrlPattern};
use harvestman_core::seed::Rng;
use harvestman_core::url::Fingerprint;

/// Minimum number of fetches that a graph is learned from.
const FETCHES_MIN: usize = 4;

/// The pattern of URLs of no cluster. It differs from all others, which have the highest bit set.
const NO_CLUSTER: UrlPattern = UrlPattern { coarse: PatternId(1), fine: PatternId(1) };

/// The reason why a sample gives no graph, so that the crawl continues breadth-first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoGraph {
    /// The sample is too small for any conclusion.
    #[error("the sample has only {0} fetches, too few to learn from; the crawl continues breadth-first")]
    TooFewPages(usize),
    /// Algorithm 2 needs more URLs.
    #[error("{0}; the crawl continues breadth-first")]
    TooFewUrls(#[from] TooFewUrls),
    /// There is only one cluster.
    #[error("all pages of the sample are of one cluster; the crawl continues breadth-first")]
    OneCluster,
}

/// The learned graph.
#[derive(Debug, Clone)]
pub(super) struct LearnedGraph {
    matcher: UrlMatcher,
    /// The cluster of URLs with a pattern.
    clusters: HashMap<PatternId, Cluster, FixedState>,
    graph: ClusterGraph,
    /// The clusters of the sampled pages, as in link classes.
    sampled: HashMap<Fingerprint, ClusterId, FixedState>,
}

/// The number of a cluster in link classes.
fn class_cluster(cluster: Option<Cluster>) -> ClusterId {
    cluster.map_or(ClusterId::UNKNOWN, |cluster| ClusterId(cluster.0 + 1))
}

fn graph_cluster(cluster: ClusterId) -> Option<Cluster> {
    cluster.0.checked_sub(1).map(Cluster)
}

/// The pattern that stands for the cluster of a URL.
fn pattern(matcher: &UrlMatcher, url: &str) -> UrlPattern {
    matcher.find(url).map_or(NO_CLUSTER, |cluster| {
        let id = PatternId::new(u64::from(cluster.0) << 2, 0);
        UrlPattern { coarse: id, fine: id }
    })
}

impl LearnedGraph {
    /// Learns the graph from a sample.
    pub fn learn(memory: &Memory, rng: &mut Rng) -> Result<Self, NoGraph> {
        let fetches = memory.fetches().len();
        if fetches < FETCHES_MIN {
            return Err(NoGraph::TooFewPages(fetches));
        }
        let urls: Vec<&str> = memory.fetches().iter().map(|fetch| memory.url(fetch.url)).collect();
        let matcher = UrlClusters::learn(&urls, &UrlClusterOptions::paper(), rng)?.matcher;
        let clusters = numbered(memory, &matcher);
        let cluster = |url: UrlNumber| clusters.get(&pattern(&matcher, memory.url(url)).fine).copied();
        let page = |fetch: &Fetch| GraphPage {
            url: u64::from(fetch.url),
            cluster: cluster(fetch.url),
            leads_to: fetch.links.iter().chain(&fetch.redirects_to).map(|url| u64::from(*url)).collect(),
        };
        let pages: Vec<GraphPage> = memory.fetches().iter().map(page).collect();
        if pages.iter().filter_map(|page| page.cluster).collect::<HashSet<_>>().len() < 2 {
            return Err(NoGraph::OneCluster);
        }
        let graph = ClusterGraph::learn(&pages, clusters.len());
        let sampled = urls.iter().map(|url| Fingerprint::of(url));
        let sampled = sampled.zip(pages.iter().map(|page| class_cluster(page.cluster))).collect();
        Ok(Self { matcher, clusters, graph, sampled })
    }

    /// The clusters and edges, with the decisions about them.
    pub const fn graph(&self) -> &ClusterGraph {
        &self.graph
    }

    /// The pattern in the class of a link to this URL.
    pub fn pattern(&self, url: &str) -> UrlPattern {
        pattern(&self.matcher, url)
    }

    /// The pattern of a URL, spelt out.
    pub fn spell(&self, url: &str) -> Option<String> {
        self.matcher.spell(url)
    }

    /// The cluster of a page, as in link classes.
    pub fn page_cluster(&self, url: &str) -> ClusterId {
        class_cluster(self.clusters.get(&self.pattern(url).fine).copied())
    }

    /// The same, for a page of the sample.
    pub fn sampled_cluster(&self, url: &str) -> Option<ClusterId> {
        self.sampled.get(&Fingerprint::of(url)).copied()
    }

    /// Why links of a class are rejected; `None` where they are followed, or where the pattern is not known yet.
    pub fn refusal(&self, class: LinkClass) -> Option<PolicyRefusal> {
        let pattern = class.pattern;
        if pattern == UrlPattern::NONE || [Apath::SEED, Apath::REDIRECT].contains(&class.apath) {
            return None;
        }
        self.graph.decide(graph_cluster(class.cluster), self.clusters.get(&pattern.fine).copied()).err()
    }
}

/// Numbers the clusters, those with the most known URLs first: of equally good edges, the graph keeps the first.
fn numbered(memory: &Memory, matcher: &UrlMatcher) -> HashMap<PatternId, Cluster, FixedState> {
    let fetched = memory.fetches().iter().map(|fetch| memory.url(fetch.url));
    let mut sizes: BTreeMap<PatternId, u64> = BTreeMap::new();
    for url in memory.urls().iter().map(|url| &**url).chain(fetched) {
        *sizes.entry(pattern(matcher, url).fine).or_default() += 1;
    }
    sizes.remove(&NO_CLUSTER.fine);
    let mut patterns: Vec<_> = sizes.into_iter().collect();
    patterns.sort_by_key(|(pattern, size)| (Reverse(*size), *pattern));
    patterns.into_iter().map(|(pattern, _)| pattern).zip((0..).map(Cluster)).collect()
}

impl fmt::Display for LearnedGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.graph.nodes().iter().filter(|node| node.size > 0);
        let pruned = nodes.clone().filter(|node| node.pruned.is_some()).count();
        let (all, edges) = (nodes.count(), self.graph.edges().len());
        let kept = self.graph.edges().iter().filter(|edge| edge.kept).count();
        let pages = self.graph.pages();
        write!(f, "learned from {pages} fetches: {all} page clusters, {pruned} of them rejected; ")?;
        write!(f, "{kept} of {edges} edges between them are followed")
    }
}
