//! Learns clusters of URLs from a sample, and assigns any URL to its cluster.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use rand::Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::UrlClusterId;
use super::cluster_options::{UrlClusterOptions, UrlLimitHit};
use super::keywords::{Keywords, KeywordsForm, Malformed};
use super::mining::{is_too_long, mine};
use super::pieces::UrlPart;
use super::procedure::{Procedure, hash_of_pattern};

/// Clusters by URL: the procedure that was applied to the sampled URLs, and then a look-up of the resulting pattern.
///
/// The stored form has keywords, itemsets and patterns in a fixed order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "MatcherForm", into = "MatcherForm")]
pub struct UrlMatcher {
    procedure: Procedure,
    patterns: Vec<Box<str>>,
    /// Cluster by the 64-bit hash of its pattern: the probability that any of a billion URLs is taken for one of 500
    /// clusters by accident is 1 in 30 million.
    clusters: HashMap<u64, UrlClusterId, FixedState>,
}

impl UrlMatcher {
    /// Creates a matcher for these patterns, which are numbered by position.
    pub(super) fn new(procedure: Procedure, patterns: Vec<Box<str>>) -> Self {
        let ids = (0..).map(UrlClusterId);
        let clusters = patterns.iter().map(|pattern| hash_of_pattern(pattern)).zip(ids).collect();
        Self { procedure, patterns, clusters }
    }

    /// Returns the cluster of a canonical URL; `None` if its pattern is not one of those kept. Does not allocate.
    pub fn find(&self, url: &str) -> Option<UrlClusterId> {
        let hash = self.procedure.hash(url).ok()?;
        self.clusters.get(&hash).copied()
    }

    /// Returns the pattern of any canonical URL, whether or not it is a cluster's; `None` for a URL of too many items.
    pub fn spell(&self, url: &str) -> Option<String> {
        self.procedure.spell(url).ok()
    }

    /// Returns the pattern of a cluster, such as `*.livejournal.com/$.html`.
    pub fn pattern(&self, cluster: UrlClusterId) -> Option<&str> {
        self.patterns.get(cluster.0 as usize).map(|pattern| &**pattern)
    }

    /// Returns the patterns of all clusters, in the order of their ids.
    pub fn patterns(&self) -> impl ExactSizeIterator<Item = &str> {
        self.patterns.iter().map(|pattern| &**pattern)
    }
}

impl PartialEq for UrlMatcher {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns && self.procedure == other.procedure
    }
}

impl Eq for UrlMatcher {}

/// The stored form of a matcher.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MatcherForm {
    query_at_path_miss: bool,
    authority: KeywordsForm,
    path: KeywordsForm,
    query: KeywordsForm,
    patterns: Vec<Box<str>>,
}

impl From<UrlMatcher> for MatcherForm {
    fn from(matcher: UrlMatcher) -> Self {
        let Procedure { keywords, query_at_path_miss } = matcher.procedure;
        let [authority, path, query] = keywords.map(|keywords| keywords.form().clone());
        Self { query_at_path_miss, authority, path, query, patterns: matcher.patterns }
    }
}

impl TryFrom<MatcherForm> for UrlMatcher {
    type Error = Malformed;

    fn try_from(form: MatcherForm) -> Result<Self, Malformed> {
        let keywords = [Keywords::new(form.authority)?, Keywords::new(form.path)?, Keywords::new(form.query)?];
        if form.patterns.len() >= u32::MAX as usize {
            return Err(Malformed("too many patterns"));
        }
        let procedure = Procedure { keywords, query_at_path_miss: form.query_at_path_miss };
        Ok(Self::new(procedure, form.patterns))
    }
}

/// URLs of one pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlCluster {
    /// The pattern without the scheme, such as `*.livejournal.com/$.html`; `$` stands for digits, `*` for anything
    /// else.
    pub pattern: String,
    /// The number of sampled URLs that have it.
    pub urls: u32,
}

/// The cluster of a sampled URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UrlPlacement {
    /// A cluster that is kept.
    Cluster(UrlClusterId),
    /// A cluster that was dropped, by its position in [`UrlClusters::dropped`].
    Dropped(u32),
    /// None, because the URL has too many items.
    TooLong,
}

/// The result of learning from a sample of URLs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UrlClusters {
    /// The clusters by descending size (of equals, by pattern); their ids are their positions.
    pub clusters: Vec<UrlCluster>,
    /// The clusters that were dropped, in the same order: the smallest, without which the others still cover enough. At
    /// most as many as URLs.
    pub dropped: Vec<UrlCluster>,
    /// The cluster of each URL of the sample.
    pub placements: Vec<UrlPlacement>,
    /// The limits that were reached, for display to the operator.
    pub limits_hit: Vec<UrlLimitHit>,
    /// Assigns any other URL to its cluster.
    pub matcher: UrlMatcher,
}

/// The sample is too small for anything to be frequent in every bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{urls} URLs are too few to cluster; at least {needed} are needed")]
pub struct TooFewUrls {
    /// The number of URLs that could be used.
    pub urls: usize,
    /// Bins × support.
    pub needed: usize,
}

