//! What a learned policy is after: what a fetched page is worth to it.

use super::templates::OUTLIER;
use harvestman_core::model::{ClusterId, PatternId};

/// What is wanted.
#[derive(Debug, Clone)]
pub enum Goal {
    /// What users wrote: pages by how much text of their own they have.
    Content,
    /// Pages like an example.
    Like(Example),
}

/// The page that others shall be like.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its canonical URL.
    pub url: String,
    /// What a near-duplicate of a wanted page is worth, from 0 to 1: such pages come after the others, before hubs that
    /// are nearly exhausted.
    pub duplicate_worth: f64,
}

/// What is known of the example at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Likeness {
    /// Its cluster, once there are clusters.
    pub cluster: Option<ClusterId>,
    /// The pattern of its URL's path.
    pub path: PatternId,
    /// Of the pages at addresses of this pattern, the share that is of the example's cluster: how much the address tells.
    pub address: f64,
    /// The example is like no other page; the cluster is the nearest one.
    pub nearest: bool,
}

impl Likeness {
    /// How much a page of `cluster` at a path of pattern `path` is like the example, from 0 to 1.
    pub fn of(self, cluster: ClusterId, path: PatternId) -> f64 {
        /// The same template under another kind of address: the template may be shared by two types of pages.
        const TEMPLATE_ONLY: f64 = 0.3;
        /// The same kind of address under another template: a type's pages may be made by several, of which the example's is one.
        const ADDRESS_ONLY: f64 = 0.4;
        /// Where so many pages at such addresses are of the cluster, the others are of it too: a short thread has another
        /// structure than a long one.
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
            // Other outliers at such addresses are as near to it as pages of the cluster.
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
        // Where most pages at such addresses are of the cluster, the others there are taken for it.
        assert_eq!((likeness(0.8).of(other, PatternId(7)), likeness(0.8).of(other, PatternId(8))), (1.0, 0.0));
    }

    #[test]
    fn an_outlier_is_stood_in_for_by_the_nearest_cluster_and_by_outliers_at_such_addresses() {
        let likeness = Likeness { cluster: Some(ClusterId(2)), path: PatternId(7), address: 0.3, nearest: true };
        let of = |cluster, path| likeness.of(ClusterId(cluster), PatternId(path));
        assert_eq!((of(2, 7), of(1, 7), of(1, 8)), (1.0, 1.0, 0.0));
        assert!(0.0 < of(3, 7) && of(3, 7) < 1.0);
        assert!(0.0 < of(2, 8) && of(2, 8) < 1.0);
    }

    #[test]
    fn as_long_as_there_are_no_clusters_the_address_decides() {
        let likeness = Likeness { cluster: None, path: PatternId(7), address: 0.1, nearest: false };
        let of = |path| likeness.of(ClusterId::UNKNOWN, PatternId(path));
        assert_eq!((of(7), of(8)), (1.0, 0.0));
    }
}
