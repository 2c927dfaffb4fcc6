//! `harvestman replay CORPUS`: crawls a recording under a policy.

mod goal;
mod told;

use std::path::PathBuf;
use std::sync::Arc;

use super::exit::{Exit, Failure};
use super::rows::{LABELS_HELP, is_stdout, load_telling, print_text, share, write_json, write_text};
use goal::Goal;
use harvestman_core::config::{EARLY_STOP_REQUESTS, FilterOrder};
use harvestman_core::model::TrapRecord;
use harvestman_core::seed::Seed;
use harvestman_lab::experiments::{FREE_SAMPLE_REQUESTS, Form, clusters};
use harvestman_lab::measures::{Harvest, Judge, Task};
use harvestman_lab::replay::{ExamplePage, Making, Plan, PolicyName, Variant, make, replay, spelling};
use harvestman_lab::tables::{Measure, Row};
use harvestman_stages::frontier::EarlyStopOptions;
use told::Told;

/// Crawls a recorded site at memory speed and says what came of it.
///
/// Parser, classifier, policy, filter, dedup and frontier are those of a live crawl; only the answers come from the recording.
/// The crawl starts at the first page of the recording; URLs that it does not hold do not exist. Every request counts,
/// also one that brings an error, a redirect or a page again. The same seed gives the same order.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub struct ReplayArgs {
    /// The recording: a WARC file, compressed or plain, of any tool
    #[arg(value_name = "CORPUS")]
    corpus: PathBuf,

    /// The policy: bfs, random, ucc, target, opic, irobot, tpm, sb
    #[arg(long, value_name = "NAME", default_value_t = PolicyName::Ucc, help_heading = "The crawl")]
    policy: PolicyName,
    /// The form of ucc and target: default, paper, or another of those below
    #[arg(long, value_name = "NAME", default_value_t = Form::DEFAULT, help_heading = "The crawl")]
    variant: Form,
    /// Pages to learn templates from at most [default: 1000]
    #[arg(long, value_name = "N", help_heading = "The crawl")]
    sample: Option<usize>,
    /// Requests that may be sent [default: see below]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..), help_heading = "The crawl")]
    pages: Option<u32>,
    /// Stop when a smaller share of the next requests is expected to bring something, as in 0.1 (policies ucc, target)
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "The crawl")]
    early_stop: Option<f64>,
    /// Requests that are looked ahead to
    #[arg(long, value_name = "N", default_value_t = EARLY_STOP_REQUESTS, value_parser = clap::value_parser!(u32).range(1..), requires = "early_stop", help_heading = "The crawl")]
    early_stop_requests: u32,
    /// When what the policy has learnt refuses links: before they are looked up in the set of URLs seen (graph-dup), after
    /// (dup-graph), never (dup-only)
    #[arg(long, value_name = "ORDER", default_value_t = FilterOrder::GraphDup, help_heading = "The crawl")]
    filter_order: FilterOrder,
    /// Guard against traps as a crawl does; the forms of address that brought nothing are named
    #[arg(long, help_heading = "The crawl")]
    trap_guard: bool,
    /// Where random draws start
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "The crawl")]
    seed: u64,
    /// A page like those that are wanted; the crawl starts from it too
    #[arg(long, value_name = "URL", help_heading = "The crawl")]
    example: Option<String>,

    /// What is true of the pages [default: NAME.labels.csv.gz or NAME.labels.csv beside NAME.warc.gz]
    #[arg(long, value_name = "CSV", help_heading = "What is measured")]
    labels: Option<PathBuf>,
    /// Measure only what needs no labels
    #[arg(long, conflicts_with_all = ["labels", "target"], help_heading = "What is measured")]
    no_labels: bool,
    /// Pages of this labelled type are the wanted ones [default: those that users made, or those of the example's type]
    #[arg(long, value_name = "TYPE", help_heading = "What is measured")]
    target: Option<String>,

    /// Write {"rows": [...]}; - is standard output, in place of the table
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    /// Write what was requested, in order: a line a request with its URL, its worth (valid, view, page or -) and its type
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    order: Option<PathBuf>,
}

