//! The policies that `harvestman-lab crawl` has besides those of `harvestman crawl`: the baselines, and the systems of
//! the papers in their variants.
//!
//! A setting names one as `POLICY:VARIANT`, such as `ucc:paper-l1`; so a crawl that is resumed goes on with it. On the
//! command line the variant is a flag of its own.

use std::path::Path;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command};
use harvestman::cli::{self, Failure};
use harvestman_core::config::{FlagValue, PolicyKind, PolicyOptions};
use harvestman_core::seed::Seed;
use harvestman_papers::{BASELINES, baseline};
use harvestman_policy::{self as policy, AddedPolicies, MakeWith};

use super::recordings::load_with_notes;
use crate::measures::Topic;
use crate::replay::{TopicInputs, Variant, WalkParameters, printed};

/// SOUrCe as printed, for pages like the example or, without one, for text that users wrote.
const SOURCE: &str = "source";
/// The policies that have variants.
const WITH_VARIANTS: [PolicyKind; 5] =
    [PolicyKind::Ucc, PolicyKind::Target, PolicyKind::Xcrawl, PolicyKind::Topic, PolicyKind::ClusterGraph];

const VARIANT_HELP: &str = "\
Variant of the policies source, ucc, target, xcrawl, topic and cluster-graph: default, paper, or one that `harvestman-lab \
replay --help` lists. `--policy topic` in a variant needs a labelled recording of the site or of its software \
(--model RECORDING.warc.gz), which shows it pages of each type";

/// Lets settings name the policies.
pub fn register() {
    policy::add_policies(AddedPolicies { names: names().leak(), maker });
}

/// The names that settings may have.
fn names() -> Vec<&'static str> {
    let baselines = BASELINES.into_iter().map(PolicyKind::name).chain([SOURCE]);
    let of = |policy: PolicyKind, name: &'static str| {
        let variants = Variant::ALL.into_iter().filter(|variant| *variant != Variant::Default);
        variants
            .filter(move |variant| variant.is_of(policy))
            .map(move |variant| &*format!("{name}:{}", variant.name()).leak())
    };
    let printed = WITH_VARIANTS.into_iter().flat_map(|policy| of(policy, policy.name()));
    baselines.chain(printed).chain(of(PolicyKind::Ucc, SOURCE)).collect()
}

/// Adds the flag for the variant to `crawl`.
pub fn with_variants(command: Command) -> Command {
    let variant = Arg::new("variant").long("variant").value_name("NAME").help(VARIANT_HELP);
    command.mut_subcommand("crawl", |crawl| crawl.arg(variant.help_heading("What to crawl")))
}

/// Applies the flag for the variant to the policy that a crawl names.
///
/// # Errors
/// The policy has no such variant.
pub fn choose_variant(command: &mut cli::Command, matches: &ArgMatches) -> Result<(), Failure> {
    let cli::Command::Crawl(args) = command else { return Ok(()) };
    let given = matches.subcommand_matches("crawl").and_then(|crawl| crawl.get_one::<String>("variant"));
    let Some(variant) = given else { return Ok(()) };
    let variant: Variant = variant.parse().map_err(Failure::usage)?;
    let named = args.settings.flags.0.iter_mut().find(|flag| flag.name == "crawl.policy");
    let Some(FlagValue::Text(policy)) = named.map(|flag| &mut flag.value) else {
        return Err(Failure::usage("--variant needs --policy: say whose variant it is"));
    };
    let whose = if policy == SOURCE { Ok(PolicyKind::Ucc) } else { policy.parse() };
    if !variant.is_of(whose.map_err(Failure::usage)?) {
        return Err(Failure::usage(format!("the policy {policy} has no variant {variant}")));
    }
    if variant != Variant::Default {
        *policy = format!("{policy}:{variant}");
    }
    Ok(())
}

/// Returns how a policy is made.
fn maker(name: &'static str, options: &PolicyOptions) -> Result<MakeWith, String> {
    let (name, variant) = name.split_once(':').unwrap_or((name, "paper"));
    if let Some(kind) = BASELINES.into_iter().find(|kind| kind.name() == name) {
        return Ok(Arc::new(move |inputs, read| {
            baseline(kind, inputs, None).unwrap_or_else(|| policy::make(kind, inputs, read))
        }));
    }
    let variant: Variant = variant.parse().map_err(|unknown| format!("{unknown}"))?;
    let kind = match name {
        SOURCE if options.example.is_empty() => PolicyKind::Ucc,
        SOURCE => PolicyKind::Target,
        name => name.parse()?,
    };
    if kind == PolicyKind::Topic {
        let topic = topic_inputs(options)?;
        return Ok(Arc::new(move |_, _| Box::new(topic.paper(variant))));
    }
    Ok(Arc::new(move |inputs, read| {
        printed(kind, variant, WalkParameters::default(), inputs).unwrap_or_else(|| policy::make(kind, inputs, read))
    }))
}

/// Reads what the crawl by profiles starts from: the tags of the topic, and pages of each type from a labelled
/// recording.
fn topic_inputs(options: &PolicyOptions) -> Result<TopicInputs, String> {
    if options.model.is_empty() {
        return Err(
            "the policy topic in this variant needs sample pages of each type: name a labelled recording of the \
                    site, or of another site with the same software (--model RECORDING.warc.gz)"
                .to_owned(),
        );
    }
    let corpus = load_with_notes(Path::new(&options.model), None, false).map_err(|error| format!("{error:#}"))?;
    let topic = Topic::named(options.topic.iter().map(String::as_str));
    if corpus.truth().is_none() {
        return Err(format!("{} has no labels, so that it shows no types of pages", options.model));
    }
    Ok(TopicInputs::of(&corpus, &topic, Seed(1)))
}
