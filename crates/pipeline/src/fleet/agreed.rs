//! The configuration that all nodes of a fleet have in common, and what each has for itself.

use std::time::Duration;

use bytes::Bytes;

use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_fleet::bus::{Bus, BusError};
use harvestman_fleet::retry::retry;

/// The key of the fleet's configuration.
pub(super) const KEY: &str = "config";
/// How soon the node that creates a crawl's streams writes its configuration.
const WRITTEN_WITHIN: Duration = Duration::from_secs(3);
/// The interval at which the configuration is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Returns the common configuration with a node's own settings: where it writes, how many threads it has, which browser, who may
/// watch it, which key signs its requests, how it reaches the servers.
pub(super) fn with_own(common: &Config, own: &Config) -> Config {
    let mut config = common.clone();
    config.crawl.out.clone_from(&own.crawl.out);
    config.crawl.threads = own.crawl.threads;
    config.crawl.io_threads = own.crawl.io_threads;
    // Drawn for each run, unless it is set.
    config.crawl.seed = own.crawl.seed;
    config.metrics = own.metrics.clone();
    config.log = own.log.clone();
    config.render.browser.clone_from(&own.render.browser);
    config.render.browsers = own.render.browsers;
    config.render.sandbox = own.render.sandbox;
    config.identity.key_file.clone_from(&own.identity.key_file);
    let (fleet, its) = (&mut config.fleet, &own.fleet);
    fleet.servers.clone_from(&its.servers);
    fleet.name.clone_from(&its.name);
    fleet.node.clone_from(&its.node);
    fleet.weight = its.weight;
    fleet.user.clone_from(&its.user);
    fleet.password.clone_from(&its.password);
    fleet.token.clone_from(&its.token);
    fleet.credentials_file.clone_from(&its.credentials_file);
    fleet.ca_file.clone_from(&its.ca_file);
    fleet.certificate_file.clone_from(&its.certificate_file);
    fleet.key_file.clone_from(&its.key_file);
    config
}

/// Returns the common part only.
pub(super) fn common(config: &Config) -> Config {
    with_own(config, &Config::default())
}

/// Returns the names of the settings in which two configurations differ.
pub(super) fn differences(one: &Config, other: &Config) -> Vec<String> {
    let (Ok(one), Ok(other)) = (one.to_table(), other.to_table()) else { return Vec::new() };
    let mut names = Vec::new();
    for (section, values) in &one {
        let its = other.get(section).and_then(toml::Value::as_table);
        for (key, value) in values.as_table().into_iter().flatten() {
            if its.and_then(|its| its.get(key)) != Some(value) {
                names.push(format!("{section}.{key}"));
            }
        }
    }
    names
}

/// Why a node cannot agree with its fleet.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Disagreement {
    #[error(
        "the fleet's crawl `{name}` has other settings than this one: {settings}. Join it with `harvestman fleet \
         join`, or give this crawl another name (--fleet-name)"
    )]
    Settings { name: String, settings: String },
    #[error(
        "the settings of the fleet's crawl `{name}` cannot be read by this version of Harvestman: {why}. Use the \
         version of the other nodes"
    )]
    Unreadable { name: String, why: String },
    #[error("the fleet has no crawl `{0}`; `harvestman crawl SEED --fleet …` starts one")]
    Missing(String),
    #[error(transparent)]
    Bus(#[from] BusError),
}

/// Returns the fleet's configuration with this node's own settings. If the fleet has none yet, `config` becomes it.
///
/// # Errors
/// The settings that differ, if the fleet has another configuration.
pub(super) async fn agree(bus: &dyn Bus, clock: &Clock, config: &Config) -> Result<Config, Disagreement> {
    let common = common(config);
    let table = common.to_table().map_err(|error| unreadable(config, &error))?;
    let text: Bytes = table.to_string().into();
    match retry(clock, || bus.create(KEY, text.clone())).await {
        Ok(_) => return Ok(config.clone()),
        // With the write of another node, or with one that succeeded unacknowledged.
        Err(BusError::Conflict) => {}
        Err(error) => return Err(error.into()),
    }
    let fleets = read(bus, clock, config).await?;
    let settings = differences(&fleets, &common);
    if settings.is_empty() {
        return Ok(config.clone());
    }
    let name = config.fleet.name.clone();
    Err(Disagreement::Settings { name, settings: settings.join(", ") })
}

/// Returns the fleet's configuration with the own settings from `own`.
pub(super) async fn join(bus: &dyn Bus, clock: &Clock, own: &Config) -> Result<Config, Disagreement> {
    Ok(with_own(&read(bus, clock, own).await?, own))
}

async fn read(bus: &dyn Bus, clock: &Clock, own: &Config) -> Result<Config, Disagreement> {
    let until = clock.now() + WRITTEN_WITHIN;
    let held = loop {
        match retry(clock, || bus.get(KEY)).await?.and_then(|held| held.value) {
            Some(held) => break held,
            None if clock.now() >= until => return Err(Disagreement::Missing(own.fleet.name.clone())),
            None => clock.sleep(LOOK_EVERY).await,
        }
    };
    let text = std::str::from_utf8(&held).map_err(|error| unreadable(own, &error))?;
    text.parse().and_then(Config::from_table).map_err(|error| unreadable(own, &error))
}

fn unreadable(own: &Config, why: &dyn std::fmt::Display) -> Disagreement {
    Disagreement::Unreadable { name: own.fleet.name.clone(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_settings_are_no_difference_and_all_others_are() {
        let mut one = Config::default();
        one.crawl.out = "a".to_owned();
        one.fleet.node = "a".to_owned();
        one.fleet.servers = "nats://a.test".to_owned();
        one.fleet.password = "secret".to_owned();
        let mut other = Config { ..one.clone() };
        other.crawl.out = "b".to_owned();
        other.fleet.node = "b".to_owned();
        other.fleet.weight = 3;
        other.render.browser = "/opt/chromium".to_owned();
        other.identity.key_file = "/etc/key.pem".to_owned();
        assert!(differences(&common(&one), &common(&other)).is_empty());
        other.host.connections_per_host += 1;
        other.fleet.partitions = 16;
        assert_eq!(differences(&common(&one), &common(&other)), ["fleet.partitions", "host.connections_per_host"]);
        let joined = with_own(&common(&other), &one);
        assert_eq!((&*joined.crawl.out, &*joined.fleet.node, joined.fleet.partitions), ("a", "a", 16));
        assert!(!toml::to_string(&common(&one)).unwrap().contains("secret"));
    }
}
