//! The learned graph, and which links are followed by it.

use std::collections::{HashMap, HashSet};
use std::fmt;

use foldhash::fast::FixedState;

use super::assignment::ClusterAssignment;
use super::identity_hash::IdentityHash;
use super::memory::{Clusters, Memory};
use super::model_update::ModelUpdate;
use super::options::{ClusterGraphOptions, Later};
use super::places::PlaceOutcomes;
use super::texts::Texts;
use harvestman_core::config::ClusterBy;
use harvestman_core::model::{Apath, ClusterId, LinkClass, PatternId, PolicyRefusal, UrlPattern};
use harvestman_core::url::Fingerprint;
use harvestman_structure::site::{Cluster, ClusterGraph, GraphFilter, GraphNode, GraphReason, Standing, TooFewUrls};

/// Number of links at a place that must all have been rejected, and number of pages with them, before all links at the
/// place are rejected unresolved.
const PLACE_LINKS: u32 = 30;
const PLACE_PAGES: u32 = 5;

/// The reason why a sample gives no graph, so that the crawl continues breadth-first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoGraph {
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
pub struct LearnedGraph {
    pub(super) kinds: ClusterAssignment,
    pub(super) graph: ClusterGraph,
    pub(super) filter: GraphFilter,
    pub(super) later: Later,
    /// The decisions about all links to URLs of a pattern, wherever the links are; links to other URLs are judged one
    /// by one.
    pub(super) verdicts: HashMap<PatternId, Result<(), GraphReason>, IdentityHash>,
    /// Places where all links are rejected.
    pub(super) closed: HashMap<(Option<Cluster>, Apath), GraphReason, FixedState>,
    /// A fetched URL of each cluster.
    pub(super) examples: Vec<Option<Box<str>>>,
}

/// A page cluster for display.
#[derive(Debug, Clone, Copy, serde::Serialize)]
struct Described<'a> {
    example: Option<&'a str>,
    urls: u32,
    links_in: u64,
    standing: Standing,
}

/// The number of a cluster in link classes.
pub fn class_cluster(cluster: Option<Cluster>) -> ClusterId {
    cluster.map_or(ClusterId::UNKNOWN, |cluster| ClusterId(cluster.0 + 1))
}

fn graph_cluster(cluster: ClusterId) -> Option<Cluster> {
    cluster.0.checked_sub(1).map(Cluster)
}

impl LearnedGraph {
    /// Learns the graph. `kinds` comes with its assignment of URLs and templates; the rest of it is learned here. The
    /// clusters of `rejected` were rejected before.
    pub fn learn(
        memory: &Memory,
        texts: &Texts,
        mut kinds: ClusterAssignment,
        options: &ClusterGraphOptions,
        rejected: &HashSet<Cluster>,
    ) -> Result<Self, NoGraph> {
        let mut update = ModelUpdate::new(memory, &mut kinds);
        let graph = learn_graph(&mut update, texts, options, rejected)?;
        let examples = update.examples();
        let (filter, verdicts, closed) = (graph.filter(), HashMap::default(), HashMap::default());
        let mut learned = Self { kinds, graph, filter, later: options.later, verdicts, closed, examples };
        learned.kinds.alike = learned.alike();
        learned.verdicts = learned.verdicts();
        if options.by_place {
            learned.close_places(memory);
        }
        Ok(learned)
    }

    /// The assignment of pages and links to clusters.
    pub const fn kinds(&self) -> &ClusterAssignment {
        &self.kinds
    }

    /// The page clusters, for display.
    pub fn describe(&self) -> serde_json::Value {
        let described = |(node, example): (&GraphNode, &'_ Option<Box<str>>)| {
            let example = example.as_deref();
            let GraphNode { size: urls, links_in, standing } = *node;
            serde_json::to_value(Described { example, urls, links_in, standing }).ok()
        };
        let all = self.graph.nodes().iter().zip(&self.examples).filter(|(node, _)| node.size > 0);
        all.filter_map(described).collect()
    }

    /// The clusters that links of a class connect, for display; `None` for a class whose URLs are not known.
    pub fn explain(&self, class: LinkClass) -> Option<serde_json::Value> {
        if class.pattern == UrlPattern::NONE {
            return None;
        }
        let from = graph_cluster(class.cluster);
        let to = self.kinds.of_link(from, class.apath, class.pattern.fine);
        let standing = to.and_then(|to| self.graph.nodes().get(to.index())).map(|node| node.standing);
        Some(serde_json::json!({ "from": class_cluster(from), "to": class_cluster(to), "standing": standing }))
    }

