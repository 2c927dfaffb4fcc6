//! Clusters that links lead to: which cluster the pages behind URLs of a pattern belong to, by the pages that were
//! fetched.

use std::collections::{BTreeMap, HashMap, VecDeque};

use foldhash::fast::FixedState;

use harvestman_core::model::{ClusterId, PatternId, UrlPattern};

/// Number of pages that are remembered, the latest ones.
const PAGES_MAX: usize = 20_000;
/// Number of pages of a pattern from which on the pattern predicts where links lead.
const PAGES_MIN: u32 = 3;

type Counts = HashMap<PatternId, BTreeMap<ClusterId, u32>, FixedState>;
type Clusters = HashMap<PatternId, ClusterId, FixedState>;

/// The fetched pages with their clusters, counted by the patterns of their URLs.
#[derive(Debug, Default)]
pub struct Destinations {
    pages: VecDeque<(Box<str>, ClusterId)>,
    fine: Counts,
    coarse: Counts,
    clusters: BTreeMap<ClusterId, KnownCluster>,
    /// The version of the patterns that it is counted by.
    version: u64,
}

/// A cluster with fetched pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownCluster {
    /// The number of its fetched pages.
    pub pages: u64,
    /// The address of one of them.
    pub example: Box<str>,
}

/// For each pattern, the cluster of most of its pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatternClusters {
    fine: Clusters,
    coarse: Clusters,
}

impl PatternClusters {
    /// The cluster that links to URLs of this pattern lead to; `None` where too little is known or they lead to several
    /// clusters. The finer pattern decides if enough pages have it.
    pub fn cluster(&self, pattern: UrlPattern) -> Option<ClusterId> {
        let found = self.fine.get(&pattern.fine).or_else(|| self.coarse.get(&pattern.coarse));
        found.copied().filter(|cluster| *cluster != ClusterId::UNKNOWN)
    }

    /// The same, restricted to these clusters.
    #[must_use]
    pub fn only(mut self, wanted: &[ClusterId]) -> Self {
        self.coarse.retain(|_, cluster| wanted.contains(cluster));
        // A finer pattern that leads elsewhere still takes precedence over the coarser one.
        for cluster in self.fine.values_mut().filter(|cluster| !wanted.contains(cluster)) {
            *cluster = ClusterId::UNKNOWN;
        }
        self
    }
}

impl Destinations {
    /// Counts a page. `pattern` gives patterns of this version: where the version differs from the previous one, all
    /// pages are counted again.
    pub fn see(&mut self, url: &str, cluster: ClusterId, version: u64, pattern: impl Fn(&str) -> UrlPattern) {
        if cluster == ClusterId::UNKNOWN {
            return;
        }
        self.pages.push_back((url.into(), cluster));
        if self.pages.len() > PAGES_MAX {
            self.pages.pop_front();
        }
        note(&mut self.clusters, cluster, url);
        if version == self.version && self.fine.len() <= 2 * PAGES_MAX {
            self.count(cluster, pattern(url));
        } else {
            self.version = version;
            self.count_anew(pattern);
        }
    }

    /// Counts all remembered pages again, under the clusters that `cluster` gives now by their address and their
    /// previous cluster.
    pub fn recluster(
        &mut self,
        version: u64,
        now: impl Fn(&str, ClusterId) -> ClusterId,
        pattern: impl Fn(&str) -> UrlPattern,
    ) {
        self.clusters.clear();
        for (url, cluster) in &mut self.pages {
            *cluster = now(url, *cluster);
        }
        self.pages.retain(|(_, cluster)| *cluster != ClusterId::UNKNOWN);
        for (url, cluster) in &self.pages {
            note(&mut self.clusters, *cluster, url);
        }
        self.version = version;
        self.count_anew(pattern);
    }

    fn count_anew(&mut self, pattern: impl Fn(&str) -> UrlPattern) {
        self.fine.clear();
        self.coarse.clear();
        let pages = std::mem::take(&mut self.pages);
        pages.iter().for_each(|(url, cluster)| self.count(*cluster, pattern(url)));
        self.pages = pages;
    }

    fn count(&mut self, cluster: ClusterId, pattern: UrlPattern) {
        *self.fine.entry(pattern.fine).or_default().entry(cluster).or_default() += 1;
        *self.coarse.entry(pattern.coarse).or_default().entry(cluster).or_default() += 1;
    }

    /// The clusters with fetched pages, by number.
    pub const fn clusters(&self) -> &BTreeMap<ClusterId, KnownCluster> {
        &self.clusters
    }

    /// Returns how many of a cluster's remembered pages have URLs whose patterns are known to lead there, and how many
    /// pages of it are remembered. The others have patterns that are too new or that lead to other clusters as well.
    pub fn predicted_pages(&self, cluster: ClusterId, pattern: impl Fn(&str) -> UrlPattern) -> (usize, usize) {
        let pattern_clusters = self.pattern_clusters();
        let of_it = || self.pages.iter().filter(|(_, other)| *other == cluster);
        let predicted_pages =
            of_it().filter(|(url, _)| pattern_clusters.cluster(pattern(url)) == Some(cluster)).count();
        (predicted_pages, of_it().count())
    }

    /// Where links lead, by the pages so far.
    pub fn pattern_clusters(&self) -> PatternClusters {
        PatternClusters { fine: majorities(&self.fine), coarse: majorities(&self.coarse) }
    }
}

/// Counts a page of a cluster.
fn note(clusters: &mut BTreeMap<ClusterId, KnownCluster>, cluster: ClusterId, url: &str) {
    let known = clusters.entry(cluster).or_default();
    known.pages += 1;
    if known.example.is_empty() {
        known.example = url.into();
    }
}

/// For each pattern, the cluster of more than half of its pages; [`ClusterId::UNKNOWN`] where there is none.
fn majorities(counts: &Counts) -> Clusters {
    let all = counts.iter().map(|(pattern, clusters)| (*pattern, clusters, clusters.values().sum::<u32>()));
    let enough = all.filter(|(pattern, _, pages)| *pattern != PatternId::NONE && *pages >= PAGES_MIN);
    enough
        .map(|(pattern, clusters, pages)| {
            let most = clusters.iter().find(|(_, count)| 2 * **count > pages);
            (pattern, most.map_or(ClusterId::UNKNOWN, |(cluster, _)| *cluster))
        })
        .collect()
}
