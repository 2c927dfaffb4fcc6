//! Assigns any URL to its cluster.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::UrlClusterId;
use super::keywords::{Keywords, KeywordsForm, Malformed};
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