    /// The clusters and edges, with the decisions about them.
    pub const fn graph(&self) -> &ClusterGraph {
        &self.graph
    }

    /// The mixed patterns whose clusters all have the same edges, as far as edges matter.
    fn alike(&self) -> HashMap<PatternId, Cluster, FixedState> {
        let exactly = self.later == Later::AsTrained;
        let asked = |node: &GraphNode| exactly || matches!(node.standing, Standing::Bridge(_));
        let nodes = self.graph.nodes().iter().enumerate().filter(|(_, node)| asked(node));
        let targets: Vec<Cluster> = nodes.map(|(at, _)| Cluster(at as u32)).collect();
        let row = |from: &Cluster| -> Vec<bool> {
            targets.iter().map(|to| self.filter.decide(Some(*from), Some(*to)).is_ok()).collect()
        };
        let all = self.kinds.clusters_of_mixed().into_iter();
        let alike = all.filter_map(|(pattern, clusters)| {
            let (first, others) = clusters.split_first()?;
            others.iter().all(|other| row(other) == row(first)).then_some((pattern, *first))
        });
        alike.collect()
    }

    /// The clusters whose pages are not worth fetching.
    pub fn rejected(&self) -> HashSet<Cluster> {
        let is_rejected = |(_, node): &(u32, &GraphNode)| node.standing != Standing::Kept;
        (0..).zip(self.graph.nodes()).filter(is_rejected).map(|(at, _)| Cluster(at)).collect()
    }

    /// The patterns of which no link is followed, wherever it is.
    pub fn rejected_patterns(&self) -> impl Iterator<Item = PatternId> {
        self.verdicts.iter().filter(|(_, verdict)| verdict.is_err()).map(|(pattern, _)| *pattern)
    }

    /// The patterns for which the place of a link does not matter.
    pub(super) fn verdicts(&self) -> HashMap<PatternId, Result<(), GraphReason>, IdentityHash> {
        let by_url = self.later == Later::LearnsOn && self.kinds.by != ClusterBy::Structure;
        let plain =
            self.kinds.numbers.patterns().filter(|(pattern, _)| by_url && !self.kinds.mixed.contains_key(pattern));
        let verdict = |(pattern, cluster): (PatternId, Cluster)| {
            let node = self.graph.nodes().get(cluster.index()).filter(|node| node.size > 0);
            match node.map(|node| node.standing) {
                None | Some(Standing::Kept) => Some((pattern, Ok(()))),
                Some(Standing::Pruned(reason)) => Some((pattern, Err(reason))),
                Some(Standing::Bridge(_)) => None,
            }
        };
        plain.filter_map(verdict).collect()
    }

    /// Decides whether a link at `apath` on a page of `source` is followed.
    fn decide(&self, source: Option<Cluster>, apath: Apath, pattern: UrlPattern) -> Result<(), GraphReason> {
        if let Some(verdict) = self.verdicts.get(&pattern.fine) {
            return *verdict;
        }
        let target = self.kinds.of_link(source, apath, pattern.fine);
        if self.later == Later::AsTrained {
            return self.filter.decide(source, target);
        }
        // An edge that was not seen yet does not count as a missing edge. Bridges alone have only those edges that were
        // restored.
        let node = target.and_then(|target| self.graph.nodes().get(target.index()));
        match node.filter(|node| node.size > 0).map(|node| node.standing) {
            None | Some(Standing::Kept) => Ok(()),
            Some(Standing::Bridge(_)) => self.filter.decide(source, target),
            Some(Standing::Pruned(reason)) => Err(reason),
        }
    }

    /// Why links of a class with a known pattern are rejected; `None` where they are followed.
    pub fn refusal(&self, class: &LinkClass) -> Option<PolicyRefusal> {
        if [Apath::SEED, Apath::REDIRECT].contains(&class.apath) {
            return None;
        }
        self.decide(graph_cluster(class.cluster), class.apath, class.pattern).err().map(reason)
    }

    /// The places where all links are rejected, in terms of classes.
    pub fn closed(&self) -> impl Iterator<Item = (ClusterId, Apath, PolicyRefusal)> {
        self.closed.iter().map(|((source, apath), why)| (class_cluster(*source), *apath, reason(*why)))
    }

