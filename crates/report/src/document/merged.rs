//! One document of several directories, such as those of the nodes of a fleet: sums of the figures of each.

use super::line::instant;
use super::log::{LogFigures, within};
use super::own_figures::Totals;
use super::sources::Sources;
use super::state::{CrawlState, End};
use super::sums::Sums;
use super::tally::{Tally, reports, running_span, span};
use crate::closing::rounded as rounded_rate;
use crate::seconds::rounded as rounded_seconds;
use crate::sections::commands::{ControlLog, InForceFile};
use crate::sections::configuration::Configuration;
use crate::sections::nodes::NodeFigures;
use harvestman_core::clock::Instant;
use harvestman_policy::learned::Facts;

/// The number of directories that are named where all are on one line.
const NAMED: usize = 6;

/// A directory.
#[derive(Debug)]
pub struct Part {
    /// What was read of it, apart from its page log.
    pub sources: Sources,
    /// The counts of its page log.
    pub tally: Tally,
}

/// Merges directories, or the sessions of one. `log` has the figures of all their page logs, `now` is when the document
/// is made.
pub fn merged(mut parts: Vec<Part>, log: LogFigures, now: Instant) -> Sources {
    let mut sources = Sources { directory: names(&parts), now, ..Sources::default() };
    let is_one = parts.len() == 1;
    if has_one_policy(parts.iter().map(|part| &part.sources)) {
        sources.facts = parts.iter_mut().filter_map(|part| part.sources.facts.take()).max_by_key(pages_learned);
        sources.has_logged_clusters =
            sources.facts.is_none() && parts.iter().any(|part| part.sources.has_logged_clusters);
    }
    sources.configuration = configuration(&parts, &mut sources.notes);
    sources.in_force = in_force(&mut parts, &mut sources.notes);
    let mut total = Sums::default();
    let mut timeline = Timeline::of(&log);
    for Part { sources: mut part, tally } in parts {
        timeline.add(&part);
        let prefixed = part.notes.drain(..).map(|note| format!("{}: {note}", part.directory));
        sources.notes.extend(prefixed);
        sources.control.add_all(std::mem::take(&mut part.control));
        let path = |name: String| if is_one { name } else { within(&part.directory, &name) };
        sources.warcs.extend(part.warcs.drain(..).map(|(name, bytes)| (path(name), bytes)));
        sources.has = sources.has.or(part.has);
        let (figures, own) = node(&part, tally);
        sources.notes.extend(remarks(&figures, &part));
        total.add(&(&own).into());
        sources.nodes.push(figures);
    }
    sources.totals = timeline.finish(total.finish(), now);
    // Lines are numbered by the log that they are in.
    sources.log = LogFigures { first_damaged: log.first_damaged.filter(|_| is_one), ..log };
    sources
}

/// Returns whether cluster numbers mean the same in all directories: there is only one, or they are of a fleet with a
/// shared policy.
pub fn has_one_policy<'a>(mut all: impl Iterator<Item = &'a Sources>) -> bool {
    let configuration = |sources: &'a Sources| sources.configuration.as_ref()?.as_ref().ok();
    let Some(first) = all.next() else { return false };
    let is_shared =
        |own: &Configuration| own.fleet.is_some() && matches!(own.policy.as_deref(), Some("ucc" | "target"));
    let mut all = all.peekable();
    all.peek().is_none()
        || configuration(first).is_some_and(|first| {
            is_shared(first) && all.all(|other| configuration(other).is_some_and(|other| first.is_of_same_crawl(other)))
        })
}

/// Returns the number of pages that a model was learned from. In a fleet the model with most pages is that of the last
/// policy learner.
pub fn pages_learned(facts: &Result<Facts, String>) -> Option<u64> {
    facts.as_ref().ok().map(|facts| facts.pages)
}

fn names(parts: &[Part]) -> String {
    let mut names: Vec<String> = parts.iter().take(NAMED).map(|part| part.sources.directory.clone()).collect();
    if parts.len() > NAMED {
        names.push(format!("{} more", parts.len() - NAMED));
    }
    names.join(", ")
}

