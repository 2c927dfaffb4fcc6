//! The sections of a report.

mod archive;
mod commands;
mod configuration;
mod errors;
mod fates;
mod harvest;
mod nodes;
mod page_types;
mod politeness;
mod posts;
mod recrawl;
mod rendering;
mod responses;
mod results;
mod searches;
mod seen;
mod signals;

use super::block::{Block, Section, moment};
use crate::document::Document;
pub use results::state;

/// Returns all sections that have content, in reading order.
pub fn sections(document: &Document) -> Vec<Section> {
    let all = [
        ("configuration", "Configuration", configuration::blocks(document)),
        ("results", "Results", results::blocks(document)),
        ("nodes", "Nodes", nodes::blocks(document)),
        ("harvest", "Harvest", harvest::blocks(document)),
        ("posts", "Posts", posts::blocks(document)),
        ("searches", "Searches", searches::blocks(document)),
        ("page-types", "Page types", page_types::blocks(document)),
        ("rendering", "Rendering", rendering::blocks(document)),
        ("fates", "Fates of links", fates::blocks(document)),
        ("signals", "What sites asked for, and what was done", signals::blocks(document)),
        ("politeness", "Politeness", politeness::blocks(document)),
        ("errors", "Errors and remedies", errors::blocks(document)),
        ("responses", "Responses", responses::blocks(document)),
        ("seen", "URLs seen and traps", seen::blocks(document)),
        ("recrawls", "Recrawls", recrawl::blocks(document)),
        ("commands", "Commands given while it ran", commands::blocks(document)),
        ("archive", "Archive", archive::blocks(document)),
        ("next", "Next steps", next(document)),
    ];
    let sections = all.into_iter().filter(|(_, _, blocks)| !blocks.is_empty());
    sections.map(|(id, title, blocks)| Section { id, title, blocks }).collect()
}

fn next(document: &Document) -> Vec<Block> {
    let next = &document.next;
    if next.is_empty() { Vec::new() } else { vec![Block::Commands(next.clone())] }
}

/// Returns the last line of the report.
pub fn colophon(document: &Document) -> String {
    format!("Made by harvestman {} on {} from {}.", document.made_by, moment(&document.made), document.directory)
}
