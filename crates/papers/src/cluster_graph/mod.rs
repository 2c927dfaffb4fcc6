//! The crawler of Jiang and Lv (*Efficient Social Website Crawling Using Cluster Graph*, 2009), as printed.
//!
//! A sample is taken by [random page sampling](crate::site::RandomPages); its URLs are
//! [clustered](crate::site::UrlClusters), and a [graph](crate::site::ClusterGraph) between the clusters is learned and
//! pruned. The crawl is then breadth-first and rejects links by that graph, which does not change any more; links that
//! it does not know are rejected (section 4.4).
//!
//! Differences from the crawl in the paper:
//!
//! * The sample is part of the crawl. The paper's evaluation starts again at the seeds when the sample has been taken,
//!   and does not count it; [`Policy::restarted`](harvestman_policy::Policy::restarted) does the same.
//! * The frontier ranks classes of links. The URL that was drawn waits in a class of its own that precedes all others.
//! * A redirect is a fetch of its own, and its target is fetched next.
//! * After a sample that gives no graph of several clusters the crawl is breadth-first; the note says why.

mod learned;
mod memory;
mod policy;
mod sampling;
mod snapshot;
#[cfg(test)]
mod tests;

pub use policy::{ClusterGraphOptions, ClusterGraphPolicy};
