//! A forecast in words, for people and for the documentation.

use std::fmt::Write as _;

use super::{Costs, Fleet, Forecast, least};

/// A row: what, and how much.
type Row = (&'static str, String);

fn costs(costs: &Costs) -> Vec<Row> {
    let bytes = |value: f64| format!("{value:.1} B");
    vec![
        ("pages measured, on hosts", format!("{} on {}", costs.pages, costs.hosts)),
        ("URLs a page links to; new ones", format!("{:.1}; {:.2}", costs.links, costs.new)),
        ("links a page hands over at most", format!("{:.2}", costs.handed)),
        ("a batch; each link in it", format!("{}; {}", bytes(costs.batch_bytes), bytes(costs.link_bytes))),
        ("a log entry; each page in it", format!("{}; {}", bytes(costs.entry_bytes), bytes(costs.page_bytes))),
        (
            "a URL in a checkpoint: waiting; ended",
            format!("{}; {}", bytes(costs.waiting_bytes), bytes(costs.ended_bytes)),
        ),
        ("URLs read from a checkpoint", format!("{}/s", scaled(costs.rebuilt))),
        ("memory of a URL seen", bytes(costs.seen_memory)),
        ("a heartbeat; each partition in it", format!("{}; {}", bytes(costs.beat_bytes.0), bytes(costs.beat_bytes.1))),
    ]
}

fn outcome(fleet: &Fleet, told: &Forecast) -> Vec<Row> {
    vec![
        ("nodes; known URLs", format!("{}; {}", scaled(fleet.nodes), scaled(fleet.urls))),
        ("pages a second, of all", scaled(told.pages)),
        ("pages until so many URLs are known", scaled(told.fetched)),
        ("days until then", format!("{:.1}", told.seconds / 86_400.0)),
        ("messages kept a page", format!("{:.3}", told.messages_a_page)),
        ("links a message; bytes a link", format!("{:.1}; {:.1}", told.links_a_message, told.bytes_a_link)),
        ("the exchange", format!("{}B/s", scaled(told.exchange_bytes))),
        ("on the servers' disks, all copies", format!("{}B", scaled(told.stored))),
        ("on a node's disk for URLs seen", format!("{}B", scaled(told.node_disk))),
        ("from a node's death until all goes on", format!("{:.0} s", told.take_over)),
    ]
}

/// As text for a terminal.
pub fn text(measured: &Costs, fleet: &Fleet, told: &Forecast) -> String {
    let mut text = String::new();
    let mut table = |title: &str, rows: &[Row]| {
        let width = rows.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0);
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{title}");
        for (what, value) in rows {
            let _ = writeln!(text, "  {what:<width$}  {value}");
        }
        text.push('\n');
    };
    table("Measured", &costs(measured));
    table("That makes", &outcome(fleet, told));
    let _ = writeln!(text, "Of what there is, the scarcest first");
    for demand in &told.demands {
        let (asked, there_is) = (scaled(demand.asked), scaled(demand.there_is));
        let share = 100.0 * demand.share();
        let _ = writeln!(text, "  {share:>8.1} %  {}: {asked} of {there_is} {}", demand.what, demand.unit);
        if demand.share() > 0.5 {
            let _ = writeln!(text, "              then: {}", demand.then);
        }
    }
    let _ = writeln!(text, "\n{}", limit(measured, fleet));
    text
}

/// As Markdown.
pub fn markdown(measured: &Costs, fleet: &Fleet, told: &Forecast) -> String {
    let mut text = String::new();
    for (title, rows) in [("measured", costs(measured)), ("that makes", outcome(fleet, told))] {
        let _ = writeln!(text, "| {title} | |\n|---|---|");
        for (what, value) in rows {
            let _ = writeln!(text, "| {what} | {value} |");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "| of what there is | asked for | share | then |\n|---|---|---|---|");
    for demand in &told.demands {
        let (asked, there_is, share) = (scaled(demand.asked), scaled(demand.there_is), 100.0 * demand.share());
        let _ = writeln!(
            text,
            "| {} | {asked} of {there_is} {} | {share:.1} % | {} |",
            demand.what, demand.unit, demand.then
        );
    }
    let _ = writeln!(text, "\n{}", limit(measured, fleet));
    text
}

fn limit(measured: &Costs, fleet: &Fleet) -> String {
    match least(measured, fleet) {
        Some((nodes, what)) => {
            format!("With so many URLs a node and these settings, {what} gives way first, at {} nodes.", scaled(nodes))
        }
        None => "With so many URLs a node and these settings nothing gives way up to a million nodes.".to_owned(),
    }
}

/// A number with three digits or so and its prefix.
fn scaled(value: f64) -> String {
    const PREFIXES: [(f64, &str); 5] = [(1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e4, " k")];
    let prefix = PREFIXES.into_iter().find(|(from, _)| value >= *from);
    let (by, prefix) = prefix.map_or((1.0, " "), |(from, prefix)| (if from == 1e4 { 1e3 } else { from }, prefix));
    let value = value / by;
    let digits = if value >= 100.0 || value == value.trunc() { 0 } else { 1 };
    format!("{value:.digits$}{prefix}").trim_end().to_owned()
}
