//! The setup of a node of a fleet: its name, its partitions, its settings and its seeds.

use std::time::Duration;

use crate::error::Error;
use crate::policy_thread::example::examples;
use crate::wiring::{scope, seeds as canonical_seeds};
use harvestman_core::config::{Config, Period};
use harvestman_core::model::{Apath, LinkClass, ScheduledUrl};
use harvestman_core::seed::Seed;
use harvestman_core::url::{Canonicaliser, HostGroups};
use harvestman_fleet::node::records::Origin;
use harvestman_fleet::node::{CallOptions, NodeOptions};
use harvestman_fleet::{LeaseTerms, Partitions, SessionId};

/// How often the balance of the work is checked by what is known about hosts, not by their number alone; a leader
/// checks sooner at first. Loads change slowly, and a move costs the hosts some seconds.
const BALANCE_EVERY: Duration = Duration::from_secs(10);
/// How often a node reports within a lease that it is alive. Every node hears every other: more reports would be most
/// of the messages of a large fleet.
const REPORTS_PER_LEASE: u32 = 10;
/// How often a node commits the results of pages at least. Each commit costs some messages, so a shorter time is
/// expensive if hosts are slow; a longer one delays the links to other nodes.
const COMMIT_EVERY: Period = Period::secs(1);

/// Returns the node's name: the configured one, or that of the machine.
pub(crate) fn node_name(config: &Config) -> String {
    if !config.fleet.node.is_empty() {
        return config.fleet.node.clone();
    }
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let usable = |byte: char| byte.is_ascii_alphanumeric() || matches!(byte, '-' | '_');
    let name: String = name.chars().map(|byte| if usable(byte) { byte } else { '-' }).take(48).collect();
    if name.is_empty() { "node".to_owned() } else { name }
}

/// Returns the durations of leases: of the reports in a lease some may be late or lost.
pub(super) fn lease_terms(config: &Config) -> LeaseTerms {
    let lease = config.fleet.lease.0;
    LeaseTerms { lease, renew: lease / REPORTS_PER_LEASE }
}

/// Returns how hosts are divided.
pub(super) fn partitions(config: &Config) -> Result<Partitions, Error> {
    let count = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    let groups = HostGroups::new(&config.host.groups).map_err(|error| Error::Configuration(error.to_string()))?;
    Ok(Partitions::new(count(config.fleet.partitions), count(config.fleet.shards)).with_groups(groups))
}

pub(super) fn options(config: &Config, seeds: Vec<ScheduledUrl>) -> Result<NodeOptions, Error> {
    let fleet = &config.fleet;
    let partitions = partitions(config)?;
    let nonce = Seed::from_system().0;
    Ok(NodeOptions {
        session: SessionId(format!("{}.{:08x}", node_name(config), nonce as u32)),
        weight: fleet.weight,
        log_shards: partitions.shards(),
        partitions,
        terms: lease_terms(config),
        calls: CallOptions { timeout: Duration::from_secs(5), pause_max: Duration::from_secs(2) },
        checkpoint: fleet.checkpoint.0,
        parts_max: 8,
        batch: 64,
        look: Duration::from_millis(500),
        balance: BALANCE_EVERY,
        clear_after: fleet.lease.0 * 6,
        origin: Origin::own(),
        seeds,
    })
}

/// Returns the seeds and the example pages that are to be fetched, as links.
pub(super) fn seeds(config: &Config) -> Result<Vec<ScheduledUrl>, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Configuration(error.to_string());
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| wrong(&error))?;
    let seeds = canonical_seeds(&config.crawl.seeds, &canonicaliser, config.search.is_on())?;
    let scope = scope(config, &canonicaliser, &seeds)?;
    let examples = examples(config, &canonicaliser, &scope)?.into_iter();
    let unfetched = examples.filter(|example| example.facts.is_none()).map(|example| example.url);
    let class = LinkClass::unclassified(Apath::SEED);
    let within = seeds.into_iter().chain(unfetched).filter(|url| scope.check(url.as_str()).is_ok());
    Ok(within.map(|url| ScheduledUrl::found(url, class)).collect())
}

/// Returns the crawl's settings for a node of a fleet.
pub(super) fn adapted(config: &Config) -> Config {
    let mut config = config.clone();
    config.state.commit_every = COMMIT_EVERY;
    config.archive.prefix = archive_prefix(&config.archive.prefix, &node_name(&config));
    config
}

/// Returns a prefix of WARC file names with the node's name, so that one index can hold the files of all nodes: nodes
/// often begin in the same second.
fn archive_prefix(prefix: &str, node: &str) -> String {
    /// The maximum length that the archive accepts.
    const LENGTH_MAX: usize = 100;
    let own = format!("{prefix}-{node}");
    let has_it = prefix == node || prefix.ends_with(&format!("-{node}"));
    if has_it || prefix.is_empty() || own.len() > LENGTH_MAX { prefix.to_owned() } else { own }
}

#[cfg(test)]
mod tests {
    use super::archive_prefix;

    #[test]
    fn names_of_archive_files_have_the_node_once() {
        for (prefix, node, expected) in
            [("harvestman", "a", "harvestman-a"), ("harvestman-a", "a", "harvestman-a"), ("a", "a", "a"), ("", "a", "")]
        {
            assert_eq!(archive_prefix(prefix, node), expected);
        }
        let long = "x".repeat(99);
        assert_eq!(archive_prefix(&long, "a"), long, "the archive would refuse a longer one");
    }
}
