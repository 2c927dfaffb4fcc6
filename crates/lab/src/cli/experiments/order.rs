//! The experiment with the orders of filter and dedup.

use clap::Args;

use super::common::{Common, run_experiment};
use crate::experiments::{Form, Order, StoreKind};
use harvestman::cli::exit::Failure;

/// The default takes no separate sample; that of the paper is not counted, as its authors measured.
const ORDERED: [Form; 2] = [Form::DEFAULT, Form::PAPER_FREE];

/// Arguments of `lab order`.
#[derive(Debug, Args)]
#[command(after_help = "\
Orders:
  dup-only          every link is canonicalised and looked up; no filter
  dup-graph         new URLs are filtered by the graph
  graph-dup         links are filtered by position before they are canonicalised, and by URL
                    pattern before they are looked up
  graph-dup by URL  the same without the filter by position, as in the paper

Stores of seen URLs:
  bloom        a Bloom filter in memory with a false positive rate of 1/1,000
  bloom+exact  the same, confirmed by an exact set on disk
  exact-disk   the exact set on disk only, as in the paper

relative_time compares whole crawls: the time of filter, canonicalisation and dedup of all links of
a crawl with this order, divided by that of the crawl with dedup only, which also fetches what the
filter rejects. relative_time_same_links compares the same links in all orders: those of the pages
that graph-dup fetches, page by page. Each store initially holds --seen URLs, so that it is as slow
as in a long crawl. Valuable pages are user-created content and lists, by the names of their types;
false_positives is the share of requests that yielded other pages, false_negatives the share of
valuable pages among the rejected URLs.

Examples:
  harvestman-lab lab order forum.warc.gz --out results
  harvestman-lab lab order sim --seeds 3 --json -")]
pub struct OrderArgs {
    #[command(flatten)]
    common: Common,
    /// Variants of the policy cluster-graph
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = ORDERED)]
    variants: Vec<Form>,
    /// Stores
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = StoreKind::ALL)]
    stores: Vec<StoreKind>,
    /// Number of URLs that each store holds beforehand
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    seen: u64,
    /// Additional sample sizes, to find out how many pages suffice
    #[arg(long, value_name = "N", value_delimiter = ',')]
    samples: Vec<usize>,
}

impl OrderArgs {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { common, variants, stores, seen, samples } = self;
        run_experiment(&Order { forms: variants, stores, seen, samples, seeds: common.seeds }, &common)
    }
}
