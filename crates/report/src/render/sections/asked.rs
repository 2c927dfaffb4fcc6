//! What was asked.

use super::Material;
use crate::document::Setting;
use crate::render::block::{Block, Cell, Table};

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let asked = &material.document.asked;
    let mut facts: Vec<(String, Cell)> = Vec::new();
    let mut add = |name: &str, cell: Cell| facts.push((name.to_owned(), cell));
    let mut seeds: Vec<Cell> = asked.seeds.iter().cloned().map(Cell::Url).collect();
    if asked.more_seeds > 0 {
        seeds.push(Cell::text(format!("and {} more", asked.more_seeds)));
    }
    if !seeds.is_empty() {
        add(if seeds.len() == 1 { "Seed" } else { "Seeds" }, Cell::Lines(seeds));
    }
    asked.policy.iter().for_each(|policy| add("Policy", Cell::text(policy_said(policy))));
    asked.scope.iter().for_each(|scope| add("Scope", Cell::text(scope_said(scope))));
    let budgets: Vec<Cell> = asked.budgets.iter().map(|at| Cell::Code(format!("{} = {}", at.name, at.value))).collect();
    if asked.policy.is_some() {
        add(
            "Budgets",
            if budgets.is_empty() { Cell::text("none: until nothing is left") } else { Cell::Lines(budgets) },
        );
    }
    if !asked.secrets.is_empty() {
        add("Set, not shown", Cell::Lines(asked.secrets.iter().cloned().map(Cell::Code).collect()));
    }
    let mut blocks = Vec::new();
    if !facts.is_empty() {
        blocks.push(Block::Facts(facts));
    }
    if !asked.settings.is_empty() {
        let rows = asked.settings.iter().map(row).collect();
        let caption = "Settings that differ from their defaults".to_owned();
        blocks.push(Block::Table(Table { caption, header: vec!["setting", "value", "default"], rows }));
    }
    blocks
}

fn row(setting: &Setting) -> Vec<Cell> {
    let default = setting.default.clone().map_or(Cell::text("unknown to this version"), Cell::Code);
    vec![Cell::Code(setting.name.clone()), Cell::Code(setting.value.clone()), default]
}

/// A policy in words.
fn policy_said(policy: &str) -> String {
    let meaning = match policy {
        "bfs" => "all pages, nearest to the seeds first",
        "ucc" => "what users wrote, learnt while crawling",
        "target" => "pages like an example, learnt while crawling",
        "cluster-graph" => "all pages but duplicates and forms, by a graph of the site's kinds of pages",
        "random" => "all pages, in random order",
        _ => return policy.to_owned(),
    };
    format!("{policy}: {meaning}")
}

fn scope_said(scope: &str) -> String {
    let meaning = match scope {
        "host" => "the hosts of the seeds",
        "domain" => "the registered domains of the seeds",
        "prefix" => "the directories of the seeds",
        "any" => "anywhere",
        _ => return scope.to_owned(),
    };
    format!("{scope}: {meaning}")
}
