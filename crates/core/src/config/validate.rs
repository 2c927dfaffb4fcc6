//! What the type of a setting cannot say: ranges, forms, and settings that only make sense together.

use super::dedup::{BYTES_MIN, PLANNED_MAX, RATES};
use super::sections::Config;
use super::{ByteSize, PolicyKind, PolicyVariant, RecrawlOptions};
use crate::url::{Error, HostGroups};

/// The most threads that may be asked for: far beyond any machine, and far below what would bring one down.
const THREADS_MAX: u32 = 1_024;

/// The longest name of a crawl and of a node.
const NAME_MAX: usize = 64;
/// The most partitions, and the most streams between nodes.
const PARTITIONS_MAX: u32 = 1 << 14;
const SHARDS_MAX: u32 = 256;
const WEIGHT_MAX: u32 = 1_000;

/// The most requests that may be looked ahead to.
const LOOK_AHEAD_MAX: u32 = 100_000;

/// Characters of a token at least.
const TOKEN_MIN: usize = 16;

/// A setting that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSetting {
    /// Its section.
    pub section: &'static str,
    /// Its key.
    pub key: &'static str,
    /// What is wrong, and what to do.
    pub text: String,
}

/// Everything that is wrong with a configuration whose settings each have the right type.
pub fn validate(config: &Config) -> Vec<InvalidSetting> {
    let mut all = Vec::new();
    let mut wrong = |section, key, text: Option<String>| {
        all.extend(text.map(|text| InvalidSetting { section, key, text }));
    };
    wrong("crawl", "threads", too_many_threads(config.crawl.threads));
    wrong("crawl", "io_threads", too_many_threads(config.crawl.io_threads));
    wrong("budget", "early_stop", useless_early_stop(config));
    wrong("budget", "early_stop_requests", no_requests(config.budget.early_stop_requests));
    let RecrawlOptions { share, recall, chance, .. } = config.recrawl;
    for (key, share) in [("share", share), ("recall", recall), ("chance", chance)] {
        wrong("recrawl", key, no_share(share));
    }
    wrong("host", "groups", useless_groups(&config.host.groups));
    wrong("dedup", "planned", useless_plan(config.dedup.planned));
    wrong("dedup", "false_positives", useless_rate(config.dedup.false_positives));
    wrong("dedup", "memory", too_little_memory(config.dedup.memory));
    wrong("policy", "example", missing_example(config));
    wrong("policy", "model", useless_model(config));
    wrong("metrics", "listen", no_address(&config.metrics.listen));
    wrong("metrics", "token", weak_token(&config.metrics.token));
    wrong("fleet", "name", no_name(&config.fleet.name));
    let node = &config.fleet.node;
    wrong("fleet", "node", (!node.is_empty()).then(|| no_name(node)).flatten());
    wrong("fleet", "partitions", no_partitions(config.fleet.partitions, PARTITIONS_MAX, true));
    wrong("fleet", "weight", too_heavy(config.fleet.weight));
    wrong("fleet", "shards", no_partitions(config.fleet.shards, config.fleet.partitions.min(SHARDS_MAX), false));
    wrong("fleet", "renew", too_seldom(config));
    wrong("fleet", "servers", stateless_fleet(config));
    all
}

fn too_many_threads(threads: u32) -> Option<String> {
    (threads > THREADS_MAX).then(|| format!("{threads} threads are more than {THREADS_MAX}; 0 takes one a processor"))
}

/// A token must travel in a header, and not be guessed.
fn weak_token(token: &str) -> Option<String> {
    let usable = token.bytes().all(|byte| byte.is_ascii_graphic());
    let wrong = !token.is_empty() && (token.len() < TOKEN_MIN || !usable);
    wrong.then(|| {
        format!(
            "take at least {TOKEN_MIN} letters, digits and signs without spaces, as `openssl rand -hex 16` writes them"
        )
    })
}

