//! The crawler of Jiang and Lv (*Efficient Social Website Crawling Using Cluster Graph*, 2009).
//!
//! A sample is taken by [random page sampling](harvestman_structure::site::RandomPages); its URLs are clustered, and a
//! [graph](harvestman_structure::site::ClusterGraph) between the clusters is learned and pruned. The crawl is
//! breadth-first and rejects links by that graph: links to clusters whose pages repeat others, consist of forms only,
//! or lead nowhere.
//!
//! As printed ([`ClusterGraphOptions::paper`]) the sample alone decides. The default continues to learn: each fetch
//! extends the sample, links that the graph does not know are followed until it does, and a cluster is rejected only
//! where it is certain enough that it has too few pages of its own. A small sample therefore suffices.

mod assignment;
mod bare_forms;
mod content;
mod followed_links;
mod identity_hash;
mod learned;
mod looks;
mod memory;
mod model_update;
mod options;
mod places;
mod policy;
mod sampling;
mod snapshot;
mod stored;
#[cfg(test)]
mod tests;
mod texts;

pub use learned::{LearnedGraph, NoGraph};
pub use options::{ClusterGraphOptions, Later, SamplePlan, UrlRule};
pub use policy::ClusterGraphPolicy;
pub use stored::StoredGraph;
