//! The configuration of a crawl. One of an older or newer version is read as far as it is understood.

use std::time::Duration;

use serde::Serialize;
use toml::Value;

use crate::document::bounded::cut;
use crate::render::block::{Block, Cell, Table};
use harvestman_core::config::{Config, Period, left_out, section};

/// The number of seeds that are shown.
const SEEDS_SHOWN: usize = 20;
/// Characters of a value.
const VALUE_MAX: usize = 400;

/// A setting that differs from its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// `section.key`.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Its default; `None` if this version has no such setting.
    pub default: Option<String>,
}

/// What a `config.toml` sets.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Configuration {
    /// The first seeds.
    pub seeds: Vec<String>,
    /// The number of further seeds.
    pub more_seeds: u64,
    /// The name of the policy.
    pub policy: Option<String>,
    /// The mode of the scope.
    pub scope: Option<String>,
    /// What the crawl is for.
    pub purpose: Option<String>,
    /// The budgets that were set.
    pub budgets: Vec<Setting>,
    /// All other settings that differ from their defaults.
    pub settings: Vec<Setting>,
    /// Settings that were set and are not shown, as they may hold secrets.
    pub secrets: Vec<String>,
    /// `host.delay`, in milliseconds.
    pub delay_ms: Option<u64>,
    /// `fleet.name`, for a node of a fleet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fleet: Option<String>,
    /// `fleet.node`, if it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

/// Settings that a report shows elsewhere, or that only name the output directory.
const PASSED_OVER: [&str; 4] = ["crawl.seeds", "crawl.out", "crawl.policy", "scope.mode"];

impl Configuration {
    /// Reads the text of a `config.toml`.
    ///
    /// # Errors
    /// The text is not TOML.
    pub fn read(text: &str) -> Result<Self, String> {
        let root: toml::Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
        let at = |section: &str, key: &str| root.get(section)?.get(key);
        let text_of = |section, key| at(section, key).and_then(Value::as_str).map(str::to_owned);
        let seeds = at("crawl", "seeds").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let mut seeds: Vec<String> = seeds.map(|seed| cut(seed, VALUE_MAX)).collect();
        let more_seeds = seeds.len().saturating_sub(SEEDS_SHOWN) as u64;
        seeds.truncate(SEEDS_SHOWN);
        let is_node = text_of("fleet", "servers").is_some_and(|servers| !servers.is_empty());
        let mut configuration = Self {
            seeds,
            more_seeds,
            policy: text_of("crawl", "policy"),
            scope: text_of("scope", "mode"),
            purpose: text_of("fetch", "purpose"),
            secrets: left_out(text, &Config::default()).map(str::to_owned).collect(),
            delay_ms: at("host", "delay").and_then(Value::as_str).and_then(period),
            fleet: text_of("fleet", "name").filter(|_| is_node),
            node: text_of("fleet", "node").filter(|name| is_node && !name.is_empty()),
            ..Self::default()
        };
        for (section, values) in root.iter().filter_map(|(name, values)| Some((name, values.as_table()?))) {
            configuration.add(section, values);
        }
        Ok(configuration)
    }

