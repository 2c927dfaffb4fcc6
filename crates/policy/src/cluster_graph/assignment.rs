//! Page clusters: the nodes of the graph, and how pages and links are assigned to them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::followed_links::DestinationRules;
use super::identity_hash::IdentityHash;
use crate::learned::Templates;
use harvestman_core::config::ClusterBy;
use harvestman_core::model::{Apath, ClusterId, LeafPath, PatternId, UrlPattern};
use harvestman_structure::site::{CLUSTERS_MAX, Cluster, UrlMatcher, UrlPatterns};

/// The type of a fetched page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageType {
    /// An HTML page of this template.
    Template(ClusterId),
    /// A document that is no page.
    Document,
    /// A redirect.
    Redirect,
    /// An error.
    Failure,
}

/// The definition of a page cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterDefinition {
    /// All pages whose URLs have this pattern.
    Url(PatternId),
    /// All pages of this type.
    Made(PageType),
    /// The pages of one pattern and type that differ in worth from the other pages of the pattern.
    Apart(PatternId),
}

/// The numbers of clusters: each keeps its number while there is room.
#[derive(Debug, Clone, Default)]
pub struct ClusterNumbers {
    /// Those of URL patterns, which each fetched page looks up.
    of_patterns: HashMap<PatternId, Cluster, IdentityHash>,
    /// All others.
    others: HashMap<ClusterDefinition, Cluster, FixedState>,
}

impl ClusterNumbers {
    /// The number of clusters with a number.
    pub fn len(&self) -> usize {
        self.of_patterns.len() + self.others.len()
    }

    /// The number of a cluster, the next free one if it has none yet; `None` where there is no more room.
    pub fn number(&mut self, kind: ClusterDefinition) -> Option<Cluster> {
        let next = self.len();
        if let Some(cluster) = self.get(kind) {
            return Some(cluster);
        }
        if next >= CLUSTERS_MAX {
            return None;
        }
        let cluster = Cluster(next as u32);
        match kind {
            ClusterDefinition::Url(pattern) => self.of_patterns.insert(pattern, cluster),
            ClusterDefinition::Made(_) | ClusterDefinition::Apart(_) => self.others.insert(kind, cluster),
        };
        Some(cluster)
    }

    /// The patterns that are a cluster each.
    pub fn patterns(&self) -> impl Iterator<Item = (PatternId, Cluster)> {
        self.of_patterns.iter().map(|(pattern, cluster)| (*pattern, *cluster))
    }

    /// The number of a cluster, if it has one.
    pub fn get(&self, kind: ClusterDefinition) -> Option<Cluster> {
        match kind {
            ClusterDefinition::Url(pattern) => self.of_patterns.get(&pattern).copied(),
            ClusterDefinition::Made(_) | ClusterDefinition::Apart(_) => self.others.get(&kind).copied(),
        }
    }

    /// All clusters, by number.
    pub fn in_order(&self) -> Vec<ClusterDefinition> {
        let of_patterns = self.patterns().map(|(pattern, number)| (number, ClusterDefinition::Url(pattern)));
        let others = self.others.iter().map(|(kind, number)| (*number, *kind));
        let mut kinds: Vec<_> = of_patterns.chain(others).collect();
        kinds.sort_unstable();
        kinds.into_iter().map(|(_, kind)| kind).collect()
    }
}

impl FromIterator<ClusterDefinition> for ClusterNumbers {
    fn from_iter<I: IntoIterator<Item = ClusterDefinition>>(kinds: I) -> Self {
        let mut numbers = Self::default();
        for kind in kinds {
            numbers.number(kind);
        }
        numbers
    }
}

/// Assigns URLs to clusters.
#[derive(Debug, Clone)]
pub enum UrlAssignment {
    /// By their patterns.
    Patterns(Arc<UrlPatterns>),
    /// By Algorithm 2.
    Itemsets(Arc<UrlMatcher>),
}

impl UrlAssignment {
    /// The pattern in the class of a link to this URL; [`NO_CLUSTER`] where the URL is of no cluster.
    pub fn of(&self, url: &str) -> UrlPattern {
        match self {
            Self::Patterns(patterns) => patterns.of(url),
            Self::Itemsets(matcher) => matcher.find(url).map_or(NO_CLUSTER, |cluster| {
                let id = PatternId::new(u64::from(cluster.0) << 2, 0);
                UrlPattern { coarse: id, fine: id }
            }),
        }
    }

    /// The pattern of a URL, spelt out.
    pub fn spell(&self, url: &str) -> Option<String> {
        match self {
            Self::Patterns(patterns) => Some(patterns.spell(url)),
            Self::Itemsets(matcher) => matcher.spell(url),
        }
    }
}

