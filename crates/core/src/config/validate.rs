//! Checks that the type of a setting cannot express: ranges, formats, and settings that depend on each other.

use super::dedup::{BYTES_MIN, PLANNED_MAX, RATES};
use super::sections::Config;
use super::{ByteSize, ExampleNames, PageWorth, Period, PolicyKind, RecrawlOptions};
use crate::url::{Canonicaliser, Error, HostGroups, SearchTemplate};

/// Maximum number of threads that may be configured: far beyond any machine, and far below what would bring one down.
const THREADS_MAX: u32 = 1_024;

/// Maximum length of the name of a crawl or node.
const NAME_MAX: usize = 64;
/// Maximum number of partitions, and of streams between nodes.
const PARTITIONS_MAX: u32 = 1 << 14;
const SHARDS_MAX: u32 = 256;
const WEIGHT_MAX: u32 = 1_000;

/// Minimum number of characters of a token.
const TOKEN_MIN: usize = 16;

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSetting {
    /// Its section.
    pub section: &'static str,
    /// Its key.
    pub key: &'static str,
    /// What is wrong, and what to do.
    pub text: String,
}

/// Returns all mistakes in a configuration whose settings each have the right type.
pub fn validate(config: &Config) -> Vec<InvalidSetting> {
    let mut all = Vec::new();
    let mut wrong = |section, key, text: Option<String>| {
        all.extend(text.map(|text| InvalidSetting { section, key, text }));
    };
    wrong("crawl", "threads", too_many_threads(config.crawl.threads));
    wrong("crawl", "io_threads", too_many_threads(config.crawl.io_threads));
    wrong("budget", "early_stop", invalid_early_stop(config));
    let RecrawlOptions { share, recall, chance, .. } = config.recrawl;
    for (key, share) in [("share", share), ("recall", recall), ("chance", chance)] {
        wrong("recrawl", key, invalid_share(share));
    }
    wrong("fetch", "credential_origins", config.credential_origins().err());
    wrong("host", "groups", invalid_groups(&config.host.groups));
    wrong("identity", "key_file", pasted_key(&config.identity.key_file));
    wrong("identity", "agent", unused_agent(config));
    wrong("identity", "lifetime", invalid_lifetime(config.identity.lifetime));
    wrong("login", "url", unusable_login(config));
    wrong("login", "user", missing_user(config));
    wrong("login", "password_env", invalid_password_variable(config));
    wrong("dedup", "planned", invalid_plan(config.dedup.planned));
    wrong("dedup", "false_positives", invalid_rate(config.dedup.false_positives));
    wrong("dedup", "memory", too_little_memory(config.dedup.memory));
    wrong("policy", "example", missing_example(config).or_else(|| too_many_examples(config)));
    wrong("policy", "topic", missing_topic(config));
    wrong("policy", "model", unusable_model(config));
    wrong("policy", "worth", unusable_worth(config));
    wrong("search", "url", unusable_searches(config));
    wrong("metrics", "listen", invalid_address(&config.metrics.listen));
    wrong("metrics", "token", weak_token(&config.metrics.token));
    wrong("fleet", "name", invalid_name(&config.fleet.name));
    let node = &config.fleet.node;
    wrong("fleet", "node", (!node.is_empty()).then(|| invalid_name(node)).flatten());
    wrong("fleet", "partitions", invalid_count(config.fleet.partitions, PARTITIONS_MAX, true));
    wrong("fleet", "weight", excessive_weight(config.fleet.weight));
    wrong("fleet", "shards", invalid_count(config.fleet.shards, config.fleet.partitions.min(SHARDS_MAX), false));
    wrong("fleet", "lease", no_lease(config.fleet.lease));
    wrong("fleet", "servers", stateless_fleet(config));
    wrong("fleet", "seal", invalid_seal(&config.fleet.seal));
    all
}

fn invalid_seal(key: &str) -> Option<String> {
    let is_key = key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    // The key is not shown.
    (!key.is_empty() && !is_key).then(|| "use 64 hexadecimal digits, as `openssl rand -hex 32` prints them".to_owned())
}

fn too_many_threads(threads: u32) -> Option<String> {
    (threads > THREADS_MAX)
        .then(|| format!("{threads} threads are more than the maximum of {THREADS_MAX}; 0 means one per processor"))
}

/// Checks a token, which must fit in a header and must not be guessable.
fn weak_token(token: &str) -> Option<String> {
    let usable = token.bytes().all(|byte| byte.is_ascii_graphic());
    let wrong = !token.is_empty() && (token.len() < TOKEN_MIN || !usable);
    wrong.then(|| {
        format!(
            "use at least {TOKEN_MIN} letters, digits and signs without spaces, such as the output of `openssl rand -hex 16`"
        )
    })
}

