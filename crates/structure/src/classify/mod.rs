//! Classification: which cluster a page belongs to (SOUrCe 2018, section 3.4).
//!
//! In: the bag of leaf paths that the parser found. Out: [`Classified`], by the nearest pages of the training [`Sample`]. The
//! [`Classifier`] answers repeated bags from a cache by signature, all others through an inverted [`Index`], which says exactly what
//! looking at every page says ([`classify_naively`]). [`condense()`] makes the sample smaller.

mod classifier;
mod condense;
mod index;
mod naive;
mod sample;
mod signature;
mod vote;

pub use classifier::{Classifier, Scratch};
pub use condense::condense;
pub use index::{Buffers, Index};
pub use naive::classify_naively;
pub use sample::{Entry, Sample};
pub use signature::{SignatureCache, signature};
pub use vote::{Classified, KnnOptions, NEIGHBOURS, Neighbour, Outliers};
