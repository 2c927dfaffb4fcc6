//! Counts what the page log of a directory has of sessions without a report.

use std::collections::{BTreeMap, BTreeSet};

use super::bounded::{Bounded, cut};
use super::line::{LogLine, instant};
use super::log::LoggedFate;
use super::sources::Sources;
use super::state::LATER;
use crate::sections::nodes::LineCounts;
use crate::{CrawlStatus, Report};
use harvestman_core::clock::Instant;

/// The number of pairs of a fate and its reason that are counted apart.
const FATES_MAX: usize = 200;

/// The time in which a session ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    /// Its start.
    pub began: Instant,
    /// Its end, or later.
    pub ended: Instant,
}

/// Counts the lines of a directory's page log that no report covers.
#[derive(Debug, Clone)]
pub struct Tally {
    /// The sessions with a report, by start.
    spans: Vec<Span>,
    /// The places between them that have lines: at least as many sessions left no report.
    gaps: BTreeSet<usize>,
    /// Whether no report covers the line before. A line without a request has no time, and belongs to the session of
    /// the line before.
    is_uncovered: bool,
    pub(super) lines: u64,
    pub(super) damaged: u64,
    pub(super) first_damaged: Option<u64>,
    pub(super) counted: LineCounts,
    pub(super) statuses: BTreeMap<u16, u64>,
    fates: Bounded<u64>,
}

impl Tally {
    /// Prepares to count the log of a directory whose other files were read.
    pub fn of(sources: &Sources) -> Self {
        let mut spans: Vec<Span> = reports(sources).filter_map(span).collect();
        spans.extend(sources.status.as_ref().map(|status| running_span(status, sources.now)));
        spans.sort_unstable();
        Self {
            is_uncovered: spans.is_empty(),
            spans,
            gaps: BTreeSet::new(),
            lines: 0,
            damaged: 0,
            first_damaged: None,
            counted: LineCounts::default(),
            statuses: BTreeMap::new(),
            fates: Bounded::new(FATES_MAX),
        }
    }

    /// Counts a line of the log, without its line break. Lines come in the order in which they were written.
    pub fn add(&mut self, line: &[u8]) {
        let Some(line) = LogLine::read(line) else { return self.damaged() };
        self.lines += 1;
        if let Some(at) = line.started() {
            self.is_uncovered = !self.spans.iter().any(|span| (span.began..=span.ended).contains(&at));
            if self.is_uncovered {
                self.gaps.insert(self.spans.partition_point(|span| span.began <= at));
            }
        }
        if self.is_uncovered {
            self.count(&line);
        }
    }

    /// Counts a line that could not be read.
    pub fn damaged(&mut self) {
        self.damaged += 1;
        self.first_damaged.get_or_insert(self.lines + self.damaged);
    }

    fn count(&mut self, line: &LogLine<'_>) {
        self.counted.lines += 1;
        self.counted.requests += line.requests();
        self.counted.pages += u64::from(line.is_fetched());
        self.counted.bytes += line.bytes;
        if let Some(status) = line.status {
            *self.statuses.entry(status).or_default() += 1;
        }
        let reason = cut(line.reason.as_deref().unwrap_or_default(), 100);
        *self.fates.row(&LoggedFate::key(&cut(&line.fate, 100), &reason)) += 1;
    }

    /// Returns the least number of sessions that wrote no report, by the log.
    pub fn sessions(&self) -> u64 {
        (self.gaps.len() as u64).max(u64::from(self.counted.lines > 0))
    }

    /// Returns whether the log continues after the last report.
    pub(super) fn is_broken_off(&self) -> bool {
        self.gaps.contains(&self.spans.len())
    }

    /// Returns the fates of the lines that no report covers.
    pub(super) fn fates(self) -> Vec<LoggedFate> {
        LoggedFate::rows(self.fates)
    }
}

/// All reports in a directory: those of earlier sessions, and the last one.
pub(super) fn reports(sources: &Sources) -> impl Iterator<Item = &Report> {
    sources.earlier.iter().map(|(_, report)| report).chain(&sources.report)
}