fn no_share(share: f64) -> Option<String> {
    (!(0.0..=1.0).contains(&share)).then(|| format!("{share} is no share; write a number from 0 to 1"))
}

fn missing_example(config: &Config) -> Option<String> {
    let missing = config.crawl.policy == PolicyKind::Target && config.policy.example.is_empty();
    missing.then(|| "the policy `target` needs a page to go by: give its URL, or a file that holds it".to_owned())
}

fn useless_model(config: &Config) -> Option<String> {
    let starts_from_one = config.crawl.policy == PolicyKind::ClusterGraph;
    let is_named = !config.policy.model.is_empty() && !starts_from_one;
    let text = is_named.then(|| only_learned(config, "start from a site model"))??;
    Some(format!("{text}. `cluster-graph` starts from one too, of its own making"))
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

fn useless_groups(groups: &[String]) -> Option<String> {
    let Error::Entries(bad) = HostGroups::new(groups).err()?;
    Some(bad.iter().map(|entry| format!("`{}`: {}", entry.value, entry.problem)).collect::<Vec<_>>().join("; "))
}

fn useless_plan(urls: u64) -> Option<String> {
    (!(1..=PLANNED_MAX).contains(&urls)).then(|| {
        format!(
            "a Bloom filter cannot be planned for {urls} URLs: give the number that you expect, from 1 to {PLANNED_MAX}, or \
             leave it out; the filter grows if more come"
        )
    })
}

fn useless_rate(rate: f64) -> Option<String> {
    let (least, most) = RATES;
    (!(least..=most).contains(&rate)).then(|| {
        format!(
            "{rate} is no rate that a Bloom filter can keep: give a share from {least} to {most}, as 0.001 for one of 1000; where none may be \
             wrong, choose another `dedup.store` than `bloom-only`"
        )
    })
}

fn too_little_memory(memory: ByteSize) -> Option<String> {
    (memory < BYTES_MIN).then(|| {
        format!("{memory} are too little for the exact set: give {BYTES_MIN} or more, at 30 bytes for each URL that is to stay in memory")
    })
}

fn no_address(listen: &str) -> Option<String> {
    let well_formed = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    let fits = listen.is_empty() || listen.rsplit_once(':').is_some_and(well_formed);
    (!fits).then(|| format!("`{listen}` is no address with a port; write it as 127.0.0.1:9900"))
}

/// Names stand in those of streams and keys.
fn no_name(name: &str) -> Option<String> {
    let usable = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let wrong = name.is_empty() || name.len() > NAME_MAX || !usable;
    wrong.then(|| format!("`{name}` is no name: take letters, digits, `-` and `_`, {NAME_MAX} at most"))
}

fn no_partitions(count: u32, most: u32, power: bool) -> Option<String> {
    let (fits, what) = (count.is_power_of_two() || !power, if power { "a power of two " } else { "" });
    (!fits || !(1..=most).contains(&count)).then(|| format!("take {what}from 1 to {most}, not {count}"))
}

fn too_heavy(weight: u32) -> Option<String> {
    (weight > WEIGHT_MAX).then(|| {
        format!("{weight} is too much: take 1 for a usual node, 2 for one of twice that, {WEIGHT_MAX} at most")
    })
}

/// A lease must outlive some renewals that come late.
fn too_seldom(config: &Config) -> Option<String> {
    let (lease, renew) = (config.fleet.lease.0, config.fleet.renew.0);
    let wrong = renew.is_zero() || lease < renew * 4;
    wrong.then(|| {
        format!(
            "every {} is too seldom for a lease of {}: take a quarter of it at most",
            config.fleet.renew, config.fleet.lease
        )
    })
}

fn stateless_fleet(config: &Config) -> Option<String> {
    let wrong = !config.fleet.servers.is_empty() && !config.state.enabled;
    wrong.then(|| "a node of a fleet keeps its state: leave out `state.enabled = false`".to_owned())
}
