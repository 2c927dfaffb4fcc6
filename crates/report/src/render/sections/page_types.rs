//! Page types: by cluster if the policy clustered the pages, and by place.

use crate::document::Document;
use crate::document::bounded::cut;
use crate::document::groups::{Example, GroupFigures, PageGroup};
use crate::document::site::{PageType, Site};
use crate::figures;
use crate::plot::{Chart, Length};
use crate::render::block::{Block, Cell, Table};

/// Example pages of a cluster.
const EXAMPLES: usize = 2;
/// Bars of the plot.
const BARS: usize = 12;
/// Characters of the name of a bar.
const BAR_NAME_MAX: usize = 44;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let (site, groups) = (&document.site, &document.log.groups);
    let mut blocks = Vec::new();
    if let Some(source) = site.source {
        blocks.extend(by_cluster(site, source));
    }
    if !groups.places.is_empty() {
        blocks.push(Block::Text(
            "By place: the host and the first segment of the path; digits are written as N.".to_owned(),
        ));
        if site.source.is_none() {
            let bars: Vec<(String, u64)> =
                groups.places.iter().map(|(name, group)| (name.clone(), group.pages)).collect();
            blocks.extend(bar_plot("Pages by place", &bars));
        }
        blocks.push(Block::Table(places(groups)));
    }
    blocks
}

fn by_cluster(site: &Site, source: &str) -> Vec<Block> {
    let mut blocks = vec![Block::Text(method(site, source))];
    let pages = |page_type: &PageType| match site.learned_from {
        Some(_) => page_type.learned.unwrap_or(0),
        None => page_type.pages,
    };
    let bars: Vec<(String, u64)> =
        site.types.iter().map(|page_type| (page_type.name.clone(), pages(page_type))).collect();
    blocks.extend(bar_plot("Pages by cluster", &bars));
    blocks.push(Block::Table(clusters(site)));
    if site.more.0 > 0 {
        let (clusters, pages) = (figures::count(site.more.0), figures::count(site.more.1));
        blocks.push(Block::Text(format!("{clusters} more clusters have {pages} pages.")));
    }
    blocks
}

fn method(site: &Site, source: &str) -> String {
    let learned =
        site.learned_from.map(|pages| format!(", learned from {} pages", figures::count(pages))).unwrap_or_default();
    format!(
        "A cluster is the set of pages made with one template (by {source}{learned}). The page log has each page under the cluster that was \
         assigned when it was fetched. Worth is the mean worth of a page to the policy, from 0 to 1; score is the mean score of the links to \
         such pages when they were scheduled."
    )
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
fn bar_plot(title: &str, bars: &[(String, u64)]) -> Option<Block> {
    let shown = bars.iter().filter(|(_, pages)| *pages > 0).take(BARS);
    let length = |(name, pages): &(String, u64)| Length {
        name: cut(name, BAR_NAME_MAX),
        shown: figures::count(*pages),
        value: *pages as f64,
    };
    let lengths: Vec<Length> = shown.map(length).collect();
    let first = lengths.first()?;
    let said = format!("The largest of {} bars is {} with {} pages.", lengths.len(), first.name, first.shown);
    Some(Block::Plot(Chart::Lengths { title: title.to_owned(), lengths }, said))
}

/// A column of the table of clusters.
struct Column {
    name: &'static str,
    cell: fn(&PageType) -> Cell,
    /// Whether it is shown if it has no value.
    always: bool,
}

const COLUMNS: [Column; 9] = [
    Column { name: "cluster", cell: |page_type| Cell::text(page_type.name.clone()), always: true },
    Column { name: "pages learned from", cell: |page_type| Cell::maybe(page_type.learned, Cell::count), always: false },
    Column { name: "pages in the log", cell: |page_type| Cell::count(page_type.pages), always: true },
    Column { name: "worth", cell: |page_type| Cell::maybe(page_type.worth, Cell::score), always: false },
    Column { name: "score", cell: |page_type| Cell::maybe(page_type.score, Cell::score), always: false },
    Column {
        name: "links to it are",
        cell: |page_type| Cell::maybe(page_type.standing.clone(), Cell::Text),
        always: false,
    },
    Column { name: "links on it led to", cell: leads_to, always: false },
    Column { name: "new links on it", cell: new_links, always: false },
    Column { name: "examples", cell: examples, always: true },
];

fn clusters(site: &Site) -> Table {
    let is_empty = |cell: Cell| matches!(&cell, Cell::Empty) || matches!(&cell, Cell::Lines(lines) if lines.is_empty());
    let is_shown = |column: &&Column| column.always || !site.types.iter().map(column.cell).all(is_empty);
    let columns: Vec<&Column> = COLUMNS.iter().filter(is_shown).collect();
    let row = |page_type: &PageType| columns.iter().map(|column| (column.cell)(page_type)).collect();
    Table {
        caption: "Clusters".to_owned(),
        header: columns.iter().map(|column| column.name).collect(),
        rows: site.types.iter().map(row).collect(),
    }
}

fn leads_to(page_type: &PageType) -> Cell {
    let text = |(name, fetches): &(String, Option<u64>)| match fetches {
        Some(fetches) => Cell::text(format!("{name} ({})", figures::count(*fetches))),
        None => Cell::text(name.clone()),
    };
    Cell::Lines(page_type.leads_to.iter().map(text).collect())
}

fn new_links(page_type: &PageType) -> Cell {
    let text = |(pattern, share): &(String, f64)| Cell::Code(format!("{:.0} % {pattern}", share * 100.0));
    Cell::Lines(page_type.links.iter().map(text).collect())
}

fn examples(page_type: &PageType) -> Cell {
    let like = page_type.like.iter().map(|like| Cell::Code(like.clone()));
    Cell::Lines(like.chain(page_type.examples.iter().take(EXAMPLES).flat_map(example)).collect())
}

/// The title of a page, if it has one, and its URL.
fn example(page: &Example) -> impl Iterator<Item = Cell> {
    page.title.clone().map(Cell::Text).into_iter().chain([Cell::Url(page.url.clone())])
}

fn places(groups: &GroupFigures) -> Table {
    let others = groups.other_places.iter().map(|group| place("all others", group));
    let rows = groups.places.iter().map(|(name, group)| place(name, group)).chain(others).collect();
    Table { caption: "Pages by place".to_owned(), header: vec!["place", "pages", "received", "example"], rows }
}

fn place(name: &str, group: &PageGroup) -> Vec<Cell> {
    let example = Cell::Lines(group.examples.first().into_iter().flat_map(example).collect());
    vec![Cell::Code(name.to_owned()), Cell::count(group.pages), Cell::bytes(group.bytes), example]
}
