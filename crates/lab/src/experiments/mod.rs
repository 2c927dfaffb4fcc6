//! Experiments over labelled corpora: what SOUrCe's authors measured (2018, section 5), measured with the code that crawls.
//!
//! | experiment | of the paper | question |
//! |---|---|---|
//! | [`Cluster`] | tables 1, 2 | do clusters agree with page types? |
//! | [`Classify`] | section 5.2 | are pages classified that were not clustered? |
//! | [`Ucc`] | table 3, figures 5, 6 | how much of what users made does a crawl bring? |
//! | [`Target`] | table 4, figure 7 | how many pages like an example? |
//! | [`Samples`] | figure 8 | how many pages must be learnt from? |
//! | [`Ablation`] | table 5 | what does each term of the score do? |
//! | [`Order`] | figures 4 to 8, table 6 of ClusterGraph (Jiang, Lv 2009) | what does it save to filter before the dedup? |
//! | [`EarlyStops`] | – | when is a crawl not worth its requests any more? |
//!
//! An experiment takes in one corpus after the other, each with all its runs ([`Workers`] spreads them over threads), and ends
//! in a [`Report`]. The rules, for all of them: a request is a fetch and counts, whatever it brings;
//! pages that a policy learns from are among those that it may fetch, unless its variant says that the sample is free; no
//! policy sees a label.

mod ablation;
mod budget;
mod classify;
mod cluster;
mod contender;
mod crawl;
mod early_stop;
mod error;
mod input;
mod learnt;
mod method;
pub mod order;
mod results;
mod sample;
mod samples;
mod target;
#[cfg(test)]
mod tests;
mod ucc;
mod workers;

pub use ablation::Ablation;
pub use budget::{UCC_BUDGET_MAX, target_budget, ucc_budget};
pub use classify::Classify;
pub use cluster::Cluster;
pub use contender::{Contender, Form, has_variants, needs_example};
pub use crawl::{Crawl, Crawled, FREE_SAMPLE_REQUESTS};
pub use early_stop::EarlyStops;
pub use error::Error;
pub use input::{labels_beside, load};
pub use learnt::{ClusterSize, clusters};
pub use method::{Clustered, Method, Part};
pub use order::{Order, StoreKind};
pub use results::Results;
pub use sample::apath_sample;
pub use samples::Samples;
pub use target::{Target, example_of, target_types};
pub use ucc::Ucc;
pub use workers::{Watch, Workers};

use std::sync::Arc;

use super::corpus::Corpus;
use super::tables::Report;

/// What is measured over corpora.
pub trait Experiment {
    /// Measures one more corpus.
    ///
    /// # Errors
    ///
    /// Where the corpus lacks what the experiment needs.
    fn measure(&self, corpus: &Arc<Corpus>, workers: &Workers<'_>, results: &mut Results) -> Result<(), Error>;

    /// The report on what was found.
    fn report(&self, results: Results) -> Report;
}
