//! What was asked of a crawl, by its configuration. An older or a newer one is read as far as it goes.

use std::time::Duration;

use serde::Serialize;
use toml::{Table, Value};

use super::bounded::cut;
use harvestman_core::config::{Config, Period, left_out, section};

/// Seeds that are named.
const SEEDS_TOLD: usize = 20;
/// Characters of a value.
const VALUE_MAX: usize = 400;

/// A setting that differs from its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// `section.key`.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Its default; none where this version has no such setting.
    pub default: Option<String>,
}

/// What was asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Asked {
    /// The first seeds.
    pub seeds: Vec<String>,
    /// How many more there are.
    pub more_seeds: u64,
    /// The policy's name.
    pub policy: Option<String>,
    /// The scope's mode.
    pub scope: Option<String>,
    /// The budgets that were set.
    pub budgets: Vec<Setting>,
    /// All other settings that differ from their defaults.
    pub settings: Vec<Setting>,
    /// Settings that were set and are not shown, because they may hold a secret.
    pub secrets: Vec<String>,
    /// `host.delay`, milliseconds.
    pub delay_ms: Option<u64>,
    /// `fleet.name`, where the crawl is one of a fleet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<String>,
    /// `fleet.node`, where it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

/// Where output went, how much of the machine it took, and what has a place of its own in a report.
const PASSED_OVER: [&str; 4] = ["crawl.seeds", "crawl.out", "crawl.policy", "scope.mode"];

/// Reads the text of a `config.toml`.
///
/// # Errors
/// Says why it is none.
pub fn asked(text: &str) -> Result<Asked, String> {
    let root: Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let secrets = left_out(text, &Config::default()).map(str::to_owned).collect();
    let mut asked = Asked { secrets, ..Asked::default() };
    let at = |section: &str, key: &str| root.get(section)?.get(key);
    let seeds = at("crawl", "seeds").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut seeds: Vec<String> = seeds.map(|seed| cut(seed, VALUE_MAX)).collect();
    asked.more_seeds = seeds.len().saturating_sub(SEEDS_TOLD) as u64;
    seeds.truncate(SEEDS_TOLD);
    asked.seeds = seeds;
    let text_of = |section, key| at(section, key).and_then(Value::as_str).map(str::to_owned);
    (asked.policy, asked.scope) = (text_of("crawl", "policy"), text_of("scope", "mode"));
    if text_of("fleet", "servers").is_some_and(|servers| !servers.is_empty()) {
        asked.fleet = text_of("fleet", "name");
        asked.node = text_of("fleet", "node").filter(|name| !name.is_empty());
    }
    asked.delay_ms = at("host", "delay").and_then(Value::as_str).and_then(period);
    for (section, values) in root.iter().filter_map(|(name, values)| Some((name, values.as_table()?))) {
        asked.add(section, values);
    }
    Ok(asked)
}

impl Asked {
    fn add(&mut self, name: &str, values: &Table) {
        let defaults = section(name).map(|section| (section.defaults)()).unwrap_or_default();
        for (key, value) in values {
            let (full, default) = (format!("{name}.{key}"), defaults.get(key));
            if Some(value) == default || PASSED_OVER.contains(&full.as_str()) {
                continue;
            }
            let shown = |value: &Value| cut(&value.to_string(), VALUE_MAX);
            let setting = Setting { name: full, value: shown(value), default: default.map(shown) };
            if name == "budget" { self.budgets.push(setting) } else { self.settings.push(setting) }
        }
    }
}

/// Milliseconds of a setting that is a length of time.
pub fn period(text: &str) -> Option<u64> {
    let Period(length) = text.parse().ok()?;
    u64::try_from(Duration::as_millis(&length)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::config::{Secrets, as_toml};

    #[test]
    fn what_differs_from_the_defaults_is_told_and_nothing_else() {
        let mut config = Config::default();
        config.crawl.seeds = (0..25).map(|n| format!("https://h.test/{n}")).collect();
        config.budget.pages = 1_000;
        config.fetch.cookie = "sid=1".to_owned();
        config.host.delay = Period::millis(250);
        let asked = asked(&as_toml(&config, Secrets::LeftOut)).unwrap();
        assert_eq!((asked.seeds.len(), asked.more_seeds, asked.policy.as_deref()), (20, 5, Some("bfs")));
        assert_eq!((asked.budgets.len(), asked.budgets[0].value.as_str()), (1, "1000"));
        let names: Vec<_> = asked.settings.iter().map(|setting| setting.name.as_str()).collect();
        assert_eq!((names, asked.delay_ms), (vec!["host.delay"], Some(250)));
        assert_eq!(asked.secrets, ["fetch.cookie"]);
    }

    #[test]
    fn a_node_is_named_where_there_is_a_fleet() {
        let text = "[fleet]\nservers = 'nats://h:4222'\nname = 'all'\nnode = 'a'\n";
        let node = asked(text).unwrap();
        assert_eq!((node.fleet.as_deref(), node.node.as_deref()), (Some("all"), Some("a")));
        let alone = asked(&text.replace("nats://h:4222", "")).unwrap();
        assert_eq!((alone.fleet, alone.node), (None, None));
    }

    #[test]
    fn settings_that_this_version_does_not_know_are_told_as_they_are() {
        let asked = asked("[crawl]\nspeed = 'high'\n[old]\nx = 1\n[host]\ndelay = 5\n").unwrap();
        let told: Vec<_> = asked.settings.iter().map(|at| (at.name.as_str(), at.default.is_some())).collect();
        assert_eq!(told, [("crawl.speed", false), ("host.delay", true), ("old.x", false)]);
        assert_eq!((asked.delay_ms, asked.policy), (None, None));
        assert!(super::asked("[crawl\n").is_err());
    }
}
