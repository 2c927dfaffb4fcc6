//! What each host was asked, and how it was spared.

use std::time::Duration;

use serde::Serialize;

use super::bounded::Bounded;
use super::gaps::Gaps;
use super::line::LogLine;
use super::spread::Millis;

/// Hosts that are told apart: those that were met first. About 2 KiB each.
const HOSTS_MAX: usize = 20_000;

/// What is known of a host, from the lines of its URLs.
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

/// A host, or several, as a report tells of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostRow {
    /// Scheme and authority.
    pub host: String,
    /// Requests for its pages, further tries among them; those for robots.txt and sitemaps have no lines.
    pub requests: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// URLs that failed.
    pub failed: u64,
    /// Further tries.
    pub tries_again: u64,
    /// URLs whose last answer was 429 or 503.
    pub slowed: u64,
    /// URLs that robots.txt kept from being asked for.
    pub robots: u64,
    /// Gaps that were measured.
    pub gaps: u64,
    /// Smallest time from the start of a request to the start of the next, milliseconds.
    pub gap_least_ms: Option<Millis>,
    /// Their median, to a sixteenth.
    pub gap_median_ms: Option<Millis>,
    /// Smallest time from the first byte of an answer to the start of the next request.
    pub wait_least_ms: Option<Millis>,
    /// Such times that are shorter than the delay that was asked for.
    pub waits_short: u64,
}

/// All hosts.
#[derive(Debug, Clone)]
pub struct Hosts {
    hosts: Bounded<Host>,
    delay: Duration,
}

/// What a report tells of hosts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HostFigures {
    /// Hosts that were told apart.
    pub count: u64,
    /// Whether there were more, which are not told apart.
    pub more: bool,
    /// Those with most requests.
    pub top: Vec<HostRow>,
    /// All others together; their gaps are those of each host by itself.
    pub others: Option<HostRow>,
    /// Waits of all hosts that are shorter than the delay asked for.
    pub waits_short: u64,
    /// Waits that were measured.
    pub waits: u64,
}

impl Hosts {
    /// No hosts yet. `delay` is the shortest that was ever asked for.
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

    /// The `most` hosts with most requests, and the rest.
    pub fn finish(self, most: usize) -> HostFigures {
        let (mut rows, rest) = self.hosts.by_weight(|host| host.requests);
        rows.iter_mut().for_each(|(_, host)| host.gaps.finish(self.delay));
        let mut figures = HostFigures { count: rows.len() as u64, more: rest.is_some(), ..HostFigures::default() };
        for (_, host) in &rows {
            figures.waits_short += host.gaps.short();
            figures.waits += host.gaps.waits().count();
        }
        let others = rows.split_off(most.min(rows.len()));
        figures.top = rows.into_iter().map(|(name, host)| told(name, &host)).collect();
        figures.others = summed(others.iter().map(|(_, host)| host), rest.as_ref());
        figures
    }
}

fn told(host: String, figures: &Host) -> HostRow {
    let Host { requests, pages, bytes, failed, again, slowed, robots, gaps } = figures;
    HostRow {
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

/// One row for many hosts. Gaps of hosts that were not told apart mean nothing and are left out.
fn summed<'a>(others: impl Iterator<Item = &'a Host>, rest: Option<&'a Host>) -> Option<HostRow> {
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
    let row = told(name, &sum);
    let (gap_least_ms, wait_least_ms) = (least.map(Millis::from), least_wait.map(Millis::from));
    (hosts > 0 || rest.is_some()).then_some(HostRow { gaps, gap_least_ms, wait_least_ms, waits_short: short, ..row })
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
    fn hosts_are_told_by_their_requests_with_gaps_of_their_own() {
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
