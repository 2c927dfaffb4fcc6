//! The configuration that all nodes of a fleet have in common, and what each has for itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;

use harvestman_core::clock::Clock;
use harvestman_core::config::{Config, Layers, Mistakes, load, own};
use harvestman_fleet::bus::{Bus, BusError};
use harvestman_fleet::retry::retry;
use harvestman_fleet::sealed_bus::is_sealed;

/// The key of the fleet's configuration.
pub(super) const KEY: &str = "config";
/// How soon the node that creates a crawl's streams writes its configuration.
const WRITTEN_WITHIN: Duration = Duration::from_secs(3);
/// The interval at which the configuration is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Returns the common part only: see [`own::of_node`].
pub(super) fn common(config: &Config) -> Result<Config, String> {
    // With nothing of a node but that it seals, on which it depends what is common.
    let mut nobody = Config::default();
    nobody.fleet.seal.clone_from(&config.fleet.seal);
    let mut common = own::of_node(config, &nobody)?;
    common.fleet.seal.clear();
    Ok(common)
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
    #[error(
        "the fleet's crawl `{name}` began with settings that each node gives by itself, and this one was not given: {settings}. \
         A default value counts too"
    )]
    Missed { name: String, settings: String },
    #[error("the fleet's crawl `{name}` has settings that cannot be used: {why}")]
    Invalid { name: String, why: String },
    #[error(
        "the fleet's crawl `{0}` is sealed: give its key, 64 hexadecimal digits, in HARVESTMAN_FLEET_SEAL (fleet.seal)"
    )]
    Sealed(String),
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
    let common = common(config).map_err(|why| unreadable(config, &why))?;
    let table = common.to_table().map_err(|error| unreadable(config, &error))?;
    let asked = own::asked_of_nodes(config);
    let text: Bytes = own::with_remarks(&table.to_string(), &asked).into();
    match retry(clock, || bus.create(KEY, text.clone())).await {
        Ok(_) => return Ok(config.clone()),
        // With the write of another node, or with one that succeeded unacknowledged.
        Err(BusError::Conflict) => {}
        Err(error) => return Err(error.into()),
    }
    let fleets = read(bus, clock, config).await?;
    let mut settings = differences(&fleets.common, &common);
    settings.extend(own::missing_of_node(&fleets.text, &asked.into_iter().collect()));
    if settings.is_empty() {
        return Ok(config.clone());
    }
    let name = config.fleet.name.clone();
    Err(Disagreement::Settings { name, settings: settings.join(", ") })
}

/// Returns the fleet's configuration with the own settings from `own`, of which the user has given those in `given`.
///
/// # Errors
/// Settings that the fleet began with and that each node must give are missing, or the settings of the fleet are none.
pub(super) async fn join(
    bus: &dyn Bus,
    clock: &Clock,
    own: &Config,
    given: &BTreeSet<String>,
) -> Result<Config, Disagreement> {
    let fleets = read(bus, clock, own).await?;
    let missing = own::missing_of_node(&fleets.text, given);
    let name = || own.fleet.name.clone();
    if !missing.is_empty() {
        return Err(Disagreement::Missed { name: name(), settings: missing.join(", ") });
    }
    let config = own::of_node(&fleets.common, own).map_err(|why| unreadable(own, &why))?;
    // Whoever reaches the servers may have changed them.
    let text = config.to_table().map_err(|error| unreadable(own, &error))?.to_string();
    let file = Some((Path::new("the settings of the fleet and of this node"), text.as_str()));
    let why = |mistakes: Mistakes| Disagreement::Invalid { name: name(), why: mistakes.to_string() };
    load(&Layers { file, ..Layers::default() }).map_err(why)
}

/// Returns the fleet's configuration for a command that looks at the fleet, whatever each node must give.
pub(super) async fn seen(bus: &dyn Bus, clock: &Clock, own: &Config) -> Result<Config, Disagreement> {
    let fleets = read(bus, clock, own).await?;
    own::of_node(&fleets.common, own).map_err(|why| unreadable(own, &why))
}

/// The settings of a fleet, as they are on its servers.
struct FleetSettings {
    text: String,
    common: Config,
}

async fn read(bus: &dyn Bus, clock: &Clock, own: &Config) -> Result<FleetSettings, Disagreement> {
    let until = clock.now() + WRITTEN_WITHIN;
    let held = loop {
        match retry(clock, || bus.get(KEY)).await?.and_then(|held| held.value) {
            Some(held) => break held,
            None if clock.now() >= until => return Err(Disagreement::Missing(own.fleet.name.clone())),
            None => clock.sleep(LOOK_EVERY).await,
        }
    };
    if is_sealed(&held) {
        return Err(Disagreement::Sealed(own.fleet.name.clone()));
    }
    let text = String::from_utf8(held.to_vec()).map_err(|error| unreadable(own, &error))?;
    let common = text.parse().and_then(Config::from_table).map_err(|error| unreadable(own, &error))?;
    Ok(FleetSettings { text, common })
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
        other.fetch.proxy = "http://proxy.test".to_owned();
        other.render.browser = "/opt/chromium".to_owned();
        other.identity.key_file = "/etc/key.pem".to_owned();
        let common = |config: &Config| common(config).unwrap();
        assert!(differences(&common(&one), &common(&other)).is_empty());
        other.host.connections_per_host += 1;
        other.fleet.partitions = 16;
        assert_eq!(differences(&common(&one), &common(&other)), ["fleet.partitions", "host.connections_per_host"]);
        let joined = own::of_node(&common(&other), &one).unwrap();
        assert_eq!((&*joined.crawl.out, &*joined.fleet.node, joined.fleet.partitions), ("a", "a", 16));
        assert!(!toml::to_string(&common(&one)).unwrap().contains("secret"));
    }

    #[test]
    fn the_key_that_seals_is_never_common_and_with_it_credentials_are() {
        let mut config = Config::default();
        config.fetch.cookie = "session=1".to_owned();
        assert_eq!(common(&config).unwrap().fetch.cookie, "");
        config.fleet.seal = "0".repeat(64);
        let common = common(&config).unwrap();
        assert_eq!((&*common.fetch.cookie, &*common.fleet.seal), ("session=1", ""));
    }
}