/// The pattern of URLs of no cluster. It differs from all others, which have the highest bit set.
pub const NO_CLUSTER: UrlPattern = UrlPattern { coarse: PatternId(1), fine: PatternId(1) };

/// Assigns pages and links to clusters.
#[derive(Debug, Clone)]
pub struct ClusterAssignment {
    pub by: ClusterBy,
    pub urls: UrlAssignment,
    pub templates: Option<Arc<Templates>>,
    pub numbers: ClusterNumbers,
    /// Patterns whose pages of some types form clusters of their own, with these types.
    pub mixed: HashMap<PatternId, BTreeSet<PageType>, FixedState>,
    /// Those of them whose clusters have the same edges, each with a cluster that represents all: their pages need no
    /// classification by template.
    pub alike: HashMap<PatternId, Cluster, FixedState>,
    /// Where links led, for links whose URL does not determine the cluster.
    pub led: DestinationRules,
}

impl ClusterAssignment {
    /// The definition of a page's cluster.
    pub fn kind(&self, pattern: PatternId, page_type: PageType) -> Option<ClusterDefinition> {
        match self.by {
            ClusterBy::Structure => Some(ClusterDefinition::Made(page_type)),
            _ if pattern == NO_CLUSTER.fine => None,
            _ if self.is_apart(pattern, page_type) => Some(ClusterDefinition::Apart(pattern)),
            ClusterBy::Url | ClusterBy::Both => Some(ClusterDefinition::Url(pattern)),
        }
    }

    fn is_apart(&self, pattern: PatternId, page_type: PageType) -> bool {
        self.mixed.get(&pattern).is_some_and(|page_types| page_types.contains(&page_type))
    }

    /// The cluster of a page.
    pub fn of_page(&self, pattern: PatternId, page_type: PageType) -> Option<Cluster> {
        self.kind(pattern, page_type).and_then(|kind| self.numbers.get(kind))
    }

    /// The cluster of a page that waited under the pattern `waited`, which saves the look-up of its URL if the pattern
    /// is of this generation. Its template is computed only where nothing else determines the cluster.
    pub fn of_fetched(&self, waited: PatternId, url: &str, bag: &[LeafPath]) -> Option<Cluster> {
        let page_type = || PageType::Template(self.template(bag));
        if self.by == ClusterBy::Structure {
            return self.of_page(waited, page_type());
        }
        let of_pattern = |pattern| self.numbers.get(ClusterDefinition::Url(pattern));
        let by_waited = if matches!(self.urls, UrlAssignment::Patterns(_)) { of_pattern(waited) } else { None };
        let pattern = if by_waited.is_some() { waited } else { self.urls.of(url).fine };
        if self.mixed.contains_key(&pattern) {
            return self.alike.get(&pattern).copied().or_else(|| self.of_page(pattern, page_type()));
        }
        by_waited.or_else(|| of_pattern(pattern)).filter(|_| pattern != NO_CLUSTER.fine)
    }

    /// The cluster of a page as the source of links.
    pub fn as_source(&self, pattern: PatternId, page_type: PageType) -> Option<Cluster> {
        self.alike.get(&pattern).copied().or_else(|| self.of_page(pattern, page_type))
    }

    /// The clusters of each mixed pattern's pages that have a template, with that of the remaining pages first.
    pub fn clusters_of_mixed(&self) -> BTreeMap<PatternId, Vec<Cluster>> {
        let clusters = |(pattern, page_types): (&PatternId, &BTreeSet<PageType>)| {
            let apart = page_types.iter().any(|page_type| matches!(page_type, PageType::Template(_)));
            let kinds = std::iter::once(ClusterDefinition::Url(*pattern))
                .chain(apart.then_some(ClusterDefinition::Apart(*pattern)));
            (*pattern, kinds.filter_map(|kind| self.numbers.get(kind)).collect())
        };
        self.mixed.iter().map(clusters).collect()
    }

    /// The cluster that a link at `apath` on a page of `source` leads to, as far as its URL or the links followed so
    /// far determine it. Where the type of the target is unknown, its pattern decides.
    pub fn of_link(&self, source: Option<Cluster>, apath: Apath, pattern: PatternId) -> Option<Cluster> {
        match self.by {
            ClusterBy::Structure => self.led.to(source, apath, pattern),
            _ if pattern == NO_CLUSTER.fine => None,
            ClusterBy::Url | ClusterBy::Both => {
                let led = || self.led.to_by_pattern(source, apath, pattern);
                let foreseen = if self.mixed.contains_key(&pattern) { led() } else { None };
                foreseen.or_else(|| self.numbers.get(ClusterDefinition::Url(pattern)))
            }
        }
    }

    /// The template of a page.
    pub fn template(&self, bag: &[LeafPath]) -> ClusterId {
        self.templates.as_ref().map_or(ClusterId::UNKNOWN, |templates| templates.classify(bag))
    }
}
