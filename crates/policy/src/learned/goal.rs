//! The goal of a learned policy: the worth of a fetched page.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::templates::OUTLIER;
use super::topic_terms::TopicTerms;
use harvestman_core::model::{ClusterId, PatternId};
use harvestman_structure::site::UrlKind;

/// The likeness of pages with the example's template and another path, where all other pages of the template have its
/// path: two types of pages may share a template.
const TEMPLATE_ONLY: f64 = 0.3;

/// Where at least this share of pages with a kind of address are of the example's cluster, the others count as its
/// pages too: a short thread differs in structure from a long one.
const TELLING: f64 = 0.7;

/// The wanted pages.
#[derive(Debug, Clone)]
pub enum Goal {
    /// Content that users wrote: pages by the amount of their own text.
    Content,
    /// Pages like one of several examples.
    Like {
        /// The canonical URLs of the examples.
        examples: Vec<String>,
        /// The worth of a near-duplicate of a wanted page, from 0 to 1: such pages come after the others, but before
        /// hubs that are nearly exhausted.
        duplicate_worth: f64,
    },
    /// Pages that the crawl's validator accepts.
    Accepted {
        /// The canonical URLs of examples, which the validator should accept.
        examples: Vec<String>,
        /// The worth of a near-duplicate of a wanted page, from 0 to 1.
        duplicate_worth: f64,
    },
    /// Items of the site that carry a tag of a topic.
    Topic {
        /// The tags.
        terms: TopicTerms,
        /// The worth of a near-duplicate of a wanted page, from 0 to 1.
        duplicate_worth: f64,
    },
}

impl Goal {
    /// Whether pages are wanted by a verdict on each of them, not by their type.
    pub const fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted { .. } | Self::Topic { .. })
    }

    /// Whether pages of one type are wanted, by an example or a validator: they may be few, and hubs lead to them.
    pub const fn is_of_a_type(&self) -> bool {
        !matches!(self, Self::Content)
    }
}

/// What is known of an example at the moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Likeness {
    /// Its cluster, once there are clusters.
    pub cluster: Option<ClusterId>,
    /// The kind of its address.
    pub kind: UrlKind,
    /// The example is an outlier; the cluster is the nearest one.
    pub nearest: bool,
    /// The known pages, by which it is judged how much clusters and kinds of addresses tell.
    pub counts: KindCounts,
}

/// Counts of pages, outliers apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KindCounts {
    /// For each kind of address that has the example's path, by its parameters and its view: its pages, and those in
    /// the example's cluster.
    kinds: HashMap<(PatternId, u64), Share, FixedState>,
    /// For each cluster: its pages, and those whose path is like the example's.
    clusters: HashMap<ClusterId, Share, FixedState>,
    /// The pages whose address has the example's shape, and those in the example's cluster.
    shape: Share,
    /// The pages of the example's cluster, and those whose address has the example's shape.
    cluster: Share,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Share {
    pages: u32,
    wanted: u32,
}

impl Share {
    fn see(&mut self, is_wanted: bool) {
        self.pages += 1;
        self.wanted += u32::from(is_wanted);
    }

    /// The share, as if one wanted page and one other had been seen before.
    fn of(self) -> f64 {
        f64::from(self.wanted + 1) / f64::from(self.pages + 2)
    }
}

impl Likeness {
    /// Whether two examples have the same likeness to every page.
    pub fn is_of_the_same(&self, other: &Self) -> bool {
        (self.cluster, self.kind, self.nearest) == (other.cluster, other.kind, other.nearest)
    }

    /// Counts pages, each with its cluster and the kind of its address. Outliers have none.
    pub fn count(&mut self, pages: &[(ClusterId, UrlKind)]) {
        self.counts = KindCounts::default();
        for (cluster, _) in pages.iter().filter(|(_, kind)| kind.shape == self.kind.shape) {
            self.counts.shape.see(Some(*cluster) == self.cluster);
        }
        for (_, kind) in pages.iter().filter(|(cluster, _)| Some(*cluster) == self.cluster) {
            self.counts.cluster.see(kind.shape == self.kind.shape);
        }
        for (cluster, kind) in pages {
            if kind.path == self.kind.path {
                self.counts.kinds.entry((kind.whole, kind.view)).or_default().see(Some(*cluster) == self.cluster);
            }
            let is_like = kind.path == self.kind.path || self.is_shaped_alike(*kind);
            self.counts.clusters.entry(*cluster).or_default().see(is_like);
        }
    }

