//! Experiments with the clustering of pages.

use clap::Args;

use super::common::{Common, run_experiment};
use crate::experiments::{Classify, Cluster, Method};
use harvestman::cli::exit::Failure;

/// Arguments of `lab cluster`.
#[derive(Debug, Args)]
#[command(after_help = "\
Methods:
  paper            leaf paths; eps by the paper's rule, over distinct vectors
  literal-eps      the same, eps by the rule as printed
  rich-q95         paths with class names; eps is the 0.95 quantile of K-dist
  rich-silhouette  paths with class names; eps with the best silhouette times coverage
  default          the method of crawls: rich-q95, split by URL path patterns
  mdl              by schema and description length (Crescenzi 2005)
  irobot           by repetitive regions (Cai 2008)

Example:
  harvestman-lab lab cluster forum.warc.gz --methods paper,default --sample 400")]
pub struct ClusterArgs {
    #[command(flatten)]
    common: Common,
    /// Clustering methods
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = Method::ALL)]
    methods: Vec<Method>,
    /// Number of pages in the sample
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    sample: usize,
    /// Maximum number of other pages to classify, drawn at random
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    others: usize,
}

impl ClusterArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, methods, sample, others } = self;
        run_experiment(&Cluster { methods, sample, others_max: others, seeds: common.seeds }, &common)
    }
}

/// Arguments of `lab classify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  harvestman-lab lab classify forum.warc.gz --seeds 10")]
pub struct ClassifyArgs {
    #[command(flatten)]
    common: Common,
    /// Clustering methods, as in lab cluster
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = Method::ALL)]
    methods: Vec<Method>,
    /// Number of pages in the sample
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    sample: usize,
}

impl ClassifyArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, methods, sample } = self;
        run_experiment(&Classify { methods, sample, seeds: common.seeds }, &common)
    }
}
