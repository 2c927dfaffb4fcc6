//! `harvestman-lab lab`: experiments on labelled corpora.

mod clustering;
mod common;
mod focused;
mod from_queries;
mod harvest;
mod order;
mod posts;
mod progress;
mod record;

use crate::replay::variant_names;
use clap::Subcommand;
use harvestman_core::config::PolicyKind;

use crate::cli::recordings::LABELS_HELP;
use clustering::{ClassifyArgs, ClusterArgs};
use focused::{ProfilesArgs, XcrawlArgs};
use harvest::{AblationArgs, EarlyStopArgs, OracleArgs, SamplesArgs, TargetArgs, UccArgs};
use harvestman::cli::exit::Failure;
use order::OrderArgs;

/// The experiments.
#[derive(Debug, Subcommand)]
#[command(after_help = after_help())]
pub enum Lab {
    /// Measure how well clusters of a sample agree with page types
    ///
    /// Clusters an Apath sample (breadth-first, one random link per position of a page) with several methods, and
    /// measures purity, micro and macro F, and the precision of classifying other pages of the corpus.
    Cluster(ClusterArgs),
    /// Measure how well pages outside the sample are classified
    ///
    /// Learns clusters from three quarters of an Apath sample and classifies the last quarter, each quarter once.
    /// Measures the share of pages whose cluster matches their type, by pages (micro) and by clusters (macro).
    Classify(ClassifyArgs),
    /// Measure how much user-created content a crawl yields
    ///
    /// Crawls each corpus for user-created content with several policies, and measures valid ratio, recall, F and
    /// entropy.
    Ucc(UccArgs),
    /// Measure how many pages similar to an example a crawl yields
    ///
    /// Crawls each corpus for the pages of a type, given one of them as an example, and measures harvest rate, recall
    /// and F.
    Target(TargetArgs),
    /// Measure the effect of the sample size
    ///
    /// Crawls each corpus for user-created content, with templates learned from samples of several sizes.
    Samples(SamplesArgs),
    /// Measure the effect of each term of the paper's score
    ///
    /// Crawls each corpus for user-created content by the paper's score, complete and without one of its terms.
    Ablation(AblationArgs),
    /// Measure the accuracy of yield forecasts and early stopping
    ///
    /// Crawls each corpus completely, with ucc for user-created content and with target for each page type,
    /// continuously forecasts the yield of the next requests, and compares it with the actual yield. Adds one row per
    /// share below which --early-stop would have ended the crawl: what it had by then, and what it missed.
    EarlyStop(EarlyStopArgs),
    /// Compute the harvest of a crawl with full knowledge of the site
    ///
    /// Chooses requests with knowledge of all links and labels of each corpus, for user-created content and for the
    /// pages of each type, and computes a number that no crawl exceeds. Both are the reference for the policies in ucc
    /// and target.
    Oracle(OracleArgs),
    /// Measure how many pages that a validator accepts a crawl yields
    ///
    /// Crawls each corpus for the pages of a type from a few examples, and tells the policies of each fetched page
    /// whether it is one. Compares xcrawl with the apprentice, its baseline.
    Xcrawl(XcrawlArgs),
    /// Measure how many items of a topic a crawl yields
    ///
    /// Crawls each corpus for the items that carry a tag of a topic. Compares the policy topic with the crawl by
    /// profiles of users as printed, and with OPIC. Also measures how well page types are told, and how well the cotags
    /// of a topic are found.
    Profiles(ProfilesArgs),
    /// Measure what filtering links before the dedup saves
    ///
    /// Crawls each corpus completely with the cluster graph, with the filter before the dedup, after it, and without a
    /// filter. Measures the results (valuable pages, duplicates, uninformative pages, losses of the filter) and the
    /// time of filter, canonicalisation and dedup, over several stores of seen URLs.
    Order(OrderArgs),
    /// Measure how well posts are found
    ///
    /// Learns the templates of a recorded site, finds the posts of its pages, and compares them with the truth from the
    /// site's database: posts, texts, authors, times, threads, replies, and duplicates over the site.
    Posts(posts::PostsTruthArgs),
    /// Record a site of your own as a labelled corpus
    ///
    /// Crawls a site completely, breadth-first, and labels its pages by rules over their addresses. The result is a
    /// corpus for the other experiments.
    Record(record::RecordArgs),
}

fn after_help() -> String {
    format!(
        "\
Examples:
  Crawl a recorded forum with all policies, ten runs each, with plots:
    harvestman-lab lab ucc forum.warc.gz --out results
  Two corpora, as JSON:
    harvestman-lab lab cluster forum.warc.gz blogs.warc.gz --json -

A recording is crawled with the code of a real crawl, from its first page, and every request
counts, whatever its result. Tables show mean and standard deviation over the seeds, beside the
figures of the paper (Xu, Gao, Callan 2018), which were measured on other sites.

Variants of ucc and target: {}.
Variants of xcrawl: {}.
The variants of the first paper start with a sample of 1,000 pages whose requests count; with
+free-sample appended to the name they do not count, as in the paper.

{LABELS_HELP}",
        variant_names(PolicyKind::Ucc),
        variant_names(PolicyKind::Xcrawl)
    )
}

/// Runs an experiment.
pub fn run(lab: Lab) -> Result<(), Failure> {
    match lab {
        Lab::Cluster(args) => args.run(),
        Lab::Classify(args) => args.run(),
        Lab::Ucc(args) => args.run(),
        Lab::Target(args) => args.run(),
        Lab::Samples(args) => args.run(),
        Lab::Ablation(args) => args.run(),
        Lab::EarlyStop(args) => args.run(),
        Lab::Oracle(args) => args.run(),
        Lab::Xcrawl(args) if args.queries => from_queries::run(args),
        Lab::Xcrawl(args) => args.run(),
        Lab::Profiles(args) => args.run(),
        Lab::Order(args) => args.run(),
        Lab::Posts(args) => posts::run(&args),
        Lab::Record(args) => record::run(&args),
    }
}
