//! `harvestman-lab replay CORPUS`: crawls a recording under a policy.

mod args;
mod goal;
mod summary;

use harvestman_core::config::{ParseOptions, PolicyKind};
use harvestman_papers::SB;
use std::path::Path;
use std::sync::Arc;

use crate::cli::output::write_json;
use crate::cli::recordings::{load_with_notes, recorded_page};
use crate::experiments::{FREE_SAMPLE_REQUESTS, Form, clusters};
use crate::measures::{Harvest, Judge, Task};
use crate::replay::{ExamplePage, Plan, PolicyInputs, TopicInputs, make, replay_keeping, spelling};
use crate::tables::{Measure, Row};
pub use args::ReplayArgs;
use goal::Goal;
use harvestman::cli::exit::{Exit, Failure};
use harvestman::cli::output::{is_stdout, print_text, write_text};
use harvestman_core::model::TrapRecord;
use harvestman_core::seed::Seed;
use harvestman_core::url::CanonicalUrl;
use harvestman_pipeline::{accepting, spelling_reader};
use harvestman_policy::Policy;
use harvestman_stages::frontier::EarlyStopOptions;
use summary::ReplaySummary;

/// Runs the command.
pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let corpus = Arc::new(load_with_notes(&args.corpus, args.labels.as_deref(), args.no_labels)?);
    let goal = Goal::of(&corpus, args)?;
    let accepts = accepting(&args.want).map_err(|error| Failure::usage(error.to_string()))?;
    let example = goal.example.map(|id| ExamplePage::of(&corpus, id));
    let topic = match &goal.task {
        Task::Topic(topic) => Some(TopicInputs::of(&corpus, topic, Seed(args.seed))),
        _ => None,
    };
    let making = PolicyInputs {
        variant: args.variant.variant,
        example: example.as_ref(),
        sample_pages: args.sample,
        validated: accepts.is_some(),
        topic: topic.as_ref(),
        spelling: (args.policy == SB).then(|| spelling(&corpus)),
        ..PolicyInputs::new(Seed(args.seed))
    };
    let mut seeds: Vec<CanonicalUrl> = example.iter().map(|example| example.url.clone()).collect();
    for start in &args.start {
        seeds.push(corpus.url(recorded_page(&corpus, "--start", start)?).clone());
    }
    let sample_free = args.variant.free_sample.then_some(FREE_SAMPLE_REQUESTS);
    let early_stop = early_stop(args)?;
    let (order, trap_guard) = (args.filter_order, args.trap_guard);
    let plan = Plan::new(&corpus, goal.task.clone(), goal.budget);
    let plan = Plan { seeds, sample_free, early_stop, order, trap_guard, accepts, ..plan };
    let mut snapshot = None;
    let (done, mut policy) =
        replay_keeping(&plan, make(args.policy, &making), |_, _, crawl| snapshot = Some(crawl.snapshot()))?;

    if let Some(note) = &done.note {
        tell!("note: {note}");
    }
    for trap in &done.traps {
        let TrapRecord { form, measure, fetched, fruitful, refused, since, .. } = trap;
        let what = measure.describe();
        tell!("note: {form} {what} at {since}: {fetched} fetched, {fruitful} fruitful, {refused} refused");
    }
    let wanted = Judge::new(&corpus, goal.task.clone()).wanted();
    let harvest = Harvest::of(&done.fetches, wanted);
    let stopped = done.looks.last().filter(|_| done.stopped_early).map(|look| look.outlook);
    let row = row(&corpus.name, args, &goal).with_harvest(&harvest);
    let row = row.with(Measure::ExpectedYield, stopped.map(|outlook| outlook.expected_yield));
    write_json(&[row], args.json.as_ref())?;
    if let Some(path) = &args.write_model {
        write_model(&mut *policy, path)?;
    }
    if let Some(path) = &args.order {
        write_text(&summary::order(&corpus, &done), path)?;
    }
    if ![&args.json, &args.order].into_iter().flatten().any(|path| is_stdout(path)) {
        let clusters = snapshot.map(|snapshot| clusters(&corpus, &done.order, &*snapshot)).unwrap_or_default();
        let summary =
            ReplaySummary { corpus: &corpus, goal: &goal, wanted, harvest: &harvest, stopped, clusters: &clusters };
        print_text(&summary.text(args.policy, args.variant, args.seed))
            .map_err(|error| Failure::new(Exit::Output, error))?;
    }
    Ok(())
}

fn write_model(policy: &mut dyn Policy, path: &Path) -> Result<(), Failure> {
    let model = policy.site_model(&mut *spelling_reader(&ParseOptions::default()));
    let nothing = "the policy learned nothing of the site: allow more pages (--pages), or choose one that learns";
    let model = model.ok_or_else(|| Failure::new(Exit::Failed, nothing))?;
    let bytes = model.to_bytes().map_err(|error| Failure::new(Exit::Internal, error))?;
    std::fs::write(path, bytes)
        .map_err(|error| Failure::new(Exit::Output, format!("cannot write {}: {error}", path.display())))
}

fn early_stop(args: &ReplayArgs) -> Result<Option<EarlyStopOptions>, Failure> {
    let estimates = matches!(args.policy, PolicyKind::Ucc | PolicyKind::Target | PolicyKind::Xcrawl)
        && args.variant == Form::DEFAULT;
    match args.early_stop {
        Some(_) if !estimates => Err(Failure::usage(
            "--early-stop requires a policy with a yield forecast: ucc, target or xcrawl, variant default",
        )),
        share => Ok(share.map(|share| EarlyStopOptions { share, requests: args.early_stop_requests })),
    }
}

fn row(corpus: &str, args: &ReplayArgs, goal: &Goal) -> Row {
    Row {
        target: goal.task.target(),
        variant: Some(args.variant.to_string()),
        seed: Some(args.seed),
        budget: Some(goal.budget as u64),
        ..Row::new(corpus, goal.task.name(), args.policy.name())
    }
}
