//! The learned graph in a site model.
//!
//! It contains all that decides about links, and lists are in a fixed order, so that the same graph gives the same
//! file. Places that were closed because they had long led to nothing new are left out: that held for one crawl, which
//! knew their URLs already.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::assignment::{ClusterAssignment, ClusterDefinition, PageType, UrlAssignment};
use super::followed_links::LinkFeatures;
use super::learned::{LearnedGraph, class_cluster};
use super::memory::{FetchResult, Memory};
use super::options::Later;
use crate::learned::{Facts, KindFacts, StoredTemplates, Templates};
use harvestman_core::config::ClusterBy;
use harvestman_core::model::{Apath, ClusterId, PatternId};
use harvestman_core::url::origin_of;
use harvestman_structure::site::{CLUSTERS_MAX, Cluster, ClusterGraph, GraphReason, UrlMatcher, UrlPatterns};

/// The cluster graph of a site with the assignment of pages and links to clusters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredGraph {
    by: ClusterBy,
    /// The treatment of links that the graph does not know, as in the policy that took the sample.
    later: Later,
    urls: StoredUrls,
    templates: Option<StoredTemplates>,
    /// By number.
    kinds: Vec<ClusterDefinition>,
    mixed: Vec<(PatternId, Vec<PageType>)>,
    alike: Vec<(PatternId, Cluster)>,
    led: Vec<(LinkFeatures, Cluster)>,
    graph: ClusterGraph,
    closed: Vec<(Option<Cluster>, Apath, GraphReason)>,
    /// By number.
    examples: Vec<Option<Box<str>>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredUrls {
    Patterns(UrlPatterns),
    Itemsets(Box<UrlMatcher>),
}

impl StoredGraph {
    /// The stored form of a learned graph.
    pub fn of(learned: &LearnedGraph) -> Self {
        let ClusterAssignment { by, urls, templates, numbers, mixed, alike, led } = &learned.kinds;
        let mixed: BTreeMap<_, _> = mixed.iter().collect();
        let alike: BTreeMap<_, _> = alike.iter().map(|(pattern, cluster)| (*pattern, *cluster)).collect();
        let mut closed: Vec<_> = learned.closed.iter().map(|((from, apath), why)| (*from, *apath, *why)).collect();
        closed.sort_unstable();
        Self {
            by: *by,
            later: learned.later,
            urls: match urls {
                UrlAssignment::Patterns(patterns) => StoredUrls::Patterns((**patterns).clone()),
                UrlAssignment::Itemsets(matcher) => StoredUrls::Itemsets(Box::new((**matcher).clone())),
            },
            templates: templates.as_ref().map(|templates| templates.stored()),
            kinds: numbers.in_order(),
            mixed: mixed
                .into_iter()
                .map(|(pattern, page_types)| (*pattern, page_types.iter().copied().collect()))
                .collect(),
            alike: alike.into_iter().collect(),
            led: led.in_order(),
            graph: learned.graph.clone(),
            closed,
            examples: learned.examples.clone(),
        }
    }

    /// What clusters are formed by.
    pub const fn by(&self) -> ClusterBy {
        self.by
    }

    /// Whether links that the graph does not know are rejected, as in the paper.
    pub fn is_strict(&self) -> bool {
        self.later == Later::AsTrained
    }

    /// Checks that the parts fit together, which is not certain for the contents of a file.
    ///
    /// # Errors
    /// A description of what does not fit.
    pub fn check(&self) -> Result<(), &'static str> {
        let (clusters, edges) = (self.graph.nodes().len(), self.graph.edges());
        let inside = |cluster: Cluster| cluster.index() < clusters;
        let distinct: HashSet<&ClusterDefinition> = self.kinds.iter().collect();
        let source_inside = |from: &Option<Cluster>| from.is_none_or(inside);
        let mark_inside = |(mark, to): &(LinkFeatures, Cluster)| mark.source().is_none_or(inside) && inside(*to);
        let checks = [
            (clusters <= CLUSTERS_MAX, "the graph has too many clusters"),
            (self.kinds.len() == clusters, "the page clusters do not match the graph"),
            (distinct.len() == clusters, "a page cluster has two numbers"),
            (self.examples.len() == clusters, "the examples do not match the graph"),
            (edges.iter().all(|edge| inside(edge.from) && inside(edge.to)), "an edge leaves the graph"),
            (edges.is_sorted_by(|a, b| (a.from, a.to) < (b.from, b.to)), "the edges are not sorted"),
            (self.alike.iter().all(|(_, cluster)| inside(*cluster)), "a pattern's cluster is not in the graph"),
            (self.led.iter().all(mark_inside), "a rule leaves the graph"),
            (self.closed.iter().all(|(from, ..)| source_inside(from)), "a closed place is not in the graph"),
            (self.templates.as_ref().is_none_or(StoredTemplates::is_sound), "the templates do not match their pages"),
        ];
        checks.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, why)| Err(why))
    }
}

impl From<StoredGraph> for LearnedGraph {
    fn from(stored: StoredGraph) -> Self {
        let urls = match stored.urls {
            StoredUrls::Patterns(patterns) => UrlAssignment::Patterns(Arc::new(patterns)),
            StoredUrls::Itemsets(matcher) => UrlAssignment::Itemsets(matcher.into()),
        };
        let kinds = ClusterAssignment {
            by: stored.by,
            urls,
            templates: stored.templates.map(|templates| Arc::new(Templates::from(templates))),
            numbers: stored.kinds.into_iter().collect(),
            mixed: stored
                .mixed
                .into_iter()
                .map(|(pattern, page_types)| (pattern, page_types.into_iter().collect()))
                .collect(),
            alike: stored.alike.into_iter().collect(),
            led: stored.led.into_iter().collect(),
        };
        let mut learned = Self {
            kinds,
            filter: stored.graph.filter(),
            graph: stored.graph,
            later: stored.later,
            verdicts: HashMap::default(),
            closed: stored.closed.into_iter().map(|(from, apath, why)| ((from, apath), why)).collect(),
            examples: stored.examples,
        };
        learned.verdicts = learned.verdicts();
        learned
    }
}

impl LearnedGraph {
    /// The graph and the fetches that it was learned from, for display.
    pub fn facts(&self, memory: &Memory) -> Facts {
        let pages = memory.fetches().iter().filter(|fetch| matches!(fetch.result, FetchResult::Page { .. })).count();
        let origins = memory.fetches().iter().map(|fetch| origin_of(memory.url(fetch.url)));
        Facts::of_kinds(origins, pages, self.kind_facts())
    }

    /// The clusters with pages, by number.
    fn kind_facts(&self) -> Vec<KindFacts> {
        let number = |cluster: Cluster| class_cluster(Some(cluster));
        let mut leads_to: BTreeMap<Cluster, Vec<ClusterId>> = BTreeMap::new();
        for edge in self.graph.edges().iter().filter(|edge| edge.kept) {
            leads_to.entry(edge.from).or_default().push(number(edge.to));
        }
        let by_url = self.kinds.by != ClusterBy::Structure;
        let all = (0..).map(Cluster).zip(self.graph.nodes()).zip(&self.examples);
        let described = all.filter(|((_, node), _)| node.size > 0).map(|((kind, node), example)| KindFacts {
            kind: number(kind),
            pattern: example.as_ref().filter(|_| by_url).and_then(|url| self.kinds.urls.spell(url)),
            example: example.as_deref().map(str::to_owned),
            standing: node.standing,
            urls: node.size,
            links_in: node.links_in,
            leads_to: leads_to.remove(&kind).unwrap_or_default(),
        });
        described.collect()
    }
}