impl UrlClusters {
    /// Clusters canonical URLs, each of which should be passed once (Algorithm 2).
    ///
    /// # Errors
    ///
    /// If there are fewer URLs than bins × support.
    pub fn learn<S: AsRef<str>>(
        urls: &[S],
        options: &UrlClusterOptions,
        rng: &mut impl Rng,
    ) -> Result<Self, TooFewUrls> {
        let usable: Vec<&str> = urls.iter().map(AsRef::as_ref).filter(|url| !is_too_long(url)).collect();
        if usable.len() < options.urls_min() {
            return Err(TooFewUrls { urls: usable.len(), needed: options.urls_min() });
        }
        let mut limits_hit = Vec::new();
        if usable.len() < urls.len() {
            limits_hit.push(UrlLimitHit::LongUrls { urls: urls.len() - usable.len() });
        }
        let bins = deal(usable.len(), options.bins.max(1), rng);
        let keywords = UrlPart::ALL.map(|part| mine(&usable, &bins, part, options, &mut limits_hit));
        let procedure = Procedure { keywords, query_at_path_miss: options.query_at_path_miss };
        Ok(Self::group(urls, procedure, options, limits_hit))
    }

    fn group<S: AsRef<str>>(
        urls: &[S],
        procedure: Procedure,
        options: &UrlClusterOptions,
        mut limits_hit: Vec<UrlLimitHit>,
    ) -> Self {
        let groups = groups(urls, &procedure);
        let sizes: Vec<usize> = groups.iter().map(|(_, members)| members.len()).collect();
        let needed = covering(&sizes, options.delta);
        let kept = needed.min(options.limits.clusters_max);
        if kept < needed {
            limits_hit.push(UrlLimitHit::Clusters { dropped: needed - kept });
        }
        let placements = placements(&groups, kept, urls.len());
        let cluster = |(pattern, members): Group| UrlCluster { pattern, urls: members.len() as u32 };
        let mut clusters: Vec<UrlCluster> = groups.into_iter().map(cluster).collect();
        let dropped = clusters.split_off(kept);
        let patterns = clusters.iter().map(|cluster| Box::from(&*cluster.pattern)).collect();
        Self { clusters, dropped, placements, limits_hit, matcher: UrlMatcher::new(procedure, patterns) }
    }
}

/// A pattern, and the positions in the sample of the URLs that have it.
type Group = (String, Vec<usize>);

/// Returns all patterns by descending size; of equals, by their texts.
fn groups<S: AsRef<str>>(urls: &[S], procedure: &Procedure) -> Vec<Group> {
    let mut members: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, url) in urls.iter().enumerate() {
        if let Ok(pattern) = procedure.spell(url.as_ref()) {
            members.entry(pattern).or_default().push(number);
        }
    }
    let mut groups: Vec<Group> = members.into_iter().collect();
    groups.sort_by_key(|(_, members)| Reverse(members.len()));
    groups
}

/// Returns the placement of each of `urls` URLs, if the first `kept` groups are clusters.
fn placements(groups: &[Group], kept: usize, urls: usize) -> Vec<UrlPlacement> {
    let mut placements = vec![UrlPlacement::TooLong; urls];
    for (place, (_, members)) in groups.iter().enumerate() {
        let placement = match place.checked_sub(kept) {
            None => UrlPlacement::Cluster(UrlClusterId(place as u32)),
            Some(place) => UrlPlacement::Dropped(place as u32),
        };
        members.iter().for_each(|url| placements[*url] = placement);
    }
    placements
}

/// Returns the bin of each URL: random bins of equal size (to within one URL).
pub(super) fn deal(urls: usize, bins: u32, rng: &mut impl Rng) -> Vec<u32> {
    let mut dealt: Vec<u32> = (0..bins).cycle().take(urls).collect();
    dealt.shuffle(rng);
    dealt
}

/// Returns how many of these sizes, given in descending order, are needed to cover a share of 1 - `delta`.
fn covering(sizes: &[usize], delta: f64) -> usize {
    let all: usize = sizes.iter().sum();
    // Products like 0.03 × 100 may be slightly too small.
    let mut spare = (delta.clamp(0.0, 1.0) * all as f64 + 1e-9) as usize;
    let mut kept = sizes.len();
    while let Some(smallest) = kept.checked_sub(1).map(|last| sizes[last]).filter(|smallest| *smallest <= spare) {
        spare -= smallest;
        kept -= 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_go_while_the_rest_covers_enough() {
        assert_eq!(covering(&[50, 47, 2, 1], 0.03), 2);
        assert_eq!(covering(&[50, 46, 2, 2], 0.03), 3);
        assert_eq!(covering(&[96, 4], 0.03), 2);
        assert_eq!(covering(&[5, 5], 0.0), 2);
        assert_eq!(covering(&[5, 5], 1.0), 0);
        assert_eq!(covering(&[], 0.03), 0);
    }

    #[test]
    fn urls_are_dealt_evenly() {
        let mut dealt = deal(20, 6, &mut harvestman_core::seed::Seed(1).rng());
        assert_ne!(dealt, deal(20, 6, &mut harvestman_core::seed::Seed(2).rng()));
        dealt.sort_unstable();
        let sizes = (0..6).map(|bin| dealt.iter().filter(|other| **other == bin).count());
        assert!(sizes.eq([4, 4, 3, 3, 3, 3]));
    }
}
