//! Formats a forecast for people and for the documentation.

use std::fmt::Write as _;

use super::{Costs, Fleet, Forecast, least};

/// A row: name and value.
type Row = (&'static str, String);

fn costs(costs: &Costs) -> Vec<Row> {
    let bytes = |value: f64| format!("{value:.1} B");
    vec![
        ("pages measured, on hosts", format!("{} on {}", costs.pages, costs.hosts)),
        ("URLs linked per page; new ones", format!("{:.1}; {:.2}", costs.links, costs.new)),
        ("links handed over per page, at most", format!("{:.2}", costs.handed)),
        ("bytes of a batch; per link in it", format!("{}; {}", bytes(costs.batch_bytes), bytes(costs.link_bytes))),
        ("bytes of a log entry; per page in it", format!("{}; {}", bytes(costs.entry_bytes), bytes(costs.page_bytes))),
        (
            "bytes of a URL in a checkpoint: queued; completed",
            format!("{}; {}", bytes(costs.waiting_bytes), bytes(costs.ended_bytes)),
        ),
        ("URLs restored from a checkpoint", format!("{}/s", scaled(costs.rebuilt))),
        ("memory per seen URL", bytes(costs.seen_memory)),
        (
            "bytes of a heartbeat; per partition in it",
            format!("{}; {}", bytes(costs.beat_bytes.0), bytes(costs.beat_bytes.1)),
        ),
    ]
}

fn outcome(fleet: &Fleet, forecast: &Forecast) -> Vec<Row> {
    vec![
        ("nodes; known URLs", format!("{}; {}", scaled(fleet.nodes), scaled(fleet.urls))),
        ("pages per second, all nodes", scaled(forecast.pages)),
        ("pages until these URLs are known", scaled(forecast.fetched)),
        ("days until then", format!("{:.1}", forecast.seconds / 86_400.0)),
        ("messages stored per page", format!("{:.3}", forecast.messages_a_page)),
        ("links per message; bytes per link", format!("{:.1}; {:.1}", forecast.links_a_message, forecast.bytes_a_link)),
        ("exchange traffic", format!("{}B/s", scaled(forecast.exchange_bytes))),
        ("disk of the servers, all replicas", format!("{}B", scaled(forecast.stored))),
        ("disk of a node for seen URLs", format!("{}B", scaled(forecast.node_disk))),
        ("take-over after the death of a node", format!("{:.0} s", forecast.take_over)),
    ]
}

/// Formats a forecast as text for a terminal.
pub fn text(measured: &Costs, fleet: &Fleet, forecast: &Forecast) -> String {
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
    table("Forecast", &outcome(fleet, forecast));
    let _ = writeln!(text, "Use of resources, scarcest first");
    for demand in &forecast.demands {
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

/// Formats a forecast as Markdown.
pub fn markdown(measured: &Costs, fleet: &Fleet, forecast: &Forecast) -> String {
    let mut text = String::new();
    for (title, rows) in [("measured", costs(measured)), ("forecast", outcome(fleet, forecast))] {
        let _ = writeln!(text, "| {title} | |\n|---|---|");
        for (what, value) in rows {
            let _ = writeln!(text, "| {what} | {value} |");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "| resource | use | share | remedy |\n|---|---|---|---|");
    for demand in &forecast.demands {
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
            format!(
                "With this number of URLs per node and these settings, {what} is exhausted first, at {} nodes.",
                scaled(nodes)
            )
        }
        None => "With this number of URLs per node and these settings, no resource is exhausted up to a million nodes."
            .to_owned(),
    }
}

/// Formats a number with about three digits and an SI prefix.
fn scaled(value: f64) -> String {
    const PREFIXES: [(f64, &str); 5] = [(1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e4, " k")];
    let prefix = PREFIXES.into_iter().find(|(from, _)| value >= *from);
    let (by, prefix) = prefix.map_or((1.0, " "), |(from, prefix)| (if from == 1e4 { 1e3 } else { from }, prefix));
    let value = value / by;
    let digits = if value >= 100.0 || value == value.trunc() { 0 } else { 1 };
    format!("{value:.digits$}{prefix}").trim_end().to_owned()
}