/// When all sessions together began and ended.
struct Timeline {
    began: Option<Instant>,
    /// The latest time known.
    latest: Option<Instant>,
    /// The end of the session with a report that ended last.
    end: Option<End>,
    /// Whether all sessions that run are paused; `None` if none runs.
    paused: Option<bool>,
}

impl Timeline {
    fn of(log: &LogFigures) -> Self {
        let at = |text: &Option<String>| text.as_deref().and_then(instant);
        Self { began: at(&log.first), latest: at(&log.last), end: None, paused: None }
    }

    fn add(&mut self, part: &Sources) {
        for report in reports(part) {
            let (Some(began), Some(ended)) = (instant(&report.started), instant(&report.ended)) else { continue };
            self.began = self.began.into_iter().chain([began]).min();
            self.latest = self.latest.max(Some(ended));
            if self.end.as_ref().is_none_or(|end| end.at < Some(ended)) {
                self.end = End::of(report);
            }
        }
        if let Some(status) = &part.status {
            self.paused = Some(self.paused.unwrap_or(true) && status.paused);
            self.began = self.began.into_iter().chain([running_span(status, part.now).began]).min();
        }
    }

    /// Completes the sums; `None` if no session has a report and none runs.
    fn finish(self, sums: Totals, now: Instant) -> Option<Totals> {
        let is_running = self.paused.is_some();
        if !is_running && self.end.is_none() {
            return None;
        }
        let text = |at: Instant| at.timestamp().to_string();
        let end = if is_running { Some(now) } else { self.latest };
        let time = self.began.zip(end).map(|(began, end)| end.since(began));
        let rate = time.filter(|time| !time.is_zero()).map(|time| crate::status::per_second(sums.pages, time));
        let seconds = time.map(rounded_seconds);
        let end = self.end.filter(|_| !is_running);
        Some(Totals {
            started: self.began.map(text),
            ended: end.as_ref().and_then(|end| end.at).map(text),
            stop_reason: end.map(|end| end.reason),
            wall_seconds: seconds.filter(|_| !is_running),
            elapsed_seconds: seconds.filter(|_| is_running),
            paused: self.paused,
            queued: sums.queued.filter(|_| is_running),
            pages_per_second: rate.map(rounded_rate),
            ..sums
        })
    }
}

/// Returns the figures of a directory, and its sums.
fn node(part: &Sources, tally: Tally) -> (NodeFigures, Totals) {
    let mut sums = Sums::default();
    let (mut sessions, mut memory) = (0, None);
    // A report without its times covers unknown lines of the log. These count by themselves.
    for report in reports(part).filter(|report| span(report).is_some()) {
        sums.add(&report.into());
        sessions += 1;
        memory = memory.max(report.peak_memory_bytes);
    }
    if let Some(status) = &part.status {
        sums.add(&status.into());
        sessions += 1;
    }
    let without = tally.sessions();
    sums.add_log(&tally.counted, &tally.statuses);
    if without > 0 {
        sums.forget_cpu();
    }
    let figures = NodeFigures {
        directory: part.directory.clone(),
        node: part.configuration.as_ref().and_then(|own| own.as_ref().ok()?.node.clone()),
        state: state(part, &tally),
        sessions,
        sessions_without_report: without,
        pages: 0,
        requests: 0,
        bytes: 0,
        by_log: tally.counted,
        lines: tally.lines,
        damaged: tally.damaged,
        first_damaged: tally.first_damaged,
        peak_memory_bytes: memory,
    };
    tally.fates().into_iter().for_each(|row| sums.add_fate(row.fate, row.reason, row.count));
    let totals = sums.finish();
    let (pages, requests, bytes) = (totals.pages, totals.requests, totals.bytes);
    (NodeFigures { pages, requests, bytes, ..figures }, totals)
}

