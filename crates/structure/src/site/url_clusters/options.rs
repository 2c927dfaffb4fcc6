//! How URLs are clustered.

/// Settings of [`UrlClusters::learn`](super::UrlClusters::learn). The default is what works best on recorded forums;
/// [`paper`](Self::paper) is what was published.
#[derive(Debug, Clone, PartialEq)]
pub struct UrlClusterOptions {
    /// M: the bins that URLs are dealt into; a keyword must be frequent in all of them. At least 1.
    pub bins: u32,
    /// S: the URLs of a bin that make an itemset frequent there. At least 1.
    pub support: u32,
    /// The share of URLs that may be left without a pattern, so that small patterns are dropped.
    pub delta: f64,
    /// Which items can be functional keywords.
    pub literal: UrlLiterals,
    /// Whether the query is looked at where the path has no keyword. In the paper it is not, so that `/?page=2` and
    /// `/?search=cats` are the same.
    pub query_at_path_miss: bool,
    /// What is learnt at most.
    pub limits: UrlClusterLimits,
}

/// Which items can be functional keywords, that is, stand in a pattern as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlLiterals {
    /// Any that is frequent (the paper).
    Frequent,
    /// No slug and no identifier, however frequent: the busiest board's name is as much an instance as any other's. An item
    /// that
    /// *all* URLs have is no instance of anything, and stands.
    FrequentButInstances,
}

/// Bounds on what is learnt. Which were reached stands in [`UrlClusters::limits_hit`](super::UrlClusters::limits_hit).
///
/// The length of an itemset needs no bound of its own: with a frequent itemset all its subsets are frequent, so one of n
/// independent items counts 2ⁿ times against `itemsets_max`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlClusterLimits {
    /// Items of a part that can be keywords: the most frequent.
    pub keywords_max: u16,
    /// Frequent itemsets of a part. With more, the support that is asked for is doubled until they are few enough.
    pub itemsets_max: usize,
    /// Steps that mining may take for each URL, to the same effect.
    pub steps_per_url_max: u64,
    /// Clusters that are kept: the largest.
    pub clusters_max: usize,
}

impl UrlClusterOptions {
    /// Algorithm 2 with the paper's values.
    pub fn paper() -> Self {
        Self {
            bins: 6,
            support: 5,
            delta: 0.03,
            literal: UrlLiterals::Frequent,
            query_at_path_miss: false,
            limits: UrlClusterLimits::default(),
        }
    }

    /// The URLs that it takes for any keyword to be found.
    pub fn urls_min(&self) -> usize {
        self.bins.max(1) as usize * self.support.max(1) as usize
    }
}

impl Default for UrlClusterOptions {
    fn default() -> Self {
        Self { delta: 0.005, literal: UrlLiterals::FrequentButInstances, query_at_path_miss: true, ..Self::paper() }
    }
}

impl Default for UrlClusterLimits {
    fn default() -> Self {
        Self { keywords_max: 4_096, itemsets_max: 20_000, steps_per_url_max: 2_000, clusters_max: 4_096 }
    }
}
