//! The results in figures.

use std::time::Duration;

use crate::document::{CrawlState, Document, OwnFigures};
use crate::figures;
use crate::render::block::{Block, Cell, moment};

/// Describes the state of the crawl in a sentence.
pub fn state(document: &Document) -> String {
    let time = document.own().and_then(|own| own.duration).map(|(_, seconds)| shown_time(seconds));
    match &document.state {
        CrawlState::Running { paused } => {
            let since = time.map(|time| format!(" for {time}")).unwrap_or_default();
            let paused = if *paused { ", and is paused" } else { "" };
            format!("The crawl has been running{since}{paused}: the figures are those at the time of this report.")
        }
        CrawlState::Ended { reason } => {
            let after = time.map(|time| format!(" after {time}")).unwrap_or_default();
            format!("The crawl ended{after}: {}.", reason.describe())
        }
        CrawlState::BrokenOff if document.log.lines == 0 && document.report.is_none() => {
            "The crawl has no report, and its page log is empty.".to_owned()
        }
        CrawlState::BrokenOff if !document.nodes.is_empty() => {
            "The crawl was broken off: its last session has written no report, and is counted by its page log."
                .to_owned()
        }
        CrawlState::BrokenOff => {
            "The crawl was broken off: its last run has written no report. The figures come from its page log."
                .to_owned()
        }
    }
}

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut facts = document.own().map(|own| own_facts(&own)).unwrap_or_default();
    facts.extend(logged_facts(document));
    vec![Block::Facts(facts)]
}

fn shown_time(seconds: f64) -> String {
    figures::time(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// The crawl's own figures.
fn own_facts(own: &OwnFigures<'_>) -> Vec<(String, Cell)> {
    let at = |name: &str, cell: Cell| Some(cell.at(format!("{}.{name}", own.source)));
    let count = |name: &str, count: Option<u64>| at(name, Cell::count(count?));
    let bytes = |name: &str, bytes: Option<u64>| at(name, Cell::bytes(bytes?));
    let time = |name: &str, seconds: Option<f64>| at(name, Cell::number(seconds?, shown_time));
    let rate = |name: &str, rate: Option<f64>| at(name, Cell::number(rate?, figures::rate));
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let text = |at: Option<&str>| Some(Cell::Text(moment(at?)));
    let rows = [
        ("Pages fetched", count("pages", Some(own.pages))),
        ("Wanted pages, without repetitions", count("wanted", own.wanted)),
        ("Requests (including robots.txt, sitemaps and retries)", count("requests", Some(own.requests))),
        ("Received (bytes of bodies)", bytes("bytes", Some(own.bytes))),
        ("Hosts", count("hosts", own.hosts)),
        ("Links discovered", count("discovered", Some(own.discovered))),
        ("URLs waiting", count("queued", own.queued)),
        ("Time", own.duration.and_then(|(name, seconds)| time(name, Some(seconds)))),
        ("Pages per second", rate("pages_per_second", own.pages_per_second)),
        ("CPU time", time("cpu_seconds", own.cpu_seconds)),
        ("Pages per CPU second", rate("pages_per_cpu_second", own.pages_per_cpu_second)),
        ("Peak memory", bytes("peak_memory_bytes", own.peak_memory_bytes)),
        (
            "Expected yield of the next requests",
            own.outlook.and_then(|outlook| at("outlook.expected_yield", Cell::number(outlook.expected_yield, percent))),
        ),
        ("Started", text(own.started)),
        ("Ended", text(own.ended)),
    ];
    rows.into_iter().filter_map(|(name, cell)| Some((name.to_owned(), cell?))).collect()
}

/// The figures of the page log, which has requests for pages only, and all rounds.
fn logged_facts(document: &Document) -> Vec<(String, Cell)> {
    let log = &document.log;
    if !document.has.log {
        return Vec::new();
    }
    let rounds = if document.earlier.is_empty() { "" } else { ", all rounds" };
    let mut facts = vec![(format!("Lines of the page log{rounds}"), Cell::count(log.lines).at("log.lines"))];
    if document.own().is_none() || document.is_report_stale() || !document.earlier.is_empty() {
        facts.extend([
            (format!("Pages fetched, by the page log{rounds}"), Cell::count(log.pages).at("log.pages")),
            (format!("Requests for pages, by the page log{rounds}"), Cell::count(log.requests).at("log.requests")),
            (format!("Received, by the page log{rounds}"), Cell::bytes(log.bytes).at("log.bytes")),
        ]);
    }
    let mut add = |name: &str, cell: Cell| facts.push((name.to_owned(), cell));
    if let (Some(first), Some(last)) = (&log.first, &log.last) {
        add("First request for a page", Cell::moment(first));
        add("Last request for a page", Cell::moment(last));
    }
    if let (Some(median), Some(p95)) = (log.first_byte_median_ms, log.first_byte_95_ms) {
        // The log has whole milliseconds, rounded down.
        let bound = |millis: f64| Cell::text(format!("at most {:.0} ms", millis.floor() + 1.0));
        add("Median time to first byte", bound(median.0));
        add("p95 time to first byte", bound(p95.0));
    }
    facts
}