fn unusable_login(config: &Config) -> Option<String> {
    if !config.login.is_on() {
        let needless = !config.login.user.is_empty() || !config.login.password_env.is_empty();
        return needless.then(|| "is missing: give the address of the log-in page (`--login`)".to_owned());
    }
    let canonicaliser = Canonicaliser::new(&config.url).ok()?;
    if let Err(why) = canonicaliser.parse(&config.login.url) {
        return Some(format!("`{}` is not an http or https URL ({})", config.login.url, why.label()));
    }
    if !config.login.check.is_empty() && config.check_page().is_none() {
        return Some(format!("`login.check` (`{}`) is not an http or https URL", config.login.check));
    }
    let in_fleet = !config.fleet.servers.is_empty();
    in_fleet.then(|| "a fleet cannot log in yet: crawl on one machine, or pass cookies (`--cookies`)".to_owned())
}

fn missing_user(config: &Config) -> Option<String> {
    (config.login.is_on() && config.login.user.is_empty())
        .then(|| "is missing: give the name of the user (`--user`)".to_owned())
}

fn invalid_password_variable(config: &Config) -> Option<String> {
    let name = &config.login.password_env;
    if !config.login.is_on() {
        return None;
    }
    if name.is_empty() {
        return Some("is missing: name the environment variable with the password (`--password-env`)".to_owned());
    }
    let is_setting = name.starts_with("HARVESTMAN_") || name.contains(['=', '\0']);
    is_setting.then(|| {
        format!(
            "`{name}` cannot hold the password: variables that begin with HARVESTMAN_ are settings; choose another name"
        )
    })
}

fn invalid_share(share: f64) -> Option<String> {
    (!(0.0..=1.0).contains(&share)).then(|| format!("{share} is not a share; write a number from 0 to 1"))
}

fn missing_example(config: &Config) -> Option<String> {
    let policy = config.crawl.policy;
    let needs_one = matches!(policy, PolicyKind::Target | PolicyKind::Xcrawl)
        && config.policy.want.iter().all(|want| want == "like");
    (needs_one && config.policy.example.is_empty()).then(|| {
        let text = "needs an example page: give its URL, or a file that contains it; or say with `want` which pages are wanted";
        format!("the policy `{}` {text}", policy.name())
    })
}

fn too_many_examples(config: &Config) -> Option<String> {
    let (examples, max) = (config.policy.example.0.len(), ExampleNames::MAX);
    (examples > max).then(|| format!("{examples} examples are too many; give at most {max}"))
}

fn missing_topic(config: &Config) -> Option<String> {
    if config.crawl.policy != PolicyKind::Topic {
        return None;
    }
    let says_something = |term: &String| term.chars().any(char::is_alphanumeric);
    if !config.policy.topic.iter().any(says_something) && config.policy.example.0.len() < 2 {
        let text = "needs a topic: give tags or words, such as `macro photography`, or at least two example pages that share tags";
        return Some(format!("the policy `topic` {text}"));
    }
    None
}

/// Checks the addresses of searches, and whether the policy can tell which results are wanted.
fn unusable_searches(config: &Config) -> Option<String> {
    if !config.search.is_on() {
        let idle = !config.search.query.is_empty();
        return idle.then(|| "there are queries but no search: give the address of one".to_owned());
    }
    let canonicaliser = Canonicaliser::new(&config.url).ok()?;
    let wrong: Vec<String> =
        config.search.named().filter_map(|text| SearchTemplate::parse(&text, &canonicaliser).err()).collect();
    if !wrong.is_empty() {
        return Some(wrong.join("; "));
    }
    let judges = matches!(config.crawl.policy, PolicyKind::Xcrawl | PolicyKind::Target | PolicyKind::Added(_));
    if !judges || config.policy.want.iter().all(|want| want == "like") {
        let text = "a search finds pages of any site: it needs a policy that looks for wanted pages (`xcrawl` or `target`), \
                    and `policy.want` must say which these are, other than `like`";
        return Some(text.to_owned());
    }
    let no_seeds = config.crawl.seeds.is_empty() && config.crawl.seeds_file.is_empty();
    if config.search.uses_own() && !config.search.has_named() && no_seeds {
        return Some(
            "`site` is the search of the seeds' own sites: give a seed, or the address of a search".to_owned(),
        );
    }
    if config.policy.example.is_empty() && config.search.query.is_empty() && no_seeds {
        return Some("queries are made from example pages: give one, or a query, or a seed".to_owned());
    }
    if config.search.uses_own() && !config.fleet.servers.is_empty() {
        let text = "the searches of the seeds' own sites (`site`) are not available in a fleet: give the address of a search, \
                    or crawl on one machine, without `fleet.servers`";
        return Some(text.to_owned());
    }
    let is_shared = !matches!(config.crawl.policy, PolicyKind::Added(_));
    let text = "in a fleet, the policy that all nodes share sends the queries: use `xcrawl` or `target`, or crawl on one machine, without `fleet.servers`";
    (!config.fleet.servers.is_empty() && !is_shared).then(|| text.to_owned())
}

fn unusable_model(config: &Config) -> Option<String> {
    let is_named = !config.policy.model.is_empty() && !matches!(config.crawl.policy, PolicyKind::Added(_));
    is_named.then(|| only_learned(config, "start from a site model"))?
}

