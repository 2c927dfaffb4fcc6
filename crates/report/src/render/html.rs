//! Renders a document as one self-contained HTML page: no script, no font, nothing that is fetched.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::block::{Block, Cell, Figure, Section, Table, visible};
use crate::document::{Document, NextStep};
use crate::plot::{Chart, Series};
use crate::sections::{colophon, sections, state};

const STYLE: &str = include_str!("style.css");
/// Forbids fetching and executing anything, even if a text of the crawl became markup.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Characters of a URL that are shown.
const URL_SHOWN: usize = 110;

/// Renders the report.
pub fn html(document: &Document) -> String {
    let (sections, title) = (sections(document), visible(&super::title(document)));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="referrer" content="no-referrer";
                meta name="generator" content=(format!("harvestman {}", document.made_by));
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p.lead { (visible(&state(document))) }
                    (key_figures(&sections))
                    @if !document.notes.is_empty() { (remarks(&document.notes)) }
                    nav aria-label="Sections" {
                        ol { @for section in &sections { li { a href={ "#" (section.id) } { (section.title) } } } }
                    }
                }
                main { @for section in &sections { (written(section)) } }
                footer { p { (visible(&colophon(document))) } }
            }
        }
    };
    page.into_string()
}

/// Renders the main figures of the results, large.
fn key_figures(sections: &[Section]) -> Markup {
    const KEYS: [(&str, &str); 7] = [
        ("pages", "pages"),
        ("requests", "requests"),
        ("bytes", "received"),
        ("hosts", "hosts"),
        ("wall_seconds", "time"),
        ("elapsed_seconds", "time"),
        ("pages_per_second", "pages per second"),
    ];
    let results = sections.iter().filter(|section| section.id == "results").flat_map(|section| &section.blocks);
    let facts = results.filter_map(|block| if let Block::Facts(facts) = block { Some(facts) } else { None }).flatten();
    let figures: Vec<&Figure> =
        facts.filter_map(|(_, cell)| if let Cell::Figure(figure) = cell { Some(figure) } else { None }).collect();
    let of = |name: &str| {
        let is = |figure: &&&Figure| {
            figure.key.as_deref().and_then(|key| key.split_once('.')).is_some_and(|(_, key)| key == name)
        };
        figures.iter().find(is).copied()
    };
    let shown: Vec<_> = KEYS.iter().filter_map(|(key, name)| Some((name, of(key)?))).collect();
    html! {
        @if !shown.is_empty() {
            dl.key { @for (name, figure) in shown { div { dt { (name) } dd { (figure.shown) } } } }
        }
    }
}

fn written(section: &Section) -> Markup {
    let heading = format!("{}-heading", section.id);
    html! {
        section id=(section.id) aria-labelledby=(heading) {
            h2 id=(heading) { (section.title) }
            @for (at, block) in section.blocks.iter().enumerate() { (part(block, &format!("{}-{at}", section.id))) }
        }
    }
}

fn part(block: &Block, id: &str) -> Markup {
    match block {
        Block::Text(text) => html! { p { (visible(text)) } },
        Block::Remarks(lines) => remarks(lines),
        Block::Facts(facts) => html! {
            dl.facts { @for (name, fact) in facts { dt { (visible(name)) } dd.n[fact.is_number()] { (cell(fact)) } } }
        },
        Block::Table(content) => table(content),
        Block::Plot(chart, said) => plot(chart, said, id),
        Block::Commands(all) => commands(all),
    }
}

fn remarks(lines: &[String]) -> Markup {
    html! { ul.remarks { @for line in lines { li { (visible(line)) } } } }
}

fn commands(all: &[NextStep]) -> Markup {
    html! {
        dl.commands {
            @for NextStep { what, command } in all {
                dt { (visible(what)) }
                dd { pre tabindex="0" role="region" aria-label={ "Command: " (visible(what)) } { code { (visible(command)) } } }
            }
        }
    }
}

