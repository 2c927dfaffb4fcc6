//! SOUrCe as printed (Xu, Gao, Callan: *A Structure-Oriented Unsupervised Crawling Strategy for Social Media Sites*,
//! 2018), for comparison.
//!
//! A sample of pages is taken first ([`one_per_apath`]); its clusters and the navigation table between them
//! ([`Clustering`], [`navigation`]) give a score to each place of links, which is a cluster and an Apath ([`Trained`]).
//! The crawl then takes the URL at the best place, with scores that change with every page (Balance). [`SourceOptions`]
//! contains the choices that the paper leaves open.
//!
//! Differences from the crawl in the paper:
//!
//! * The sample is part of the crawl, and its links wait until it is complete. The paper's evaluation starts again at
//!   the seed when the sample has been taken, and does not count it;
//!   [`Policy::restarted`](harvestman_policy::Policy::restarted) does the same.
//! * The frontier ranks classes of links. A URL that was seen at several places waits under the class of all its
//!   places, whose score is that of the best one, but it moves there only from time to time
//!   ([`SourceOptions::moved_per_fetch`]).
//! * Equal scores are ordered by depth, then by discovery.
//! * A redirect is a fetch of its own, and its target is fetched next. Where a link to a page of the sample goes
//!   through a redirect to a page that was known before, the navigation table does not contain its destination.

mod options;
mod places;
mod policy;
mod sample_state;
mod sampling;
mod scored_crawl;
mod sitemap;
mod snapshot;
#[cfg(test)]
mod tests;
mod trained;

pub use options::{SampleOrder, SamplingOptions, SourceGoal, SourceOptions, StopRule};
pub use policy::SourcePolicy;
pub use sampling::{kept_links, one_per_apath};
pub use sitemap::{Clustering, SampledPage, TrainingSample, navigation, pages_without_a_new_place};
pub use trained::{LearnedScores, Trained, Untrained};
