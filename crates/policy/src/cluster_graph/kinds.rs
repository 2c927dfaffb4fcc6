//! Kinds of pages: the clusters of the graph, however they are told.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::led::Rules;
use crate::learned::Templates;
use harvestman_core::config::ClusterBy;
use harvestman_core::model::{Apath, ClusterId, LeafPath, PatternId, UrlPattern};
use harvestman_structure::site::{CLUSTERS_MAX, Cluster, UrlMatcher, UrlPatterns};

/// What a page was made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maker {
    /// A template.
    Template(ClusterId),
    /// None: it is a document.
    Document,
    /// None: it is a redirect.
    Redirect,
    /// None: it is an error.
    Failure,
}

/// A kind of page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// All whose URLs have this pattern.
    Url(PatternId),
    /// All of this maker.
    Made(Maker),
    /// Those of them that are worth something else than the rest, by what made them.
    Apart(PatternId),
}

/// The numbers of kinds: each keeps its own for as long as there is room.
#[derive(Debug, Clone, Default)]
pub struct Numbers(HashMap<Kind, Cluster, FixedState>);

impl Numbers {
    /// How many kinds have a number.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of a kind, the next one where it has none; none where there is no more room.
    pub fn number(&mut self, kind: Kind) -> Option<Cluster> {
        let next = self.0.len();
        match self.0.get(&kind) {
            Some(cluster) => Some(*cluster),
            None if next >= CLUSTERS_MAX => None,
            None => Some(*self.0.entry(kind).or_insert(Cluster(next as u32))),
        }
    }

    /// Patterns that are a kind each.
    pub fn patterns(&self) -> impl Iterator<Item = (PatternId, Cluster)> {
        self.0.iter().filter_map(|(kind, cluster)| match kind {
            Kind::Url(pattern) => Some((*pattern, *cluster)),
            Kind::Made(_) | Kind::Apart(_) => None,
        })
    }

    /// The number of a kind, if it has one.
    pub fn get(&self, kind: Kind) -> Option<Cluster> {
        self.0.get(&kind).copied()
    }

    /// All kinds, by number.
    pub fn in_order(&self) -> Vec<Kind> {
        let mut kinds: Vec<_> = self.0.iter().map(|(kind, number)| (*number, *kind)).collect();
        kinds.sort_unstable();
        kinds.into_iter().map(|(_, kind)| kind).collect()
    }
}

impl FromIterator<Kind> for Numbers {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        let mut numbers = Self::default();
        for kind in kinds {
            numbers.number(kind);
        }
        numbers
    }
}

/// Tells the kinds of URLs.
#[derive(Debug, Clone)]
pub enum UrlKinds {
    /// By their patterns.
    Patterns(Arc<UrlPatterns>),
    /// By Algorithm 2.
    Itemsets(Arc<UrlMatcher>),
}

