//! What is named within text exists: subcommands, settings, metrics.

use std::collections::BTreeSet;

use harvestman::{cli, config};

use super::markdown::Page;
use super::{found, nothing, root};

/// What is wrong with words that are set as code; `None` where nothing is, or where they are none of ours.
fn wrong(code: &str, metrics: &BTreeSet<String>) -> Option<String> {
    let name = code.split([' ', '=']).next().unwrap_or_default();
    if let Some(line) = code.strip_prefix("harvestman ") {
        return wrong_command(line).map(|word| format!("`{code}`: there is no command `{word}`"));
    }
    if name.starts_with("harvestman_") && !metrics.contains(name.split(['{', '[']).next().unwrap_or(name)) {
        return Some(format!("`{code}` is no metric"));
    }
    let (section, key) = name.split_once('.')?;
    let section = config::section(section)?;
    let is_key = !key.is_empty() && key.chars().all(|char| char.is_ascii_lowercase() || char == '_');
    (is_key && !FILES.contains(&key) && !section.has(key)).then(|| format!("`{code}` is no setting"))
}

/// Endings of files that are called as a section is.
const FILES: &[&str] = &["chunks", "json", "jsonl", "md", "rs", "toml", "wacz"];

/// The first word of a command line that should be a command and is none.
fn wrong_command(line: &str) -> Option<String> {
    let mut command = cli::command();
    command.build();
    for word in line.split(' ') {
        let takes_more = command.get_positionals().next().is_some();
        if !command.has_subcommands()
            || takes_more && command.find_subcommand(word).is_none()
            || !word.starts_with(|char: char| char.is_ascii_lowercase())
        {
            return None;
        }
        match command.find_subcommand(word) {
            Some(below) => command = below.clone(),
            None => return Some(word.to_owned()),
        }
    }
    None
}

/// All metrics of the reference.
fn metrics() -> BTreeSet<String> {
    let page = Page::read(&root().join("docs/METRICS.md"));
    page.code.into_iter().filter(|code| code.starts_with("harvestman_")).collect()
}

fn unknown(page: &Page, metrics: &BTreeSet<String>) -> Vec<String> {
    page.code.iter().filter_map(|code| wrong(code, metrics)).collect()
}

#[test]
fn every_command_setting_and_metric_that_is_named_exists() {
    let metrics = metrics();
    assert!(metrics.len() > 50);
    nothing(&found(|page| unknown(page, &metrics)));
}

#[test]
fn names_that_do_not_exist_are_found() {
    let text = "`host.delay` `host.delay = 2s` `host.dalay` `archive.rs` `harvestman ctl DIR status` `harvestman statos` `harvestman export oder` \
                `harvestman_crawl_pages_total` `harvestman_crawl_pagers_total`";
    let found = unknown(&Page::parse(std::path::Path::new("sample.md"), text), &metrics());
    assert_eq!(found.len(), 4, "{found:#?}");
}
