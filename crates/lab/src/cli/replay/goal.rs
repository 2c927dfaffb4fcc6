//! The goal of a replay: the wanted pages, the example, the budget.

use crate::replay::variant_names;
use harvestman_core::config::PolicyKind;
use std::sync::Arc;

use super::args::ReplayArgs;
use crate::cli::recordings::recorded_page;
use crate::corpus::{Corpus, PageId};
use crate::experiments::{Form, example_of, has_variants, needs_example, target_budget, ucc_budget};
use crate::measures::{Task, Topic};
use harvestman::cli::exit::Failure;
use harvestman_core::seed::Seed;
use harvestman_library::program::read_topics;

/// The goal of a replay.
pub(super) struct Goal {
    pub task: Task,
    pub example: Option<PageId>,
    pub budget: usize,
}

impl Goal {
    /// Derives the goal from the arguments, and missing parts from the labels.
    pub fn of(corpus: &Corpus, args: &ReplayArgs) -> Result<Self, Failure> {
        let (policy, variant) = (args.policy, args.variant.variant);
        if args.variant != Form::DEFAULT && !has_variants(policy) {
            return Err(Failure::usage(format!(
                "{policy} has no variants: --variant applies to ucc, target, xcrawl and cluster-graph"
            )));
        }
        if !variant.is_of(policy) {
            let known = variant_names(policy);
            return Err(Failure::usage(format!("{policy} has no variant {variant}; it has {known}")));
        }
        let topic = topic(args)?;
        let given = args.example.as_deref().map(|url| recorded_page(corpus, "--example", url)).transpose()?;
        let task = topic.map_or_else(|| task(corpus, args, given), |topic| Task::Topic(Arc::new(topic)));
        let drawn = match &args.target {
            // Drawn even if the policy needs no example, because a type without pages is a mistake.
            Some(page_type) => Some(example_of(corpus, page_type, Seed(args.seed)).map_err(Failure::usage)?),
            None => None,
        };
        let example = given.or(drawn);
        if needs_example(args.policy) && example.is_none() && args.want.iter().all(|want| want == "like") {
            return Err(Failure::usage(format!(
                "the policy {} requires an example: give one with --example URL, or draw one from a labelled \
                type with --target TYPE; or say with --want which pages are wanted",
                args.policy
            )));
        }
        let budget = args.pages.map_or_else(|| budget(corpus, &task), |pages| pages as usize);
        Ok(Self { task, example, budget })
    }
}

/// Returns the topic, which the policy `topic` needs.
fn topic(args: &ReplayArgs) -> Result<Option<Topic>, Failure> {
    let terms = read_topics(args.topic.clone()).map_err(Failure::usage)?;
    let topic = Topic::named(terms.iter().map(String::as_str));
    match (args.topic.is_empty(), topic.tags.is_empty()) {
        (true, _) if args.policy == PolicyKind::Topic => {
            Err(Failure::usage("the policy topic requires a topic: name its tags with --topic TAG"))
        }
        (false, true) => Err(Failure::usage("--topic names no tag: give a tag or a phrase")),
        (none, _) => Ok(Some(topic).filter(|_| !none)),
    }
}

/// Returns the target type, or the type of the example, or user-created content.
fn task(corpus: &Corpus, args: &ReplayArgs, example: Option<PageId>) -> Task {
    let of_example = || Some(Arc::clone(&corpus.truth()?.page(example?)?.page_type));
    args.target.as_deref().map(Arc::from).or_else(of_example).map_or(Task::Ucc, Task::Target)
}

fn budget(corpus: &Corpus, task: &Task) -> usize {
    match task {
        Task::Ucc => ucc_budget(corpus),
        Task::Target(_) | Task::Topic(_) => target_budget(corpus, task),
    }
}
