//! Requests to each host, and the delays between them.

use std::time::Duration;

use serde::Serialize;

use crate::document::OwnFigures;
use crate::document::bounded::{Bounded, Gaps, Millis};
use crate::document::line::LogLine;
use crate::figures;
use crate::render::block::{Block, Cell, Table, millis_shown};
use harvestman_stages::host::CappedDelay;

/// The number of hosts that are counted separately: the first in the log. About 2 KiB each.
const HOSTS_MAX: usize = 20_000;

/// The counts of a host, from the lines of its URLs.
#[derive(Debug, Clone, Default)]
struct Host {
    requests: u64,
    pages: u64,
    bytes: u64,
    failed: u64,
    again: u64,
    slowed: u64,
    robots: u64,
    gaps: Gaps,
}

/// A host, or several, in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostSummary {
    /// Scheme and authority.
    pub host: String,
    /// Requests for its pages, including retries; requests for robots.txt and sitemaps are not in the log.
    pub requests: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// URLs that failed.
    pub failed: u64,
    /// Retries.
    pub tries_again: u64,
    /// URLs whose last response was 429 or 503.
    pub slowed: u64,
    /// URLs that robots.txt disallows.
    pub robots: u64,
    /// Measured gaps.
    pub gaps: u64,
    /// The smallest time from the start of a request to the start of the next, in milliseconds.
    pub gap_least_ms: Option<Millis>,
    /// The median of these, to 1/16 of the value.
    pub gap_median_ms: Option<Millis>,
    /// The smallest time from the first byte of a response to the start of the next request.
    pub wait_least_ms: Option<Millis>,
    /// The number of such times below the configured delay.
    pub waits_short: u64,
}

/// Counts the hosts of a log.
#[derive(Debug, Clone)]
pub struct Hosts {
    hosts: Bounded<Host>,
    delay: Duration,
}

/// The hosts in a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostFigures {
    /// The number of hosts that are counted separately.
    pub count: u64,
    /// Whether there are more hosts.
    pub more: bool,
    /// The hosts with most requests.
    pub top: Vec<HostSummary>,
    /// All others together; gaps are measured per host.
    pub others: Option<HostSummary>,
    /// Waits of all hosts that are below the configured delay.
    pub waits_short: u64,
    /// Measured waits of all hosts.
    pub waits: u64,
}

impl Hosts {
    /// Creates an empty table. `delay` is the shortest delay ever configured or set.
    pub fn new(delay: Duration) -> Self {
        Self { hosts: Bounded::new(HOSTS_MAX), delay }
    }

    /// Counts a line.
    pub fn add(&mut self, line: &LogLine<'_>) {
        let host = self.hosts.row(line.origin());
        let requests = line.requests();
        host.requests += requests;
        host.bytes += line.bytes;
        host.again += requests.saturating_sub(1);
        host.slowed += u64::from(matches!(line.status, Some(429 | 503)));
        match line.fate.as_ref() {
            "fetched" => host.pages += 1,
            "failed" => host.failed += 1,
            "robots" => host.robots += 1,
            _ => {}
        }
        if let Some(started) = line.started() {
            host.gaps.add(started, line.first_byte_ms.map(Duration::from_millis), self.delay);
        }
    }

    /// Returns the `most` hosts with most requests, and the rest.
    pub fn finish(self, most: usize) -> HostFigures {
        let (mut rows, rest) = self.hosts.by_weight(|host| host.requests);
        rows.iter_mut().for_each(|(_, host)| host.gaps.finish(self.delay));
        let mut figures = HostFigures { count: rows.len() as u64, more: rest.is_some(), ..HostFigures::default() };
        for (_, host) in &rows {
            figures.waits_short += host.gaps.short();
            figures.waits += host.gaps.waits().count();
        }
        let others = rows.split_off(most.min(rows.len()));
        figures.top = rows.into_iter().map(|(name, host)| summary(name, &host)).collect();
        figures.others = summed(others.iter().map(|(_, host)| host), rest.as_ref());
        figures
    }
}