fn unusable_worth(config: &Config) -> Option<String> {
    (config.policy.worth == PageWorth::Posts && config.crawl.policy != PolicyKind::Ucc).then(|| {
        "only `ucc` values pages by their posts: choose it, or remove this setting; `target` finds pages \
         with posts by `policy.want = [\"posts:1\"]`"
            .to_owned()
    })
}

fn invalid_early_stop(config: &Config) -> Option<String> {
    let share = config.budget.early_stop;
    if !(0.0..=1.0).contains(&share) {
        return Some(format!(
            "{share} is not a share of the requests; 0.1 means one in ten, 0 disables early stopping"
        ));
    }
    (share > 0.0).then(|| only_learned(config, "estimate the yield of requests"))?
}

/// Returns the mistake if the policy is not one that learns, which this requires.
fn only_learned(config: &Config, what: &str) -> Option<String> {
    let kind = config.crawl.policy;
    let learns = !matches!(kind, PolicyKind::Bfs | PolicyKind::Added(_));
    (!learns).then(|| {
        format!(
            "the policy `{}` cannot {what}; all others but `bfs` can: choose one of them, or remove this setting",
            kind.name()
        )
    })
}

fn invalid_groups(groups: &[String]) -> Option<String> {
    let Error::Entries(bad) = HostGroups::new(groups).err()?;
    Some(bad.iter().map(|entry| format!("`{}`: {}", entry.value, entry.problem)).collect::<Vec<_>>().join("; "))
}

/// Checks that the name of the key file is not the key itself, which must not be printed or copied.
fn pasted_key(file: &str) -> Option<String> {
    let is_key = file.contains("-----BEGIN") || file.contains('\n') || file.trim_start().starts_with('{');
    is_key.then(|| "this is the path of a file, not the key: write the key to a file that only you can read".to_owned())
}

/// Checks that an address of a key is not given without a key. A node of a fleet may have its own.
fn unused_agent(config: &Config) -> Option<String> {
    let unused =
        !config.identity.agent.is_empty() && config.identity.key_file.is_empty() && config.fleet.servers.is_empty();
    unused.then(|| "requests are signed only with a key: set `identity.key_file` too (--sign-key)".to_owned())
}

fn invalid_lifetime(lifetime: Period) -> Option<String> {
    let usable = Period::secs(1)..=Period::secs(86_400);
    (!usable.contains(&lifetime)).then(|| format!("use a time from 1s to 24h, such as 1m, not {lifetime}"))
}

fn invalid_plan(urls: u64) -> Option<String> {
    (!(1..=PLANNED_MAX).contains(&urls)).then(|| {
        format!(
            "a Bloom filter cannot be sized for {urls} URLs: give the number that you expect, from 1 to {PLANNED_MAX}, or \
             remove the setting; the filter grows if there are more"
        )
    })
}

fn invalid_rate(rate: f64) -> Option<String> {
    let (least, most) = RATES;
    (!(least..=most).contains(&rate)).then(|| {
        format!(
            "{rate} is not a rate that a Bloom filter can have: give a share from {least} to {most}, such as 0.001 for one in 1000; if \
             no URL may be lost, choose a `dedup.store` other than `bloom-only`"
        )
    })
}

fn too_little_memory(memory: ByteSize) -> Option<String> {
    (memory < BYTES_MIN).then(|| {
        format!("{memory} is too little for the exact set: give {BYTES_MIN} or more, 30 bytes for each URL that is to stay in memory")
    })
}

fn invalid_address(listen: &str) -> Option<String> {
    let well_formed = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    let fits = listen.is_empty() || listen.rsplit_once(':').is_some_and(well_formed);
    (!fits).then(|| format!("`{listen}` is not an address with a port; write it as 127.0.0.1:9900"))
}

/// Checks a name, which becomes part of the names of streams and keys.
fn invalid_name(name: &str) -> Option<String> {
    let usable = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let wrong = name.is_empty() || name.len() > NAME_MAX || !usable;
    wrong.then(|| format!("`{name}` is not a valid name: use letters, digits, `-` and `_`, {NAME_MAX} at most"))
}

fn invalid_count(count: u32, most: u32, power: bool) -> Option<String> {
    let (fits, what) = (count.is_power_of_two() || !power, if power { "a power of two " } else { "" });
    (!fits || !(1..=most).contains(&count)).then(|| format!("use {what}from 1 to {most}, not {count}"))
}

fn excessive_weight(weight: u32) -> Option<String> {
    (weight > WEIGHT_MAX).then(|| {
        format!(
            "{weight} is too large: use 1 for a usual node, 2 for one that takes twice the work, {WEIGHT_MAX} at most"
        )
    })
}

fn no_lease(lease: Period) -> Option<String> {
    lease.0.is_zero().then(|| "a node needs some time to report that it is alive: use a time such as 10s".to_owned())
}

fn stateless_fleet(config: &Config) -> Option<String> {
    let wrong = !config.fleet.servers.is_empty() && !config.state.enabled;
    wrong.then(|| "a node of a fleet must persist its state: remove `state.enabled = false`".to_owned())
}
