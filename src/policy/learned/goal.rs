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
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Likeness {
    /// Its cluster, once there are clusters.
    pub cluster: Option<ClusterId>,
    /// The pattern of its URL's path.
    pub path: PatternId,
    /// Of the pages at addresses of this pattern, the share that is of the example's cluster: how much the address tells.
    pub address: f64,
}

impl Likeness {
    /// How much a page of `cluster` at a path of pattern `path` is like the example, from 0 to 1.
    pub fn of(self, cluster: ClusterId, path: PatternId) -> f64 {
        /// The same template under another kind of address: the template may be shared by two types of pages.
        const TEMPLATE_ONLY: f64 = 0.3;
        /// Where so many pages at such addresses are of the cluster, the others are of it too: a short thread has another
        /// structure than a long one.
        const TELLING: f64 = 0.4;
        let address = path == self.path;
        match self.cluster {
            Some(wanted) if wanted == cluster => {
                if address {
                    1.0
                } else {
                    TEMPLATE_ONLY
                }
            }
            Some(_) if address && self.address >= TELLING => 1.0,
            Some(_) if address => self.address,
            Some(_) => 0.0,
            None => f64::from(u8::from(address)),
        }
    }
}