/// Returns the state of a directory: broken off if its log continues after the last report, or if there is no report.
fn state(part: &Sources, tally: &Tally) -> CrawlState {
    let paused = part.status.as_ref().map(|status| status.paused);
    if tally.is_broken_off() && paused.is_none() {
        return CrawlState::BrokenOff;
    }
    CrawlState::of(paused, part.report.as_ref().and_then(End::of).as_ref(), None)
}

/// Returns remarks on the figures of a directory.
fn remarks(figures: &NodeFigures, part: &Sources) -> Vec<String> {
    let mut remarks = Vec::new();
    let (directory, counted) = (&figures.directory, figures.by_log);
    if figures.sessions_without_report > 0 {
        let sessions = match figures.sessions_without_report {
            1 => "at least one session".to_owned(),
            count => format!("at least {count} sessions"),
        };
        remarks.push(format!(
            "{directory}: {sessions} ended without a report, for example because of a kill signal. Their figures come from the page log \
             alone: {} pages, {} requests for pages, {} bytes. Requests for robots.txt and sitemaps, errors before a retry, and links that \
             were never requested are missing.",
            counted.pages, counted.requests, counted.bytes
        ));
    } else if figures.sessions == 0 {
        remarks.push(format!("{directory}: there is no report.json, and the page log is empty."));
    }
    if !part.has.log {
        remarks.push(format!(
            "{directory}: there is no page log (pages.jsonl); curves, places and hosts are without this directory."
        ));
    }
    if let Some(line) = figures.first_damaged {
        remarks.push(format!(
            "{directory}: {} lines of the page log cannot be read (the first is line {line}).",
            figures.damaged
        ));
    }
    remarks
}

/// Returns the first configuration that can be read. Notes directories with the configuration of another crawl.
fn configuration(parts: &[Part], notes: &mut Vec<String>) -> Option<Result<Configuration, String>> {
    let mut first: Option<(&str, &Configuration)> = None;
    for part in parts {
        let directory = &part.sources.directory;
        match &part.sources.configuration {
            None => notes.push(format!("{directory}: there is no config.toml.")),
            Some(Err(why)) => notes.push(format!("{directory}: config.toml cannot be read: {why}")),
            Some(Ok(own)) => match first {
                None => first = Some((directory, own)),
                Some((other, known)) if !known.is_of_same_crawl(own) => {
                    notes.push(format!(
                        "{directory}: this is another crawl than {other}, by its configuration (fleet, seeds, policy, scope); only the \
                         configuration of {other} is shown."
                    ));
                }
                Some(_) => {}
            },
        }
    }
    let mut shared = first?.1.clone();
    // Values of single nodes are in the table of nodes.
    shared.node = None;
    shared.settings.retain(|setting| setting.name != "fleet.node");
    Some(Ok(shared))
}

/// Returns what is in force in the first directory that has anything in force. Notes directories that differ.
fn in_force(parts: &mut [Part], notes: &mut Vec<String>) -> Option<InForceFile> {
    let mut first: Option<(String, InForceFile)> = None;
    for Part { sources: part, .. } in parts {
        let Some(own) = part.in_force.take().filter(|own| !own.is_empty()) else { continue };
        match &first {
            None => first = Some((part.directory.clone(), own)),
            Some((other, known)) if *known != own => notes.push(format!(
                "{}: other bans, pins and settings are in force than in {other}, whose are shown; see its in-force.json.",
                part.directory
            )),
            Some(_) => {}
        }
    }
    first.map(|(_, own)| own)
}

impl ControlLog {
    /// Adds the commands of another node. All are in the order of their times.
    fn add_all(&mut self, other: Self) {
        self.entries.extend(other.entries);
        // All times have one format, so that the order of the texts is that of the times.
        self.entries.make_contiguous().sort_by(|a, b| a.time.cmp(&b.time));
        (self.earlier, self.damaged) = (self.earlier + other.earlier, self.damaged + other.damaged);
        self.least_delay_ms = self.least_delay_ms.into_iter().chain(other.least_delay_ms).min();
        self.shorten();
    }
}

#[cfg(test)]
#[path = "merged_tests.rs"]
mod tests;
