//! Classification: which cluster a page belongs to (SOUrCe 2018, section 3.4).
//!
//! Input: the bag of leaf paths from the parser. Output: [`Classified`], by the nearest pages of the training
//! [`Sample`]. The [`Classifier`] answers repeated bags from a cache by signature and all others through an inverted
//! [`Index`], which gives exactly the result of a comparison with every page ([`classify_naively`]). [`condense()`]
//! makes the sample smaller.

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