fn table(table: &Table) -> Markup {
    let class = |column: usize| match table.widest(column) {
        _ if table.is_numeric(column) => Some("n"),
        0..=24 => Some("w"),
        25..=60 => Some("t"),
        _ => Some("u"),
    };
    let classes: Vec<Option<&str>> = (0..table.header.len()).map(class).collect();
    let class = |column: usize| classes.get(column).copied().flatten();
    html! {
        div.box tabindex="0" role="region" aria-label={ "Table: " (visible(&table.caption)) } {
            table {
                caption { span { (visible(&table.caption)) } }
                thead { tr { @for (at, name) in table.header.iter().enumerate() { th scope="col" class=[class(at)] { (name) } } } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (at, content) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" class=[class(at)] { (cell(content)) } }
                                @else { td class=[class(at)] { (cell(content)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(content: &Cell) -> Markup {
    match content {
        Cell::Empty => html! {},
        Cell::Text(text) => html! { bdi { (visible(text)) } },
        Cell::Code(text) => html! { code { bdi { (visible(text)) } } },
        Cell::Url(url) => address(url),
        Cell::Figure(Figure { shown, value, key }) => {
            html! { data value=(value) data-key=[plain(key.as_deref())] { (shown) } }
        }
        Cell::Share(share) => html! {
            span.share { i { b style={ "width:" (format!("{:.2}", share.clamp(0.0, 1.0) * 100.0)) "%" } {} } (format!("{:.1} %", share * 100.0)) }
        },
        Cell::Lines(cells) => html! { span.lines { @for content in cells { span { (cell(content)) } } } },
    }
}

/// Returns the path of a figure if it has only characters that the crawl itself writes.
fn plain(key: Option<&str>) -> Option<&str> {
    key.filter(|key| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)))
}

/// Returns whether a URL may be a link: http or https, nothing that a browser would run.
pub(super) fn is_link(url: &str) -> bool {
    let scheme = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    scheme("http://") || scheme("https://")
}

fn address(url: &str) -> Markup {
    let shown = visible(&crate::document::bounded::cut(url, URL_SHOWN));
    // A URL that was cut leads nowhere, and one with hidden characters is not a URL of a crawl.
    if is_link(url) && !url.contains('…') && visible(url) == url {
        html! { a href=(url) rel="noreferrer noopener nofollow" { bdi { (shown) } } }
    } else {
        html! { bdi { (shown) } }
    }
}

fn plot(chart: &Chart, said: &str, id: &str) -> Markup {
    let (Chart::Lines { title, .. } | Chart::Bars { title, .. } | Chart::Lengths { title, .. }) = chart;
    let series: &[Series] = if let Chart::Lines { series, .. } = chart { series } else { &[] };
    let swatch =
        |at: usize, line: &Series| if line.dashed { "swatch dashed".to_owned() } else { format!("swatch s{}", at + 1) };
    let bars = matches!(chart, Chart::Lengths { .. });
    html! {
        figure.bars[bars] {
            figcaption {
                b { (visible(title)) }
                @for (at, line) in series.iter().enumerate() { span class=(swatch(at, line)) { (visible(&line.name)) } }
            }
            (drawn(chart, said, id))
        }
    }
}

/// Draws the plot twice, for wide and for narrow pages: a plot that is scaled down is illegible.
#[cfg(feature = "plots")]
fn drawn(chart: &Chart, said: &str, id: &str) -> Markup {
    let (wide, narrow) = if matches!(chart, Chart::Lengths { .. }) { (700, 350) } else { (880, 350) };
    let look = |size| crate::plot::Look { size, alone: false };
    html! { (sized(chart, said, "wide", id, look((wide, 320)))) (sized(chart, said, "narrow", id, look((narrow, 270)))) }
}

#[cfg(feature = "plots")]
fn sized(chart: &Chart, said: &str, class: &str, id: &str, look: crate::plot::Look) -> Markup {
    let (Chart::Lines { title, .. } | Chart::Bars { title, .. } | Chart::Lengths { title, .. }) = chart;
    match crate::plot::svg(chart, look) {
        Ok(svg) => {
            let id = format!("{id}-{class}");
            let start = format!(
                "<svg class=\"{class}\" role=\"img\" aria-labelledby=\"{id}-title\" aria-describedby=\"{id}-said\" "
            );
            let svg = svg.trim_end().replacen("<svg ", &start, 1);
            let description =
                html! { title id={ (id) "-title" } { (visible(title)) } desc id={ (id) "-said" } { (visible(said)) } };
            PreEscaped(svg.replacen('>', &format!(">{}", description.into_string()), 1))
        }
        Err(error) => html! { p { "This plot could not be drawn: " (error) } },
    }
}

/// Without plots there is only the description; the tables have the figures too.
#[cfg(not(feature = "plots"))]
fn drawn(_: &Chart, said: &str, _: &str) -> Markup {
    html! { p { (visible(said)) " (Harvestman was built without the feature " code { "plots" } ".)" } }
}
