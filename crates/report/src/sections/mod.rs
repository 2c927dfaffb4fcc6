//! The sections of a report.

pub mod archive;
pub mod commands;
pub mod configuration;
pub mod fates;
pub mod harvest;
pub mod nodes;
pub mod page_types;
pub mod politeness;
pub mod posts;
mod rendering;
mod responses;
mod results;
mod searches;
mod seen;
mod signals;

use crate::document::Document;
use crate::render::block::{Block, Section, moment};
pub use results::state;

/// Returns all sections that have content, in reading order.
pub fn sections(document: &Document) -> Vec<Section> {
    let (log, own) = (&document.log, document.own());
    let all = [
        ("configuration", "Configuration", configuration::blocks(&document.configuration)),
        ("results", "Results", results::blocks(document)),
        ("nodes", "Nodes", nodes::blocks(&document.nodes)),
        ("harvest", "Harvest", harvest::blocks(&log.curve, &log.breaks)),
        ("posts", "Posts", posts::blocks(document.posts.as_ref())),
        ("searches", "Searches", searches::blocks(document)),
        ("page-types", "Page types", page_types::blocks(&document.site, &log.groups)),
        ("rendering", "Rendering", rendering::blocks(document)),
        (
            "fates",
            "Fates of links",
            fates::blocks(document.account.as_ref(), own.as_ref(), log, document.is_report_stale()),
        ),
        ("signals", "What sites asked for, and what was done", signals::blocks(document)),
        ("politeness", "Politeness", politeness::blocks(&log.hosts, own.as_ref(), document.delay_ms)),
        ("errors", "Errors and remedies", responses::failures(document)),
        ("responses", "Responses", responses::blocks(document)),
        ("seen", "URLs seen and traps", seen::blocks(document)),
        ("recrawls", "Recrawls", seen::visits(document)),
        ("commands", "Commands given while it ran", commands::blocks(&document.control, document.in_force.as_ref())),
        ("archive", "Archive", archive::blocks(&document.warcs)),
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