impl UrlKinds {
    /// What the pattern of a link's class is; [`UrlPattern::NONE`] where a URL is of no kind.
    pub fn of(&self, url: &str) -> UrlPattern {
        match self {
            Self::Patterns(patterns) => patterns.of(url),
            Self::Itemsets(matcher) => matcher.find(url).map_or(NO_KIND, |cluster| {
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

/// The pattern of URLs that are of no kind. None of the others is the same: they have their highest bit set.
pub const NO_KIND: UrlPattern = UrlPattern { coarse: PatternId(1), fine: PatternId(1) };

/// Tells the kinds of pages and of links.
#[derive(Debug, Clone)]
pub struct Kinds {
    pub by: ClusterBy,
    pub urls: UrlKinds,
    pub templates: Option<Arc<Templates>>,
    pub numbers: Numbers,
    /// Patterns of which the pages of some makers are a kind of their own, and those makers.
    pub mixed: HashMap<PatternId, BTreeSet<Maker>, FixedState>,
    /// Those of them whose pages all lead to the same, with the cluster that stands for all: of their pages the template need not
    /// be asked.
    pub alike: HashMap<PatternId, Cluster, FixedState>,
    /// Where links led, for those whose kind is not told by their URL.
    pub led: Rules,
}

impl Kinds {
    /// The kind of a page.
    pub fn kind(&self, pattern: PatternId, maker: Maker) -> Option<Kind> {
        match self.by {
            ClusterBy::Structure => Some(Kind::Made(maker)),
            _ if pattern == NO_KIND.fine => None,
            _ if self.is_apart(pattern, maker) => Some(Kind::Apart(pattern)),
            ClusterBy::Url | ClusterBy::Both => Some(Kind::Url(pattern)),
        }
    }

    fn is_apart(&self, pattern: PatternId, maker: Maker) -> bool {
        self.mixed.get(&pattern).is_some_and(|makers| makers.contains(&maker))
    }

    /// The cluster of a page.
    pub fn of_page(&self, pattern: PatternId, maker: Maker) -> Option<Cluster> {
        self.kind(pattern, maker).and_then(|kind| self.numbers.get(kind))
    }

    /// The cluster of a page that waited under the pattern `waited`, which saves to look its URL up, if it is of now. Its template
    /// is asked where nothing else tells.
    pub fn of_fetched(&self, waited: PatternId, url: &str, bag: &[LeafPath]) -> Option<Cluster> {
        let maker = || Maker::Template(self.template(bag));
        if self.by == ClusterBy::Structure {
            return self.of_page(waited, maker());
        }
        let by_pattern = matches!(self.urls, UrlKinds::Patterns(_)) && self.knows(waited);
        let pattern = if by_pattern { waited } else { self.urls.of(url).fine };
        if self.mixed.contains_key(&pattern) {
            return self.alike.get(&pattern).copied().or_else(|| self.of_page(pattern, maker()));
        }
        self.numbers.get(Kind::Url(pattern)).filter(|_| pattern != NO_KIND.fine)
    }

    fn knows(&self, pattern: PatternId) -> bool {
        self.numbers.get(Kind::Url(pattern)).is_some()
    }

    /// The cluster of a page as the source of links.
    pub fn as_source(&self, pattern: PatternId, maker: Maker) -> Option<Cluster> {
        self.alike.get(&pattern).copied().or_else(|| self.of_page(pattern, maker))
    }

    /// The clusters of each mixed pattern's pages that have a template, that of the rest first.
    pub fn clusters_of_mixed(&self) -> BTreeMap<PatternId, Vec<Cluster>> {
        let clusters = |(pattern, makers): (&PatternId, &BTreeSet<Maker>)| {
            let apart = makers.iter().any(|maker| matches!(maker, Maker::Template(_)));
            let kinds = std::iter::once(Kind::Url(*pattern)).chain(apart.then_some(Kind::Apart(*pattern)));
            (*pattern, kinds.filter_map(|kind| self.numbers.get(kind)).collect())
        };
        self.mixed.iter().map(clusters).collect()
    }

    /// The cluster that a link at `apath` on a page of `source` leads to, as far as its URL or what others led to tells. Where it is
    /// not known what made the page behind it, its pattern decides.
    pub fn of_link(&self, source: Option<Cluster>, apath: Apath, pattern: PatternId) -> Option<Cluster> {
        match self.by {
            ClusterBy::Structure => self.led.to(source, apath, pattern),
            _ if pattern == NO_KIND.fine => None,
            ClusterBy::Url | ClusterBy::Both => {
                let led = || self.led.to_by_pattern(source, apath, pattern);
                let foreseen = if self.mixed.contains_key(&pattern) { led() } else { None };
                foreseen.or_else(|| self.numbers.get(Kind::Url(pattern)))
            }
        }
    }

    /// The template of a page.
    pub fn template(&self, bag: &[LeafPath]) -> ClusterId {
        self.templates.as_ref().map_or(ClusterId::UNKNOWN, |templates| templates.classify(bag))
    }
}
