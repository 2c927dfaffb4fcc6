//! `harvestman lab xcrawl --queries`.

use super::focused::XcrawlArgs;
use crate::cli::exit::Failure;

/// Crawls the first recordings together, from queries.
#[cfg(feature = "index")]
pub fn run(args: XcrawlArgs) -> Result<(), Failure> {
    use harvestman_lab::experiments::FromQueries;

    let contenders = args.contenders();
    let XcrawlArgs { common, budget, types, examples, example: given, trap_guard, sites, .. } = args;
    let seeds = common.seeds;
    let experiment = FromQueries { contenders, seeds, budget, sites, types, examples, given, trap_guard };
    super::common::run_merged(&experiment, &common, |recordings| Ok(experiment.merge(recordings)?))
}

/// Says that there is no search.
#[cfg(not(feature = "index"))]
pub fn run(_: XcrawlArgs) -> Result<(), Failure> {
    Err(Failure::usage("--queries needs a search over the recordings: build with the feature `index`"))
}
