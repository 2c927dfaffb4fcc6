//! The crawler of Jiang and Lv (*Efficient Social Website Crawling Using Cluster Graph*, 2009).
//!
//! A sample is taken by [random page sampling](harvestman_structure::site::RandomPages); its URLs fall into kinds, between which a
//! [graph](harvestman_structure::site::ClusterGraph) is learnt and pruned. The crawl is breadth-first and refuses links by that graph: those to kinds
//! that repeat others, that only hold forms, that are no way to anything.
//!
//! As printed ([`ClusterGraphOptions::paper`]) the sample alone decides. The default goes on learning: each fetch is one more of the
//! sample, what the graph does not know yet is followed until it is known, and a kind is refused only where it is certain enough
//! that it has too little of its own. So a small sample does.

mod forms;
mod kinds;
mod learnt;
mod led;
mod lesson;
mod memory;
mod options;
mod passed;
mod places;
mod policy;
mod sampling;
mod snapshot;
mod stored;
#[cfg(test)]
mod tests;
mod texts;

pub use learnt::{Learnt, NoGraph};
pub use options::{ClusterGraphOptions, Later, SamplePlan, UrlRule};
pub use policy::ClusterGraphPolicy;
pub use stored::StoredGraph;
