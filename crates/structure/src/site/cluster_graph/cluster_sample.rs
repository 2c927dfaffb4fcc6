//! The sampled pages of one cluster.

use std::cmp::Ordering;

use super::sample::GraphPage;

/// The sampled pages of a cluster.
pub(super) struct ClusterSample<'a> {
    pub(super) cluster: usize,
    pub(super) pages: Vec<&'a GraphPage>,
    /// Number of those that redirect.
    pub(super) redirects: usize,
    /// The mean number of detours in their URLs, and of path segments.
    pub(super) detours: f64,
    pub(super) segments: f64,
    /// The share of pages that show something that no other of them shows first.
    pub(super) distinct: f64,
}

impl ClusterSample<'_> {
    /// Returns whether most of its URLs only redirect to others, in which case it is the original of nothing.
    const fn only_redirects(&self) -> bool {
        2 * self.redirects > self.pages.len()
    }

    /// Orders originals first: clusters that show something themselves, have plainer addresses, repeat themselves less
    /// (by at least a tenth), have shorter addresses, are larger.
    pub(super) fn by_originality(&self, other: &Self) -> Ordering {
        let plainness = self.only_redirects().cmp(&other.only_redirects()).then(self.detours.total_cmp(&other.detours));
        let tenths = |members: &Self| (members.distinct * 10.0).round();
        let variety = tenths(other).total_cmp(&tenths(self)).then(self.segments.total_cmp(&other.segments));
        let size = other.distinct.total_cmp(&self.distinct).then(other.pages.len().cmp(&self.pages.len()));
        plainness.then(variety).then(size).then(self.cluster.cmp(&other.cluster))
    }
}