/// Returns the time of the session of a report, with some time after its end, as its last lines may be written a little
/// later; `None` if the report does not say when it was.
pub(super) fn span(report: &Report) -> Option<Span> {
    Some(Span { began: instant(&report.started)?, ended: instant(&report.ended)? + LATER })
}

/// Returns the time of a session that runs. It has no end: lines written while its files are read are its own too.
pub(super) fn running_span(status: &CrawlStatus, now: Instant) -> Span {
    Span { began: now - status.elapsed.saturating_add(LATER), ended: Instant::END }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn text(second: u64) -> String {
        Instant::from_micros(second * 1_000_000).timestamp().to_string()
    }

    fn report(from: u64, to: u64) -> Report {
        Report { started: text(from), ended: text(to), ..Report::default() }
    }

    fn line(second: Option<u64>, fate: &str) -> String {
        let time = second.map(text);
        json!({"url": "http://h.test/", "fate": fate, "time": time, "attempts": u8::from(time.is_some()), "bytes": 5})
            .to_string()
    }

    fn tally(sources: &Sources, lines: &[(Option<u64>, &str)]) -> Tally {
        let mut tally = Tally::of(sources);
        lines.iter().for_each(|(second, fate)| tally.add(line(*second, fate).as_bytes()));
        tally
    }

    #[test]
    fn lines_between_reports_are_of_sessions_that_were_killed() {
        let sources = Sources {
            earlier: vec![("report-0.json".to_owned(), report(100, 200))],
            report: Some(report(300, 400)),
            ..Sources::default()
        };
        let lines = [
            (Some(100), "fetched"),
            (Some(201), "fetched"),
            (Some(210), "fetched"),
            (None, "robots"),
            (Some(220), "failed"),
            (Some(300), "fetched"),
            (None, "robots"),
            (Some(500), "fetched"),
        ];
        let tally = tally(&sources, &lines);
        assert_eq!((tally.lines, tally.sessions(), tally.is_broken_off()), (8, 2, true));
        assert_eq!(tally.counted, LineCounts { lines: 4, requests: 3, pages: 2, bytes: 20 });
        let fates: Vec<_> = tally.fates().into_iter().map(|row| (row.fate, row.count)).collect();
        assert_eq!(fates, [("fetched".to_owned(), 2), ("failed".to_owned(), 1), ("robots".to_owned(), 1)]);
    }

    #[test]
    fn without_a_report_all_lines_count_and_with_one_that_covers_them_none() {
        let lines = [(None, "robots"), (Some(5), "fetched")];
        let killed = tally(&Sources::default(), &lines);
        assert_eq!((killed.counted.lines, killed.sessions()), (2, 1));
        let whole = tally(&Sources { report: Some(report(1, 9)), ..Sources::default() }, &lines);
        assert_eq!((whole.counted, whole.sessions(), whole.is_broken_off()), (LineCounts::default(), 0, false));
        assert_eq!(tally(&Sources::default(), &[]).sessions(), 0);
    }

    #[test]
    fn a_running_session_covers_its_own_lines() {
        let status = CrawlStatus { elapsed: Duration::from_secs(50), ..CrawlStatus::default() };
        let sources = Sources { status: Some(status), now: Instant::from_micros(1_000_000_000), ..Sources::default() };
        let tally = tally(&sources, &[(Some(900), "fetched"), (Some(960), "fetched"), (Some(1_001), "fetched")]);
        assert_eq!((tally.counted.pages, tally.sessions()), (1, 1));
    }

    #[test]
    fn damaged_lines_are_numbered_by_their_own_log() {
        let mut tally = tally(&Sources::default(), &[(Some(1), "fetched")]);
        tally.add(b"{");
        tally.damaged();
        assert_eq!((tally.lines, tally.damaged, tally.first_damaged), (1, 2, Some(2)));
    }
}
