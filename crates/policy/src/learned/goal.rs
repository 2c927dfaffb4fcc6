//! The goal of a learned policy: the worth of a fetched page.

use super::templates::OUTLIER;
use harvestman_core::model::{ClusterId, PatternId};

/// The wanted pages.
#[derive(Debug, Clone)]
pub enum Goal {
    /// Content that users wrote: pages by the amount of their own text.
    Content,
    /// Pages like an example.
    Like(Example),
}

/// The page that wanted pages resemble.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its canonical URL.
    pub url: String,
    /// The worth of a near-duplicate of a wanted page, from 0 to 1: such pages come after the others, but before hubs
    /// that are nearly exhausted.
    pub duplicate_worth: f64,
}

/// What is known of the example at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Likeness {
    /// Its cluster, once there are clusters.
    pub cluster: Option<ClusterId>,
    /// The pattern of its URL's path.
    pub path: PatternId,
    /// Of the pages whose URLs have this pattern, the share in the example's cluster: how reliable the pattern is.
    pub address: f64,
    /// The example is an outlier; the cluster is the nearest one.
    pub nearest: bool,
}

impl Likeness {
    /// The likeness of a page of `cluster` with a path of pattern `path` to the example, from 0 to 1.
    pub fn of(self, cluster: ClusterId, path: PatternId) -> f64 {
        /// The same template with another URL pattern: two types of pages may share the template.
        const TEMPLATE_ONLY: f64 = 0.3;
        /// The same URL pattern with another template: the pages of one type may have several templates, of which the
        /// example's is one.
        const ADDRESS_ONLY: f64 = 0.4;
        /// Where at least this share of pages with the pattern are of the cluster, the others count as its pages too: a
        /// short thread differs in structure from a long one.
        const TELLING: f64 = 0.7;
        let address = path == self.path;
        match self.cluster {
            Some(wanted) if wanted == cluster => {
                if address {
                    1.0
                } else {
                    TEMPLATE_ONLY
                }
            }
            // Other outliers with the pattern are as near to the example as pages of the cluster.
            Some(_) if address && self.nearest && cluster <= OUTLIER => 1.0,
            Some(_) if address && self.address >= TELLING => 1.0,
            Some(_) if address => self.address.max(ADDRESS_ONLY),
            Some(_) => 0.0,
            None => f64::from(u8::from(address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_like_the_example_by_template_and_kind_of_address_and_more_by_both() {
        let (wanted, other, outlier) = (ClusterId(2), ClusterId(3), ClusterId(1));
        let likeness = |address| Likeness { cluster: Some(wanted), path: PatternId(7), address, nearest: false };
        let of = |cluster, path| likeness(0.1).of(cluster, PatternId(path));
        assert_eq!((of(wanted, 7), of(other, 8), of(outlier, 8)), (1.0, 0.0, 0.0));
        assert!(0.0 < of(wanted, 8) && of(wanted, 8) < 1.0);
        assert!(0.0 < of(other, 7) && of(other, 7) < likeness(0.6).of(other, PatternId(7)));
        // Where most pages with the pattern are of the cluster, the others count as its pages.
        assert_eq!((likeness(0.8).of(other, PatternId(7)), likeness(0.8).of(other, PatternId(8))), (1.0, 0.0));
    }

    #[test]
    fn an_outlier_example_is_represented_by_the_nearest_cluster_and_by_outliers_with_its_pattern() {
        let likeness = Likeness { cluster: Some(ClusterId(2)), path: PatternId(7), address: 0.3, nearest: true };
        let of = |cluster, path| likeness.of(ClusterId(cluster), PatternId(path));
        assert_eq!((of(2, 7), of(1, 7), of(1, 8)), (1.0, 1.0, 0.0));
        assert!(0.0 < of(3, 7) && of(3, 7) < 1.0);
        assert!(0.0 < of(2, 8) && of(2, 8) < 1.0);
    }

    #[test]
    fn before_there_are_clusters_the_url_pattern_decides() {
        let likeness = Likeness { cluster: None, path: PatternId(7), address: 0.1, nearest: false };
        let of = |path| likeness.of(ClusterId::UNKNOWN, PatternId(path));
        assert_eq!((of(7), of(8)), (1.0, 0.0));
    }
}
