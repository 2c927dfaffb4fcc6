//! Kinds of pages: by cluster where the policy told pages apart, and by place.

use super::Material;
use crate::document::groups::{Example, Group};
use crate::document::site::{Kind, Site};
use crate::figures;
use crate::plot::{Chart, Length};
use crate::render::block::{Block, Cell, Table};

/// Bars of the plot.
const BARS: usize = 12;

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let document = material.document;
    let (site, groups) = (&document.site, &document.log.groups);
    let mut blocks = Vec::new();
    if let Some(source) = site.source {
        blocks.push(Block::Text(said(site, source)));
        let pages = |kind: &Kind| if site.learnt_from.is_some() { kind.learnt.unwrap_or(0) } else { kind.pages };
        let bars: Vec<(String, u64)> = site.kinds.iter().map(|kind| (kind.name.clone(), pages(kind))).collect();
        blocks.extend(bar_plot("Pages by cluster", &bars));
        blocks.push(Block::Table(kinds(site)));
        if site.more.0 > 0 {
            let (kinds, pages) = (figures::count(site.more.0), figures::count(site.more.1));
            blocks.push(Block::Text(format!("{kinds} more clusters have {pages} pages.")));
        }
    }
    if !groups.places.is_empty() {
        blocks.push(Block::Text("By place: the host and the first part of the path, numbers as N.".to_owned()));
        if site.source.is_none() {
            let bars: Vec<(String, u64)> =
                groups.places.iter().map(|(name, group)| (name.clone(), group.pages)).collect();
            blocks.extend(bar_plot("Pages by place", &bars));
        }
        let others = groups.other_places.iter().map(|group| place("all others", group));
        let rows = groups.places.iter().map(|(name, group)| place(name, group)).chain(others).collect();
        let caption = "Pages fetched, by place".to_owned();
        blocks.push(Block::Table(Table { caption, header: vec!["place", "pages", "received", "such as"], rows }));
    }
    blocks
}

fn said(site: &Site, source: &str) -> String {
    let learnt =
        site.learnt_from.map(|pages| format!(", learnt from {} pages", figures::count(pages))).unwrap_or_default();
    format!(
        "Pages that are made by one template are a cluster (by {source}{learnt}). The page log has each page under the cluster that it was \
         put into by what was known when it was fetched. Worth is what a page was worth to the policy on average, from 0 to 1; the score is \
         what the links to such pages promised when it was their turn."
    )
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
fn bar_plot(title: &str, bars: &[(String, u64)]) -> Option<Block> {
    let shown = bars.iter().filter(|(_, pages)| *pages > 0).take(BARS);
    let length = |(name, pages): &(String, u64)| Length {
        name: crate::document::bounded::cut(name, 44),
        shown: figures::count(*pages),
        value: *pages as f64,
    };
    let lengths: Vec<Length> = shown.map(length).collect();
    let first = lengths.first()?;
    let said = format!("{} kinds are shown; most pages, {}, are of {}.", lengths.len(), first.shown, first.name);
    Some(Block::Plot(Chart::Lengths { title: title.to_owned(), lengths }, said))
}

fn kinds(site: &Site) -> Table {
    let some = |has: fn(&Kind) -> bool| site.kinds.iter().any(has);
    let (worth, score, standing) =
        (some(|kind| kind.worth.is_some()), some(|kind| kind.score.is_some()), some(|kind| kind.standing.is_some()));
    let (leads, links) = (some(|kind| !kind.leads_to.is_empty()), some(|kind| !kind.links.is_empty()));
    let optional = [
        (worth, "worth"),
        (score, "score"),
        (standing, "links to it"),
        (leads, "its links led to"),
        (links, "its new links"),
    ];
    let learnt = some(|kind| kind.learnt.is_some());
    let mut header = vec!["cluster"];
    header.extend(learnt.then_some("pages learnt from"));
    header.push("in the log");
    header.extend(optional.iter().filter(|(is, _)| *is).map(|(_, name)| *name));
    header.push("such as");
    let row = |kind: &Kind| {
        let mut row = vec![Cell::text(kind.name.clone())];
        row.extend(learnt.then(|| Cell::maybe(kind.learnt, Cell::count)));
        row.push(Cell::count(kind.pages));
        row.extend(worth.then(|| Cell::maybe(kind.worth, Cell::score)));
        row.extend(score.then(|| Cell::maybe(kind.score, Cell::score)));
        row.extend(standing.then(|| Cell::maybe(kind.standing.clone(), Cell::Text)));
        row.extend(leads.then(|| leads_to(kind)));
        row.extend(links.then(|| new_links(kind)));
        row.push(examples(kind.like.as_deref(), &kind.examples));
        row
    };
    Table { caption: "Clusters of pages".to_owned(), header, rows: site.kinds.iter().map(row).collect() }
}

fn leads_to(kind: &Kind) -> Cell {
    let text = |(name, fetches): &(String, Option<u64>)| match fetches {
        Some(fetches) => Cell::text(format!("{name} ({})", figures::count(*fetches))),
        None => Cell::text(name.clone()),
    };
    Cell::Lines(kind.leads_to.iter().map(text).collect())
}

fn new_links(kind: &Kind) -> Cell {
    let text = |(pattern, share): &(String, f64)| Cell::Code(format!("{:.0} % {pattern}", share * 100.0));
    Cell::Lines(kind.links.iter().map(text).collect())
}

fn examples(like: Option<&str>, examples: &[Example]) -> Cell {
    let titles = like.into_iter().map(|like| Cell::Code(like.to_owned()));
    let shown = examples
        .iter()
        .take(2)
        .flat_map(|page| page.title.clone().map(Cell::Text).into_iter().chain([Cell::Url(page.url.clone())]));
    Cell::Lines(titles.chain(shown).collect())
}

fn place(name: &str, group: &Group) -> Vec<Cell> {
    let example = Cell::Lines(match group.examples.first() {
        Some(page) => page.title.clone().map(Cell::Text).into_iter().chain([Cell::Url(page.url.clone())]).collect(),
        None => Vec::new(),
    });
    vec![Cell::Code(name.to_owned()), Cell::count(group.pages), Cell::bytes(group.bytes), example]
}
