//! What searches have found.

use crate::document::Document;
use crate::figures;
use crate::render::block::{Block, Cell, Table};
use harvestman_core::model::{FoundSite, SearchRecord};

/// The number of sites that are shown.
const SITES_MAX: usize = 30;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let own = document.own();
    let Some((searches, source)) = own.as_ref().and_then(|own| Some((own.searches?, own.source))) else {
        return Vec::new();
    };
    let SearchRecord { queries, found, own_wanted, sites } = searches;
    let count = |name: &str, count| Cell::count(count).at(format!("{source}.searches.{name}"));
    let mut facts = vec![("Queries", count("queries", *queries)), ("Sites with wanted pages", count("found", *found))];
    if *own_wanted > 0 {
        facts.push(("Wanted pages by searches of the seeds' own sites", count("own_wanted", *own_wanted)));
    }
    let facts = facts.into_iter().map(|(name, cell)| (name.to_owned(), cell));
    let mut blocks = vec![Block::Facts(facts.collect())];
    if !sites.is_empty() {
        blocks.push(Block::Text(
            "A site whose results had a wanted page belongs to the crawl. A site is left when its yield is far below that of the best \
             one: links to it are refused from then on."
                .to_owned(),
        ));
        blocks.push(Block::Table(table(sites)));
    }
    if let more @ 1.. = found.saturating_sub(sites.len().min(SITES_MAX) as u64) {
        blocks.push(Block::Text(format!("{} more sites were found.", figures::count(more))));
    }
    blocks
}

fn table(sites: &[FoundSite]) -> Table {
    let row = |site: &FoundSite| {
        vec![
            Cell::Code(site.site.clone()),
            Cell::count(site.wanted),
            Cell::count(site.requests),
            Cell::text(if site.left { "left for its low yield" } else { "" }),
        ]
    };
    let header = vec!["site", "wanted pages", "requests", "left"];
    Table {
        caption: "Sites that searches found".to_owned(),
        header,
        rows: sites.iter().take(SITES_MAX).map(row).collect(),
    }
}
