//! What the type of a setting cannot say: ranges, forms, and settings that only make sense together.

use super::sections::Config;
use super::{PolicyKind, PolicyVariant};

/// The most threads that may be asked for: far beyond any machine, and far below what would bring one down.
const THREADS_MAX: u32 = 1_024;

/// The most requests that may be looked ahead to.
const LOOK_AHEAD_MAX: u32 = 100_000;

/// A setting that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Its section.
    pub section: &'static str,
    /// Its key.
    pub key: &'static str,
    /// What is wrong, and what to do.
    pub text: String,
}

/// Everything that is wrong with a configuration whose settings each have the right type.
pub fn validate(config: &Config) -> Vec<Wrong> {
    let mut all = Vec::new();
    let mut wrong = |section, key, text: Option<String>| {
        all.extend(text.map(|text| Wrong { section, key, text }));
    };
    wrong("crawl", "threads", too_many_threads(config.crawl.threads));
    wrong("crawl", "io_threads", too_many_threads(config.crawl.io_threads));
    wrong("budget", "early_stop", useless_early_stop(config));
    wrong("budget", "early_stop_requests", no_requests(config.budget.early_stop_requests));
    wrong("policy", "example", missing_example(config));
    wrong("policy", "model", useless_model(config));
    wrong("metrics", "listen", no_address(&config.metrics.listen));
    all
}

fn too_many_threads(threads: u32) -> Option<String> {
    (threads > THREADS_MAX).then(|| format!("{threads} threads are more than {THREADS_MAX}; 0 takes one a processor"))
}

fn missing_example(config: &Config) -> Option<String> {
    let missing = config.crawl.policy == PolicyKind::Target && config.policy.example.is_empty();
    missing.then(|| "the policy `target` needs a page to go by: give its URL, or a file that holds it".to_owned())
}

fn useless_model(config: &Config) -> Option<String> {
    (!config.policy.model.is_empty()).then(|| only_learned(config, "start from a site model"))?
}

fn useless_early_stop(config: &Config) -> Option<String> {
    let share = config.budget.early_stop;
    if !(0.0..=1.0).contains(&share) {
        return Some(format!(
            "{share} is no share of the requests; 0.1 stands for one of ten, 0 for never stopping early"
        ));
    }
    (share > 0.0).then(|| only_learned(config, "estimate what requests will bring"))?
}

/// What is wrong where the policy is none that learns what this takes.
fn only_learned(config: &Config, what: &str) -> Option<String> {
    let (kind, variant) = (config.crawl.policy, config.policy.variant);
    let who = match (kind, variant) {
        (PolicyKind::Ucc | PolicyKind::Target, PolicyVariant::Default) => return None,
        (PolicyKind::Ucc | PolicyKind::Target, PolicyVariant::Paper) => "the variant `paper`".to_owned(),
        _ => format!("the policy `{}`", kind.name()),
    };
    Some(format!(
        "{who} cannot {what}; `ucc` and `target` in their default variant do: choose one of them, or leave this out"
    ))
}

fn no_requests(requests: u32) -> Option<String> {
    (!(1..=LOOK_AHEAD_MAX).contains(&requests))
        .then(|| format!("{requests} requests are too few or too many to look ahead to; 200 serve, 1 to {LOOK_AHEAD_MAX} may be given"))
}

fn no_address(listen: &str) -> Option<String> {
    let well_formed = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    let fits = listen.is_empty() || listen.rsplit_once(':').is_some_and(well_formed);
    (!fits).then(|| format!("`{listen}` is no address with a port; write it as 127.0.0.1:9900"))
}
