//! Experiments on labelled corpora: the measurements of SOUrCe's authors (2018, section 5), repeated with the code of a
//! crawl.
//!
//! | experiment | of the paper | question |
//! |---|---|---|
//! | [`Cluster`] | tables 1, 2 | how well do clusters agree with page types? |
//! | [`Classify`] | section 5.2 | how well are pages classified that were not clustered? |
//! | [`Ucc`] | table 3, figures 5, 6 | how much user-created content does a crawl yield? |
//! | [`Target`] | table 4, figure 7 | how many pages similar to an example? |
//! | [`Samples`] | figure 8 | how large must the sample be? |
//! | [`Ablation`] | table 5 | what is the effect of each term of the score? |
//! | [`Order`] | ClusterGraph (Jiang, Lv 2009), figures 4 to 8, table 6 | what does filtering before dedup save? |
//! | `FromQueries` | xCrawl, sections 3, 4 | which sites and pages does a crawl find that starts from queries? |
//! | [`EarlyStops`] | – | when should a crawl stop? |
//! | [`Oracle`] | – | how much could any crawl yield? |
//!
//! An experiment measures one corpus after the other, each with all its runs ([`Workers`] distributes them over
//! threads), and ends in a [`Report`]. Common rules: a request is a fetch and counts whatever its result; pages that a
//! policy learns from are among those that it may fetch, unless its variant has a free sample; no policy sees a label.

mod ablation;
mod budget;
mod classify;
mod cluster;
mod contender;
mod crawl;
mod early_stop;
mod error;
mod from_queries;
mod input;
mod learned;
mod links;
mod method;
mod oracle;
pub mod order;
mod profile_cotags;
mod profile_types;
mod profiles;
mod reference;
mod results;
mod sample;
mod samples;
mod target;
#[cfg(test)]
mod tests;
mod type_forest;
mod ucc;
mod workers;

pub use ablation::Ablation;
pub use budget::{UCC_BUDGET_MAX, target_budget, ucc_budget, unique_ucc};
pub use classify::Classify;
pub use cluster::Cluster;
pub use contender::{Contender, Form, has_variants, needs_example};
pub use crawl::{Crawl, Crawled, FREE_SAMPLE_REQUESTS};
pub use early_stop::EarlyStops;
pub use error::ExperimentError;
pub use from_queries::FromQueries;
pub use input::{labels_beside, load};
pub use learned::{ClusterSize, clusters};
pub use method::{Clustered, Method, Part};
pub use oracle::Oracle;
pub use order::{Order, StoreKind};
pub use profile_types::TypesBy;
pub use profiles::Profiles;
pub use results::Results;
pub use sample::apath_sample;
pub use samples::Samples;
pub use target::{Target, example_of, examples_of, target_types};
pub use ucc::Ucc;
pub use workers::{Watch, Workers};

use std::sync::Arc;

use super::corpus::Corpus;
use super::tables::Report;

/// A measurement over corpora.
pub trait Experiment {
    /// Measures one more corpus.
    ///
    /// # Errors
    ///
    /// The corpus lacks something that the experiment needs.
    fn measure(
        &self,
        corpus: &Arc<Corpus>,
        workers: &Workers<'_>,
        results: &mut Results,
    ) -> Result<(), ExperimentError>;

    /// Returns the report on the results.
    fn report(&self, results: Results) -> Report;
}
