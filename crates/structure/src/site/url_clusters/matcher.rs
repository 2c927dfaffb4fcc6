//! Puts any URL into its cluster.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::UrlClusterId;
use super::keywords::{Keywords, KeywordsForm, Malformed};
use super::procedure::{Procedure, hash_of_pattern};

/// Clusters by URL: the procedure that sampled URLs were put through, and then a look-up of the pattern that comes of it.
///
/// It is written to a file as keywords, itemsets and patterns in a fixed order.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "MatcherForm", into = "MatcherForm")]
pub struct UrlMatcher {
    procedure: Procedure,
    patterns: Vec<Box<str>>,
    /// Cluster by the 64-bit hash of its pattern: that any of a billion URLs is taken for one of 500 clusters by accident
    /// has a chance of 1 in 30 million.
    clusters: HashMap<u64, UrlClusterId, FixedState>,
}

impl UrlMatcher {
    /// A matcher for these patterns, which are numbered as they stand.
    pub(super) fn new(procedure: Procedure, patterns: Vec<Box<str>>) -> Self {
        let ids = (0..).map(UrlClusterId);
        let clusters = patterns.iter().map(|pattern| hash_of_pattern(pattern)).zip(ids).collect();
        Self { procedure, patterns, clusters }
    }

    /// The cluster of a canonical URL; none if its pattern is not one of those kept. Allocates nothing.
    pub fn find(&self, url: &str) -> Option<UrlClusterId> {
        let hash = self.procedure.hash(url).ok()?;
        self.clusters.get(&hash).copied()
    }

    /// The pattern of any canonical URL, whether or not it is a cluster's; none for a URL of too many items.
    pub fn spell(&self, url: &str) -> Option<String> {
        self.procedure.spell(url).ok()
    }

    /// The pattern of a cluster, as in `*.livejournal.com/$.html`.
    pub fn pattern(&self, cluster: UrlClusterId) -> Option<&str> {
        self.patterns.get(cluster.0 as usize).map(|pattern| &**pattern)
    }

    /// The patterns of all clusters, in the order of their ids.
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

/// What a matcher is written as.
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