fn summary(host: String, figures: &Host) -> HostSummary {
    let Host { requests, pages, bytes, failed, again, slowed, robots, gaps } = figures;
    HostSummary {
        host,
        requests: *requests,
        pages: *pages,
        bytes: *bytes,
        failed: *failed,
        tries_again: *again,
        slowed: *slowed,
        robots: *robots,
        gaps: gaps.starts().count(),
        gap_least_ms: gaps.starts().least().map(Millis::from),
        gap_median_ms: gaps.starts().quantile(0.5).map(Millis::from),
        wait_least_ms: gaps.waits().least().map(Millis::from),
        waits_short: gaps.short(),
    }
}

/// Returns one row for many hosts; `None` for no host. `rest` are hosts that are not counted separately: their gaps are
/// meaningless and omitted.
fn summed<'a>(others: impl Iterator<Item = &'a Host>, rest: Option<&'a Host>) -> Option<HostSummary> {
    let mut sum = Host::default();
    let (mut hosts, mut least, mut least_wait, mut short, mut gaps) = (0_u64, None, None, 0, 0);
    for host in others.chain(rest) {
        sum.requests += host.requests;
        sum.pages += host.pages;
        sum.bytes += host.bytes;
        sum.failed += host.failed;
        sum.again += host.again;
        sum.slowed += host.slowed;
        sum.robots += host.robots;
        let apart = rest.is_none_or(|rest| !std::ptr::eq(rest, host));
        if apart {
            hosts += 1;
            gaps += host.gaps.starts().count();
            short += host.gaps.short();
            least = least.into_iter().chain(host.gaps.starts().least()).min();
            least_wait = least_wait.into_iter().chain(host.gaps.waits().least()).min();
        }
    }
    let name = if rest.is_some() { "all others".to_owned() } else { format!("{hosts} others") };
    let row = summary(name, &sum);
    let (gap_least_ms, wait_least_ms) = (least.map(Millis::from), least_wait.map(Millis::from));
    (hosts > 0 || rest.is_some()).then_some(HostSummary {
        gaps,
        gap_least_ms,
        wait_least_ms,
        waits_short: short,
        ..row
    })
}

pub(super) fn blocks(hosts: &HostFigures, own: Option<&OwnFigures<'_>>, delay_ms: Option<u64>) -> Vec<Block> {
    let mut blocks = waits(hosts, delay_ms);
    blocks.extend(own.map(capped_delays).unwrap_or_default());
    blocks
}

/// The times between the requests to each host.
fn waits(hosts: &HostFigures, delay_ms: Option<u64>) -> Vec<Block> {
    if hosts.top.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Text(verdict(hosts, delay_ms)), Block::Text(method())];
    let rows = hosts.top.iter().chain(&hosts.others).map(row).collect();
    let header = vec![
        "host",
        "requests",
        "pages",
        "failed",
        "retries",
        "429 or 503",
        "robots.txt",
        "smallest gap",
        "median gap",
        "smallest wait",
        "waits below the delay",
    ];
    blocks.push(Block::Table(Table { caption: "Hosts with most requests".to_owned(), header, rows }));
    if hosts.more {
        let count = figures::count(hosts.count);
        blocks
            .push(Block::Text(format!("Only the first {count} hosts are counted apart; the last row has all others.")));
    }
    blocks
}

/// The hosts whose `Crawl-delay` is capped.
fn capped_delays(own: &OwnFigures<'_>) -> Vec<Block> {
    let (hosts, shown) = (own.crawl_delays_capped_hosts, own.crawl_delays_capped.len() as u64);
    if hosts == 0 {
        return Vec::new();
    }
    let which =
        if hosts > shown { format!("; the {} longest are shown", figures::count(shown)) } else { String::new() };
    let text = format!(
        "Hosts whose robots.txt asks for a longer Crawl-delay than `robots.crawl_delay_max`: {}{which}.",
        figures::count(hosts)
    );
    let row = |CappedDelay { host, asked_seconds, used_seconds }: &CappedDelay| {
        let delay = |seconds: &f64| Cell::millis(seconds * 1_000.0);
        vec![Cell::Code(host.clone()), delay(asked_seconds), delay(used_seconds)]
    };
    let rows = own.crawl_delays_capped.iter().map(row).collect();
    let header = vec!["host", "requested Crawl-delay", "delay used"];
    vec![Block::Text(text), Block::Table(Table { caption: "Capped crawl delays".to_owned(), header, rows })]
}

