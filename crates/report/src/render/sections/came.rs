//! What came of it, in figures.

use std::time::Duration;

use serde_json::Value;

use super::Material;
use crate::StopReason;
use crate::document::{Document, Standing};
use crate::figures;
use crate::render::block::{Block, Cell, moment};

/// Where the crawl stands, in a sentence.
pub fn standing(document: &Document) -> String {
    let time = |name: &str| {
        let seconds = document.source()?.1.get(name)?.as_f64()?;
        Some(figures::time(Duration::try_from_secs_f64(seconds).ok()?))
    };
    match &document.standing {
        Standing::Running { paused } => {
            let since = time("elapsed_seconds").map(|time| format!(" for {time}")).unwrap_or_default();
            let rests = if *paused { ", and was told to rest" } else { "" };
            format!("It has been running{since}{rests}: what is here is what there was at the time of this report.")
        }
        Standing::Ended { reason } => {
            let why = StopReason::of_label(reason).map_or(reason.as_str(), |reason| reason.describe());
            let after = time("wall_seconds").map(|time| format!(" after {time}")).unwrap_or_default();
            format!("It ended{after}: {why}.")
        }
        Standing::BrokenOff if document.log.lines == 0 && document.report.is_none() => {
            "It has no report, and nothing in its page log yet.".to_owned()
        }
        Standing::BrokenOff if !document.nodes.is_empty() => {
            "It was broken off: what ran last has written no report. What that did is told from its page log."
                .to_owned()
        }
        Standing::BrokenOff => {
            "It was broken off: its last run has written no report. What is here is from its page log.".to_owned()
        }
    }
}

pub(super) fn blocks(material: &Material<'_>) -> Vec<Block> {
    let mut facts = if material.document.source().is_some() { own(material) } else { Vec::new() };
    facts.extend(of_log(material));
    vec![Block::Facts(facts)]
}

/// The crawl's own figures.
fn own(material: &Material<'_>) -> Vec<(String, Cell)> {
    let time = |seconds: f64| figures::time(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    let rate = |rate: f64| figures::rate(rate);
    let rows: [(&str, Option<Cell>); 12] = [
        ("Pages fetched", material.own("pages", rate)),
        ("Requests, robots.txt, sitemaps and further tries among them", material.own("requests", rate)),
        ("Bytes of bodies received", bytes(material, "bytes")),
        ("Hosts met", material.own("hosts", rate)),
        ("Links discovered", material.own("discovered", rate)),
        ("Waiting", material.own("queued", rate)),
        ("Time", material.own("wall_seconds", time).or_else(|| material.own("elapsed_seconds", time))),
        ("Pages a second", material.own("pages_per_second", rate)),
        ("Processor time", material.own("cpu_seconds", time)),
        ("Pages a second of processor time", material.own("pages_per_cpu_second", rate)),
        ("Most memory at a time", bytes(material, "peak_memory_bytes")),
        (
            "Share of requests ahead expected to bring something",
            material.own("outlook.expected_yield", |share| format!("{:.1} %", share * 100.0)),
        ),
    ];
    let mut facts: Vec<_> = rows.into_iter().filter_map(|(name, cell)| Some((name.to_owned(), cell?))).collect();
    for (name, key) in [("Started", "started"), ("Ended", "ended")] {
        if let Some(at) = material.said(key).and_then(Value::as_str) {
            facts.push((name.to_owned(), Cell::Text(moment(at))));
        }
    }
    facts
}

fn bytes(material: &Material<'_>, name: &str) -> Option<Cell> {
    let value = material.said(name)?.as_u64()?;
    Some(Cell::bytes(value).at(format!("{}.{name}", material.document.source()?.0)))
}

/// What the page log says besides; it counts requests for pages alone, and all rounds.
fn of_log(material: &Material<'_>) -> Vec<(String, Cell)> {
    let (log, alone) = (&material.document.log, material.document.source().is_none());
    let mut facts = Vec::new();
    let mut add = |name: &str, cell: Cell| facts.push((name.to_owned(), cell));
    if !material.document.has.log {
        return facts;
    }
    let whole = if material.document.earlier.is_empty() { "" } else { ", all rounds" };
    add(&format!("Lines of the page log{whole}"), Cell::count(log.lines).at("log.lines"));
    if alone || material.document.is_report_stale() || !material.document.earlier.is_empty() {
        add(&format!("Pages fetched, by the page log{whole}"), Cell::count(log.pages).at("log.pages"));
        add(&format!("Requests for pages, by the page log{whole}"), Cell::count(log.requests).at("log.requests"));
        add(&format!("Bytes of bodies, by the page log{whole}"), Cell::bytes(log.bytes).at("log.bytes"));
    }
    if let (Some(first), Some(last)) = (&log.first, &log.last) {
        add("First request for a page", Cell::moment(first));
        add("Last request for a page", Cell::moment(last));
    }
    if let (Some(median), Some(most)) = (log.first_byte_median_ms, log.first_byte_95_ms) {
        // The log has whole milliseconds, cut off.
        let shown = |millis: f64| format!("{:.0} ms", millis.floor() + 1.0);
        add("First byte after a request, half of them", Cell::text(format!("within {}", shown(median.0))));
        add("First byte after a request, 19 of 20", Cell::text(format!("within {}", shown(most.0))));
    }
    facts
}
