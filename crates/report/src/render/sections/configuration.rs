//! The configuration.

use crate::document::{Configuration, Document, Setting};
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let configuration = &document.configuration;
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