fn verdict(hosts: &HostFigures, delay: Option<u64>) -> String {
    let (waits, short) = (figures::count(hosts.waits), figures::count(hosts.waits_short));
    #[expect(clippy::cast_precision_loss, reason = "milliseconds for people to read")]
    match delay {
        Some(0) => "No delay between the requests to a host was configured.".to_owned(),
        Some(delay) => {
            let delay = millis_shown(delay as f64);
            let found =
                if hosts.waits_short == 0 { "none was shorter".to_owned() } else { format!("{short} were shorter") };
            format!(
                "The configured delay, from the first byte of a response to the next request to its host, is {delay}; of {waits} waits {found}."
            )
        }
        None => format!("The configured delay is not known. {waits} waits were measured."),
    }
}

fn method() -> String {
    "Measured in the page log: a gap is the time from the start of a request to the start of the next one to the same host, a wait is the \
     time from the first byte of a response to the start of the next request. Of a URL with retries only the last request is in the log; \
     requests for robots.txt and sitemaps are not. The delay is the shortest one in config.toml and control.jsonl; robots.txt may require \
     a longer one."
        .to_owned()
}

fn row(host: &HostSummary) -> Vec<Cell> {
    let millis = |value: Option<Millis>| Cell::maybe(value, |millis| Cell::millis(millis.0));
    vec![
        Cell::Code(host.host.clone()),
        Cell::count(host.requests),
        Cell::count(host.pages),
        Cell::count(host.failed),
        Cell::count(host.tries_again),
        Cell::count(host.slowed),
        Cell::count(host.robots),
        millis(host.gap_least_ms),
        millis(host.gap_median_ms),
        millis(host.wait_least_ms),
        Cell::count(host.waits_short),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(host: &str, second: u64, fate: &str, status: u16) -> String {
        format!(
            r#"{{"url":"http://{host}/{second}","time":"1970-01-01T00:00:{second:02}Z","fate":"{fate}","status":{status},"bytes":10,"attempts":2,"first_byte_ms":200}}"#
        )
    }

    fn figures(lines: &[String], most: usize) -> HostFigures {
        let mut hosts = Hosts::new(Duration::from_secs(1));
        lines.iter().for_each(|text| hosts.add(&LogLine::read(text.as_bytes()).unwrap()));
        hosts.finish(most)
    }

    #[test]
    fn hosts_are_ordered_by_requests_and_have_gaps_of_their_own() {
        let lines = [
            line("b.test", 1, "fetched", 200),
            line("a.test", 2, "fetched", 200),
            line("b.test", 2, "failed", 503),
            line("b.test", 5, "fetched", 200),
            r#"{"url":"http://a.test/x","fate":"robots"}"#.to_owned(),
        ];
        let figures = figures(&lines, 1);
        let b = &figures.top[0];
        assert_eq!((b.host.as_str(), b.requests, b.pages, b.failed, b.slowed), ("http://b.test", 6, 2, 1, 1));
        assert_eq!((b.gaps, b.gap_least_ms, b.wait_least_ms), (2, Some(Millis(1_000.0)), Some(Millis(800.0))));
        assert_eq!((b.tries_again, b.waits_short, figures.waits_short, figures.waits), (3, 1, 1, 2));
        let others = figures.others.unwrap();
        assert_eq!((others.host.as_str(), others.requests, others.robots, others.gaps), ("1 others", 2, 1, 0));
    }

    #[test]
    fn all_requests_are_in_some_row() {
        let lines: Vec<String> = (0..50).map(|n| line(&format!("h{}.test", n % 7), n, "fetched", 200)).collect();
        let figures = figures(&lines, 3);
        let requests: u64 = figures.top.iter().chain(&figures.others).map(|row| row.requests).sum();
        assert_eq!((requests, figures.top.len(), figures.count), (100, 3, 7));
    }
}