    /// Finds the places where all links are rejected.
    fn close_places(&mut self, memory: &Memory) {
        let mut places: HashMap<(Option<Cluster>, Apath), Place, FixedState> = HashMap::default();
        for fetch in memory.fetches() {
            let source = self.source(memory, fetch.url);
            let mut before = None;
            for link in &fetch.links {
                let place = places.entry((source, link.apath)).or_default();
                place.pages += u32::from(before.replace(link.apath) != Some(link.apath));
                place.links += 1;
                match self.decide(source, link.apath, self.kinds.urls.of(memory.url(link.url))) {
                    Ok(()) => place.followed = true,
                    Err(reason) => place.reason = place.reason.max(Some(reason)),
                }
            }
        }
        let exactly = self.later == Later::AsTrained;
        let ends = |source: Option<Cluster>| {
            source.is_some_and(|from| !self.graph.edges().iter().any(|edge| edge.from == from && edge.kept))
        };
        let closed = places.into_iter().filter_map(|((source, apath), place)| {
            let reason = place.reason.filter(|_| !place.followed)?;
            let sure = if exactly { ends(source) } else { place.links >= PLACE_LINKS && place.pages >= PLACE_PAGES };
            sure.then_some(((source, apath), reason))
        });
        self.closed = closed.collect();
    }

    /// The statistics of places in the sample.
    pub fn places(&self, memory: &Memory) -> PlaceOutcomes {
        let mut links = Vec::new();
        for fetch in memory.fetches() {
            let cluster = class_cluster(self.source(memory, fetch.url));
            for link in &fetch.links {
                let url = memory.url(link.url);
                let class = LinkClass::at(cluster, link.apath).with_pattern(self.kinds.urls.of(url));
                links.push((cluster, link.apath, Fingerprint::of(url), self.refusal(&class)));
            }
        }
        PlaceOutcomes::sampled(&links)
    }

    /// The clusters of the remembered pages.
    pub fn clusters(&self, memory: &Memory) -> Clusters {
        let cluster = |fetch: &super::memory::Fetch| {
            let url = memory.url(fetch.url);
            (Fingerprint::of(url), class_cluster(self.source(memory, fetch.url)))
        };
        memory.fetches().iter().map(cluster).collect()
    }

    /// The cluster of a remembered page.
    pub fn source(&self, memory: &Memory, page: super::memory::UrlNumber) -> Option<Cluster> {
        let result = &memory.fetch_of(page)?.result;
        self.kinds.as_source(self.kinds.urls.of(memory.url(page)).fine, super::model_update::page_type(result))
    }
}

/// Learns the graph. Where pages of a pattern form clusters of their own by type, all pages are assigned again, with
/// the clusters' worth known.
fn learn_graph(
    update: &mut ModelUpdate<'_>,
    texts: &Texts,
    options: &ClusterGraphOptions,
    rejected: &HashSet<Cluster>,
) -> Result<ClusterGraph, NoGraph> {
    let (pages, seeds) = update.sample(texts);
    let clusters = pages.iter().filter_map(|page| page.cluster).collect::<HashSet<_>>();
    if clusters.len() < 2 {
        return Err(NoGraph::OneCluster);
    }
    let Some(pruned) = update.appraise(&pages, &options.prune, rejected) else {
        return Ok(ClusterGraph::learn(&pages, update.clusters(), &seeds, &options.prune));
    };
    let (pages, seeds) = if update.has_mixed() { update.sample(texts) } else { (pages, seeds) };
    Ok(ClusterGraph::learn_with_verdicts(&pages, &pruned, &seeds, &options.prune))
}

#[derive(Default)]
struct Place {
    links: u32,
    pages: u32,
    followed: bool,
    reason: Option<GraphReason>,
}

const fn reason(reason: GraphReason) -> PolicyRefusal {
    match reason {
        GraphReason::NoCluster => PolicyRefusal::NoCluster,
        GraphReason::NoEdge => PolicyRefusal::NoEdge,
        GraphReason::HeaderFooter => PolicyRefusal::HeaderFooter,
        GraphReason::DuplicateContent => PolicyRefusal::DuplicateContent,
        GraphReason::Uninformative => PolicyRefusal::Uninformative,
    }
}

impl fmt::Display for LearnedGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.graph.nodes().iter().filter(|node| node.size > 0);
        let pruned = nodes.clone().filter(|node| node.standing.pruned().is_some()).count();
        let (all, edges) = (nodes.count(), self.graph.edges().len());
        let kept = self.graph.edges().iter().filter(|edge| edge.kept).count();
        let pages = self.graph.pages();
        write!(f, "learned from {pages} fetches: {all} page clusters, {pruned} of them rejected; ")?;
        write!(f, "{kept} of {edges} edges between them are followed")
    }
}