    /// Adds the settings of a section that differ from their defaults.
    fn add(&mut self, name: &str, values: &toml::Table) {
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

    /// Returns whether fleet, seeds, policy and scope are the same.
    pub fn is_of_same_crawl(&self, other: &Self) -> bool {
        self.fleet == other.fleet
            && (&self.seeds, self.more_seeds) == (&other.seeds, other.more_seeds)
            && (&self.policy, &self.scope) == (&other.policy, &other.scope)
    }
}

/// Returns the milliseconds of a setting that is a duration.
pub fn period(text: &str) -> Option<u64> {
    let Period(length) = text.parse().ok()?;
    u64::try_from(Duration::as_millis(&length)).ok()
}

pub(super) fn blocks(configuration: &Configuration) -> Vec<Block> {
    let mut blocks = Vec::new();
    let facts = facts(configuration);
    if !facts.is_empty() {
        blocks.push(Block::Facts(facts));
    }
    if !configuration.settings.is_empty() {
        let rows = configuration.settings.iter().map(row).collect();
        let caption = "Settings that differ from their defaults".to_owned();
        blocks.push(Block::Table(Table { caption, header: vec!["setting", "value", "default"], rows }));
    }
    blocks
}

fn facts(configuration: &Configuration) -> Vec<(String, Cell)> {
    let mut facts = Vec::new();
    let mut add = |name: &str, cell: Cell| facts.push((name.to_owned(), cell));
    let mut seeds: Vec<Cell> = configuration.seeds.iter().cloned().map(Cell::Url).collect();
    if configuration.more_seeds > 0 {
        seeds.push(Cell::text(format!("and {} more", configuration.more_seeds)));
    }
    if !seeds.is_empty() {
        add(if seeds.len() == 1 { "Seed" } else { "Seeds" }, Cell::Lines(seeds));
    }
    if let Some(policy) = &configuration.policy {
        add("Policy", Cell::text(with_meaning(policy, policy_meaning(policy))));
    }
    if let Some(scope) = &configuration.scope {
        add("Scope", Cell::text(with_meaning(scope, scope_meaning(scope))));
    }
    if configuration.policy.is_some() {
        let budget = |setting: &Setting| Cell::Code(format!("{} = {}", setting.name, setting.value));
        let budgets: Vec<Cell> = configuration.budgets.iter().map(budget).collect();
        let none = || Cell::text("none: the crawl runs until nothing is left");
        add("Budgets", if budgets.is_empty() { none() } else { Cell::Lines(budgets) });
    }
    if !configuration.secrets.is_empty() {
        add("Set, but not shown", Cell::Lines(configuration.secrets.iter().cloned().map(Cell::Code).collect()));
    }
    facts
}

fn row(setting: &Setting) -> Vec<Cell> {
    let default = setting.default.clone().map_or(Cell::text("unknown to this version"), Cell::Code);
    vec![Cell::Code(setting.name.clone()), Cell::Code(setting.value.clone()), default]
}

fn with_meaning(name: &str, meaning: Option<&str>) -> String {
    meaning.map_or_else(|| name.to_owned(), |meaning| format!("{name}: {meaning}"))
}

fn policy_meaning(policy: &str) -> Option<&'static str> {
    Some(match policy {
        "bfs" => "all pages, nearest to the seeds first",
        "ucc" => "user-created content, learned while crawling",
        "target" => "pages like an example, learned while crawling",
        "cluster-graph" => "all pages except duplicates and forms, by a graph of the site's page types",
        "random" => "all pages, in random order",
        _ => return None,
    })
}

fn scope_meaning(scope: &str) -> Option<&'static str> {
    Some(match scope {
        "host" => "the hosts of the seeds",
        "domain" => "the registered domains of the seeds",
        "prefix" => "the directories of the seeds",
        "any" => "any host",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::config::{Secrets, as_toml};

    #[test]
    fn only_what_differs_from_the_defaults_is_shown() {
        let mut config = Config::default();
        config.crawl.seeds = (0..25).map(|n| format!("https://h.test/{n}")).collect();
        config.budget.pages = 1_000;
        config.fetch.cookie = "sid=1".to_owned();
        config.host.delay = Period::millis(250);
        let read = Configuration::read(&as_toml(&config, Secrets::LeftOut)).unwrap();
        assert_eq!((read.seeds.len(), read.more_seeds, read.policy.as_deref()), (20, 5, Some("bfs")));
        assert_eq!((read.budgets.len(), read.budgets[0].value.as_str()), (1, "1000"));
        let names: Vec<_> = read.settings.iter().map(|setting| setting.name.as_str()).collect();
        assert_eq!((names, read.delay_ms), (vec!["host.delay"], Some(250)));
        assert_eq!(read.secrets, ["fetch.cookie"]);
    }

    #[test]
    fn a_node_is_named_where_there_is_a_fleet() {
        let text = "[fleet]\nservers = 'nats://h:4222'\nname = 'all'\nnode = 'a'\n";
        let node = Configuration::read(text).unwrap();
        assert_eq!((node.fleet.as_deref(), node.node.as_deref()), (Some("all"), Some("a")));
        let alone = Configuration::read(&text.replace("nats://h:4222", "")).unwrap();
        assert_eq!((alone.fleet, alone.node), (None, None));
    }

    #[test]
    fn settings_that_this_version_does_not_know_are_shown_as_they_are() {
        let read = Configuration::read("[crawl]\nspeed = 'high'\n[old]\nx = 1\n[host]\ndelay = 5\n").unwrap();
        let shown: Vec<_> = read.settings.iter().map(|at| (at.name.as_str(), at.default.is_some())).collect();
        assert_eq!(shown, [("crawl.speed", false), ("host.delay", true), ("old.x", false)]);
        assert_eq!((read.delay_ms, read.policy), (None, None));
        assert!(Configuration::read("[crawl\n").is_err());
    }
}
