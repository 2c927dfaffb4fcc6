//! `harvestman replay CORPUS`: crawls a recording under a policy.

use std::path::PathBuf;
use std::sync::Arc;

use crate::lab::corpus::Corpus;
use crate::lab::measures::{Harvest, Judge, Task};
use crate::lab::replay::{ExamplePage, Making, Plan, PolicyName, Variant, make, replay, spelling};
use crate::lab::tables::{Row, to_json};
use crate::seed::Seed;

/// Requests that a sample which doesn't count may take.
const SAMPLE_REQUESTS: usize = 20_000;

/// Crawls a recorded site at memory speed, with the stages of a live crawl, and says what it brought.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// The recording: a WARC file, compressed or plain, of any tool
    #[arg(value_name = "CORPUS")]
    corpus: PathBuf,
    /// What is true of its pages (CSV: url, page_type, is_ucc, is_duplicate_view)
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The policy
    #[arg(long, value_name = "NAME", default_value = "ucc")]
    policy: PolicyName,
    /// Its form: `default`, or one of those after the papers
    #[arg(long, value_name = "NAME", default_value_t)]
    variant: Variant,
    /// Requests that may be sent; by default min(5000, a quarter of the pages, half of what is wanted)
    #[arg(long, value_name = "N")]
    pages: Option<usize>,
    /// Where random draws start
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// For target: a page like those that are wanted
    #[arg(long, value_name = "URL")]
    example: Option<String>,
    /// Type of the pages that count as valid; by default those that users made
    #[arg(long, value_name = "TYPE")]
    target: Option<String>,
    /// Pages to sample, for policies that learn from a sample
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Take the sample before, and start anew: it doesn't count
    #[arg(long)]
    sample_free: bool,
    /// Print each request
    #[arg(long)]
    trace: bool,
}

/// Runs the command.
pub fn run(args: &ReplayArgs) -> anyhow::Result<()> {
    let corpus = Arc::new(Corpus::load(&args.corpus, args.labels.as_deref())?);
    for note in &corpus.notes {
        eprintln!("note: {note}");
    }
    let task = args.target.as_deref().map_or(Task::Ucc, |target| Task::Target(target.into()));
    let task_name = task.name();
    let wanted = Judge::new(&corpus, task.clone()).wanted();
    let budget = args.pages.unwrap_or_else(|| {
        let wanted = wanted.map_or(usize::MAX, |wanted| wanted.pages as usize);
        if args.target.is_some() { wanted } else { 5_000.min(corpus.len() / 4).min(wanted / 2) }
    });
    let example = args.example.as_ref().and_then(|url| Some(ExamplePage::of(&corpus, corpus.find_loosely(url)?)));
    let seeds = example.iter().map(|example| example.url.clone()).collect();
    let sample_free = args.sample_free.then_some(SAMPLE_REQUESTS);
    let plan = Plan { seeds, sample_free, ..Plan::new(&corpus, task, budget) };
    let making = Making {
        variant: args.variant,
        example: example.as_ref(),
        sample_pages: args.sample,
        spelling: (args.policy == PolicyName::Sb).then(|| spelling(&corpus)),
        ..Making::new(Seed(args.seed))
    };
    let policy = make(args.policy, &making);
    let truth = corpus.truth();
    let done = replay(&plan, policy, |id, fetched, _| {
        if args.trace {
            let label = truth.and_then(|truth| truth.label(id));
            println!(
                "{} {} {}",
                label.map_or("?", |label| &label.page_type),
                if fetched.valid_unique {
                    "+"
                } else if fetched.valid {
                    "="
                } else {
                    "-"
                },
                corpus.url(id).as_str()
            );
        }
    })?;
    if done.sampled > 0 {
        eprintln!("note: the sample took {} requests that don't count", done.sampled);
    }
    if let Some(note) = &done.note {
        eprintln!("note: {note}");
    }
    let harvest = Harvest::of(&done.fetches, wanted);
    let mut row = Row::new(&corpus.name, task_name, args.policy.name()).with_harvest(&harvest);
    row.target.clone_from(&args.target);
    row.variant = (args.variant != Variant::Default).then(|| args.variant.to_string());
    row.seed = Some(args.seed);
    row.budget = Some(budget as u64);
    print!("{}", to_json(&[row]));
    Ok(())
}
