//! What one of several directories says: the sessions that reported, and what its page log counts of those that could not.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::bounded::{Bounded, cut};
use super::line::{LogLine, instant};
use super::{LATER, Sources, Standing};
use harvestman_core::clock::Instant;

/// Pairs of a fate and its reason that are told apart.
const FATES_MAX: usize = 200;

/// From when to when a session ran.
type Span = (Instant, Instant);

/// What one directory did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeFigures {
    /// The directory as it was named.
    pub directory: String,
    /// The node's name, where its configuration sets one.
    pub node: Option<String>,
    /// Where it stands.
    pub standing: Standing,
    /// Sessions that have written a report, and the one that runs.
    pub sessions: u64,
    /// Sessions at least that ended without a report.
    pub sessions_without_report: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Requests; those for robots.txt and sitemaps are missing of sessions without a report.
    pub requests: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// What of that the page log alone tells, of sessions without a report.
    pub by_log: Counted,
    /// Lines of its page log that could be read.
    pub lines: u64,
    /// Lines that could not.
    pub damaged: u64,
    /// The number of the first of them.
    pub first_damaged: Option<u64>,
    /// The most memory that one of its sessions took.
    pub peak_memory_bytes: Option<u64>,
}

/// Counts of a page log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Lines, which are visits to URLs.
    pub lines: u64,
    /// Requests for pages.
    pub requests: u64,
    /// Pages fetched.
    pub pages: u64,
    /// Bytes of bodies.
    pub bytes: u64,
}

/// Counts the lines of a directory's page log that no report tells of.
#[derive(Debug, Clone)]
pub struct Tally {
    /// By when they began.
    spans: Vec<Span>,
    /// Between which of them there are lines: as many sessions at least left no report.
    gaps: BTreeSet<usize>,
    /// Whether the line before was one of them. A line without a request has no time, and goes with the one before it.
    is_without: bool,
    pub(super) lines: u64,
    pub(super) damaged: u64,
    pub(super) first_damaged: Option<u64>,
    pub(super) counted: Counted,
    pub(super) statuses: BTreeMap<u16, u64>,
    fates: Bounded<u64>,
}

impl Tally {
    /// Of a directory whose other files were read.
    pub fn of(sources: &Sources) -> Self {
        let mut spans: Vec<Span> = reports(sources).filter_map(span).collect();
        spans.extend(sources.status.as_ref().and_then(|status| running(status, sources.now)));
        spans.sort_unstable();
        Self {
            is_without: spans.is_empty(),
            spans,
            gaps: BTreeSet::new(),
            lines: 0,
            damaged: 0,
            first_damaged: None,
            counted: Counted::default(),
            statuses: BTreeMap::new(),
            fates: Bounded::new(FATES_MAX),
        }
    }

    /// Counts a line of its log, without its line break. Lines come in the order in which they were written.
    pub fn add(&mut self, line: &[u8]) {
        let Some(line) = LogLine::read(line) else { return self.damaged() };
        self.lines += 1;
        if let Some(at) = line.started() {
            self.is_without = !self.spans.iter().any(|(began, ended)| (*began..=*ended).contains(&at));
            if self.is_without {
                self.gaps.insert(self.spans.partition_point(|(began, _)| *began <= at));
            }
        }
        if self.is_without {
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
        *self.fates.row(&format!("{}\n{reason}", cut(&line.fate, 100))) += 1;
    }

    /// Sessions at least that wrote no report, as far as the log tells.
    pub fn sessions(&self) -> u64 {
        (self.gaps.len() as u64).max(u64::from(self.counted.lines > 0))
    }

    /// Whether the log goes on after the last report.
    pub(super) fn is_broken_off(&self) -> bool {
        self.gaps.contains(&self.spans.len())
    }

    /// Fates of the lines that no report tells of: name, reason and how many.
    pub(super) fn fates(self) -> Vec<(String, String, u64)> {
        let (rows, rest) = self.fates.by_weight(|count| *count);
        let rows = rows.into_iter().map(|(name, count)| {
            let (fate, reason) = name.split_once('\n').unwrap_or((&name, ""));
            (fate.to_owned(), reason.to_owned(), count)
        });
        rows.chain(rest.map(|count| ("others".to_owned(), String::new(), count))).collect()
    }
}

/// All reports in a directory: those of the sessions before, and the last one.
pub(super) fn reports(sources: &Sources) -> impl Iterator<Item = &Value> {
    sources.earlier.iter().map(|(_, report)| report).chain(&sources.report)
}

/// From when to when the session of a report ran. Its last requests may be written a little later.
pub(super) fn span(report: &Value) -> Option<Span> {
    let time = |name: &str| report.get(name)?.as_str().and_then(instant);
    Some((time("started")?, time("ended")? + LATER))
}

/// The same of a session that runs.
pub(super) fn running(status: &Value, now: Instant) -> Option<Span> {
    let elapsed = Duration::try_from_secs_f64(status.get("elapsed_seconds")?.as_f64()?).ok()?;
    // What it does while its files are read is its own, too.
    Some((now - elapsed.saturating_add(LATER), Instant::END))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(from: u64, to: u64) -> Value {
        let at = |second: u64| Instant::from_micros(second * 1_000_000).timestamp().to_string();
        json!({"started": at(from), "ended": at(to), "stop_reason": "interrupted"})
    }

    fn line(second: Option<u64>, fate: &str) -> String {
        let time = second.map(|second| Instant::from_micros(second * 1_000_000).timestamp().to_string());
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
        assert_eq!(tally.counted, Counted { lines: 4, requests: 3, pages: 2, bytes: 20 });
        let fates: Vec<_> = tally.fates().into_iter().map(|(fate, _, count)| (fate, count)).collect();
        assert_eq!(fates, [("fetched".to_owned(), 2), ("failed".to_owned(), 1), ("robots".to_owned(), 1)]);
    }

    #[test]
    fn without_any_report_all_lines_count_and_with_one_that_covers_them_none() {
        let lines = [(None, "robots"), (Some(5), "fetched")];
        let killed = tally(&Sources::default(), &lines);
        assert_eq!((killed.counted.lines, killed.sessions()), (2, 1));
        let whole = tally(&Sources { report: Some(report(1, 9)), ..Sources::default() }, &lines);
        assert_eq!((whole.counted, whole.sessions(), whole.is_broken_off()), (Counted::default(), 0, false));
        assert_eq!(tally(&Sources::default(), &[]).sessions(), 0);
    }

    #[test]
    fn a_session_that_runs_counts_for_itself() {
        let status = json!({"elapsed_seconds": 50.0});
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