    /// Whether an address has the example's shape, and nearly all pages whose address has it are of the example's
    /// cluster, and hardly any others. Then names in paths do not tell types of pages apart, but sections of one type.
    fn is_shaped_alike(&self, kind: UrlKind) -> bool {
        let KindCounts { shape, cluster, .. } = &self.counts;
        let tells = shape.of() >= TELLING && cluster.of() >= TELLING;
        self.cluster.is_some() && kind.shape == self.kind.shape && tells
    }

    /// Whether an address is of the example's kind. `?tab=posts` and `?tab=stats` may show different types of pages, or
    /// one: the view counts unless the pages with the example's view are of many clusters themselves.
    fn is_of_kind(&self, kind: UrlKind) -> bool {
        /// Number of pages with the example's view that show whether it counts.
        const PAGES_MIN: u32 = 4;
        let exact = self.counts.kinds.get(&(self.kind.whole, self.kind.view)).copied().unwrap_or_default();
        let view_counts = exact.pages < PAGES_MIN || exact.of() >= TELLING;
        kind == self.kind || !view_counts && (kind.whole, kind.path) == (self.kind.whole, self.kind.path)
    }

    /// Of the pages with an address of this kind, the share in the example's cluster.
    pub fn reliability(&self, kind: UrlKind) -> f64 {
        self.counts.kinds.get(&(kind.whole, kind.view)).copied().unwrap_or_default().of()
    }

    /// The likeness of an address to the example's, from 0 to 1.
    pub fn of_address(&self, kind: UrlKind) -> f64 {
        /// The same path with other parameters: another view of a page like the example, or another type of page.
        const OTHER_PARAMETERS: f64 = 0.7;
        /// The same parameters with another word where the word counts.
        const OTHER_VIEW: f64 = 0.15;
        if self.is_of_kind(kind) {
            1.0
        } else if kind.whole == self.kind.whole && kind.path == self.kind.path {
            OTHER_VIEW
        } else if kind.path == self.kind.path {
            OTHER_PARAMETERS
        } else {
            0.0
        }
    }

    /// The likeness of a page of `cluster` with an address of `kind` to the example, from 0 to 1.
    pub fn of(&self, cluster: ClusterId, kind: UrlKind) -> f64 {
        /// The same kind of address with another template: the pages of one type may have several templates, of which
        /// the example's is one.
        const ADDRESS_ONLY: f64 = 0.4;
        /// The same template in another section, where sections have the same template.
        const OTHER_SECTION: f64 = 0.85;
        let address = self.of_address(kind);
        let Some(wanted) = self.cluster else { return address };
        let reliability = self.reliability(kind);
        // Other outliers with an address like the example's are as near to it as pages of the cluster.
        let is_near = wanted == cluster || self.nearest && cluster <= OUTLIER;
        if address > 0.0 && (is_near || reliability >= TELLING) {
            address
        } else if self.is_of_kind(kind) {
            reliability.max(self.purity(cluster)).max(ADDRESS_ONLY)
        } else if wanted == cluster && self.is_shaped_alike(kind) {
            OTHER_SECTION
        } else if wanted == cluster {
            TEMPLATE_ONLY * self.purity(cluster)
        } else {
            0.0
        }
    }

    /// Of the pages of a cluster, the share whose path is like the example's: a template of many types of pages
    /// identifies none of them.
    fn purity(&self, cluster: ClusterId) -> f64 {
        self.counts.clusters.get(&cluster).copied().unwrap_or_default().of()
    }
}

#[cfg(test)]
#[path = "goal_tests.rs"]
mod tests;
