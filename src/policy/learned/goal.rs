//! What a learned policy is after: what a fetched page is worth to it.

use crate::page::{ClusterId, PatternId};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Likeness {
    /// Its cluster, once there are clusters.
    pub cluster: Option<ClusterId>,
    /// The pattern of its URL's path.
    pub path: PatternId,
}

impl Likeness {
    /// How much a page of `cluster` at a path of pattern `path` is like the example, from 0 to 1.
    pub fn of(self, cluster: ClusterId, path: PatternId) -> f64 {
        /// The same template under another kind of address: the template may be shared by two types of pages.
        const TEMPLATE_ONLY: f64 = 0.3;
        /// The same kind of address on an outlier: too few such pages yet for a cluster.
        const ADDRESS_ONLY: f64 = 0.5;
        let address = path == self.path;
        match self.cluster {
            Some(wanted) if wanted == cluster => {
                if address {
                    1.0
                } else {
                    TEMPLATE_ONLY
                }
            }
            Some(_) if address && cluster == ClusterId(1) => ADDRESS_ONLY,
            Some(_) => 0.0,
            None => {
                if address {
                    1.0
                } else {
                    0.0
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_like_the_example_by_template_and_kind_of_address_and_more_by_both() {
        let (wanted, other, outlier) = (ClusterId(2), ClusterId(3), ClusterId(1));
        let likeness = Likeness { cluster: Some(wanted), path: PatternId(7) };
        let of = |cluster, path| likeness.of(cluster, PatternId(path));
        assert_eq!((of(wanted, 7), of(other, 7), of(other, 8), of(outlier, 8)), (1.0, 0.0, 0.0, 0.0));
        assert!(0.0 < of(wanted, 8) && of(wanted, 8) < of(outlier, 7) && of(outlier, 7) < 1.0);
    }

    #[test]
    fn as_long_as_there_are_no_clusters_the_address_decides() {
        let likeness = Likeness { cluster: None, path: PatternId(7) };
        let of = |path| likeness.of(ClusterId::UNKNOWN, PatternId(path));
        assert_eq!((of(7), of(8)), (1.0, 0.0));
    }
}