fn after_help() -> String {
    format!(
        "\
Budget:
  For what users made: min(5,000, N/4, W/2), N being the URLs of the recording and W its pages that
  users made (labelled so, HTML, status 200); without labels min(5,000, N/4). For a target: as many
  as there are pages of the type.

Examples:
  What the default policy makes of a recorded forum:
    harvestman replay forum.warc.gz
  The same breadth-first, to compare with, as JSON:
    harvestman replay forum.warc.gz --policy bfs --json -
  Pages like one of them, and in which order they came:
    harvestman replay forum.warc.gz --policy target \\
        --example https://forum.example.org/user/7 --order order.tsv
  Pages of a labelled type, the example drawn by the seed:
    harvestman replay forum.warc.gz --policy target --target forum:profile

Variants: {}.
Those after the paper (Xu, Gao, Callan 2018) start with a sample, which counts like all else; with
+free-sample added to the name it is taken before, without counting, as the paper measured.

Worth: valid is a wanted page that is new; view is one that is another address or order of a page
(duplicate view); page is any other new page; - is an error, a redirect or a page held already.

{LABELS_HELP}",
        Variant::ALL.map(Variant::name).join(", ")
    )
}

/// Runs the command.
pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let corpus = Arc::new(load_telling(&args.corpus, args.labels.as_deref(), args.no_labels)?);
    let goal = Goal::of(&corpus, args)?;
    let example = goal.example.map(|id| ExamplePage::of(&corpus, id));
    let making = Making {
        variant: args.variant.variant,
        example: example.as_ref(),
        sample_pages: args.sample,
        by: args.variant.by,
        spelling: (args.policy == PolicyName::Sb).then(|| spelling(&corpus)),
        ..Making::new(Seed(args.seed))
    };
    let seeds = example.iter().map(|example| example.url.clone()).collect();
    let sample_free = args.variant.free_sample.then_some(FREE_SAMPLE_REQUESTS);
    let early_stop = early_stop(args)?;
    let (order, trap_guard) = (args.filter_order, args.trap_guard);
    let plan = Plan::new(&corpus, goal.task.clone(), goal.budget);
    let plan = Plan { seeds, sample_free, early_stop, order, trap_guard, ..plan };
    let mut snapshot = None;
    let done = replay(&plan, make(args.policy, &making), |_, _, crawl| snapshot = Some(crawl.snapshot()))?;

    if let Some(note) = &done.note {
        eprintln!("note: {note}");
    }
    for trap in &done.traps {
        let TrapRecord { form, measure, fetched, fruitful, refused, since, .. } = trap;
        let what = measure.describe();
        eprintln!("note: {form} {what} at {since}: {fetched} fetched, {fruitful} brought something, {refused} refused");
    }
    let wanted = Judge::new(&corpus, goal.task.clone()).wanted();
    let harvest = Harvest::of(&done.fetches, wanted);
    let stopped = done.looks.last().filter(|_| done.stopped_early).map(|look| look.outlook);
    let row = row(&corpus.name, args, &goal).with_harvest(&harvest);
    let row = row.with(Measure::ExpectedYield, stopped.map(|outlook| outlook.expected_yield));
    write_json(&[row], args.json.as_ref())?;
    if let Some(path) = &args.order {
        write_text(&told::order(&corpus, &done), path)?;
    }
    if ![&args.json, &args.order].into_iter().flatten().any(|path| is_stdout(path)) {
        let clusters = snapshot.map(|snapshot| clusters(&corpus, &done.order, &*snapshot)).unwrap_or_default();
        let told = Told { corpus: &corpus, goal: &goal, wanted, harvest: &harvest, stopped, clusters: &clusters };
        print_text(&told.text(args.policy, args.variant, args.seed))
            .map_err(|error| Failure::new(Exit::Output, error))?;
    }
    Ok(())
}

fn early_stop(args: &ReplayArgs) -> Result<Option<EarlyStopOptions>, Failure> {
    let estimates = matches!(args.policy, PolicyName::Ucc | PolicyName::Target) && args.variant == Form::DEFAULT;
    match args.early_stop {
        Some(_) if !estimates => Err(Failure::usage(
            "--early-stop needs a policy that estimates what requests will bring: ucc or target, in the variant default",
        )),
        share => Ok(share.map(|share| EarlyStopOptions { share, requests: args.early_stop_requests })),
    }
}

fn row(corpus: &str, args: &ReplayArgs, goal: &Goal) -> Row {
    let target = match &goal.task {
        Task::Ucc => None,
        Task::Target(page_type) => Some(page_type.to_string()),
    };
    Row {
        target,
        variant: Some(args.variant.to_string()),
        seed: Some(args.seed),
        budget: Some(goal.budget as u64),
        ..Row::new(corpus, goal.task.name(), args.policy.name())
    }
}
