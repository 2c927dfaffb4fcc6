//! `harvestman-lab lab xcrawl --queries`.

use super::focused::XcrawlArgs;
use harvestman::cli::exit::Failure;

/// Crawls the first recordings together, from queries.
pub fn run(args: XcrawlArgs) -> Result<(), Failure> {
    use crate::experiments::FromQueries;

    let contenders = args.contenders();
    let XcrawlArgs { common, budget, types, examples, example: given, trap_guard, sites, .. } = args;
    let seeds = common.seeds;
    let experiment = FromQueries { contenders, seeds, budget, sites, types, examples, given, trap_guard };
    super::common::run_merged(&experiment, &common, |recordings| Ok(experiment.merge(recordings)?))
}
