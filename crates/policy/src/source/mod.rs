//! SOUrCe as printed (Xu, Gao, Callan: *A Structure-Oriented Unsupervised Crawling Strategy for Social Media Sites*, 2018), to
//! compare with.
//!
//! A sample of pages is taken first ([`one_per_apath`]); its clusters and the navigation table between them
//! ([`Clustering`], [`navigation`]) give each place of links, a cluster and an Apath, a score ([`Trained`]). The crawl then
//! takes the URL at the best place, scores changing with every page (Balance). [`SourceOptions`] has what the paper leaves open.
//!
//! What a crawl is, differently from the paper's:
//!
//! * The sample is part of the crawl, its links wait for it. The paper's evaluation starts anew at the seed when the sample has
//!   been taken, and doesn't count it: that is what [`Policy::afresh`](crate::Policy::afresh) is for.
//! * The frontier ranks classes of links. A URL that was seen at several places waits under the class of all its places, whose
//!   score is that of the best, but it moves there only now and then ([`SourceOptions::moved_per_fetch`]).
//! * Equal scores are decided by depth first, then by the order of discovery.
//! * A redirect is a fetch of its own, and its target is fetched next. Where a link to a page of the sample goes through a
//!   redirect that led to a page which was known before, its destination is unknown to the navigation table.

mod harvesting;
mod options;
mod places;
mod policy;
mod sampling;
mod sitemap;
mod snapshot;
mod taking;
#[cfg(test)]
mod tests;
mod trained;

pub use options::{SampleOrder, SamplingOptions, SourceGoal, SourceOptions, StopRule};
pub use policy::SourcePolicy;
pub use sampling::{kept_links, one_per_apath};
pub use sitemap::{Clustering, SampledPage, TrainingSample, navigation, pages_without_a_new_place};
pub use trained::{Learnt, Trained, Untrained};
