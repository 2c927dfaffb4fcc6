//! One report of several directories, as those of the nodes of a fleet: sums of what each of them says.

use serde_json::{Value, json};

use super::log::LogFigures;
use super::nodes::{NodeFigures, Tally, reports, running, span};
use super::sums::Sums;
use super::told::Told;
use super::{Asked, Has, Sources, Standing, line, standing};
use harvestman_core::clock::Instant;
use harvestman_policy::learned::Facts;

/// Directories that are named where all are told in a line.
const NAMED: usize = 6;

/// A directory: what was read of it but for its page log, and what that counts.
pub type Part = (Sources, Tally);

/// Brings directories together, or the sessions of one. `log` are the figures of all their page logs, `now` is when the report is made.
pub fn merged(mut parts: Vec<Part>, log: LogFigures, now: Instant) -> Sources {
    let mut sources = Sources { directory: named(&parts), now, ..Sources::default() };
    let is_one = parts.len() == 1;
    if has_one_policy(parts.iter().map(|(part, _)| part)) {
        sources.facts = parts.iter_mut().filter_map(|(part, _)| part.facts.take()).max_by_key(known);
        sources.lesson = parts.iter_mut().find_map(|(part, _)| part.lesson.take()).filter(|_| sources.facts.is_none());
    }
    let first = log.first.as_deref().and_then(line::instant);
    let last = log.last.as_deref().and_then(line::instant);
    let (mut total, mut course) = (Sums::default(), Course::default());
    (course.began, course.latest) = (first, last);
    sources.asked = asked(&mut parts, &mut sources.notes);
    sources.in_force = in_force(&mut parts, &mut sources.notes);
    for (mut part, tally) in parts {
        course.add(&part);
        let prefix = |what: String| format!("{}: {what}", part.directory);
        sources.notes.extend(std::mem::take(&mut part.notes).into_iter().map(prefix));
        let own = std::mem::take(&mut part.told);
        sources.told.add_all(own);
        let full = |name: String| if is_one { name } else { within(&part.directory, &name) };
        sources.warcs.extend(part.warcs.drain(..).map(|(name, bytes)| (full(name), bytes)));
        let Has { log, state, model } = part.has;
        sources.has =
            Has { log: sources.has.log || log, state: sources.has.state || state, model: sources.has.model || model };
        let (figures, own) = node(&part, tally);
        sources.notes.extend(remark(&figures, &part));
        total.add(&own);
        total.count("queued", own.get("queued").and_then(Value::as_u64).unwrap_or(0));
        sources.nodes.push(figures);
    }
    let value = course.finish(total, now);
    if course.runs {
        sources.status = Some(value);
    } else if course.ended.is_some() {
        sources.report = Some(value);
    }
    // Lines are numbered by their own logs.
    sources.log = LogFigures { first_damaged: log.first_damaged.filter(|_| is_one), ..log };
    sources
}

/// Whether clusters have the same numbers in all of them: it is one directory, or a fleet that learns as one.
pub fn has_one_policy<'a>(mut all: impl Iterator<Item = &'a Sources>) -> bool {
    let asked = |sources: &'a Sources| sources.asked.as_ref().and_then(|asked| asked.as_ref().ok());
    let Some(first) = all.next() else { return false };
    let is_shared = |asked: &Asked| asked.fleet.is_some() && matches!(asked.policy.as_deref(), Some("ucc" | "target"));
    let mut all = all.peekable();
    all.peek().is_none()
        || asked(first).is_some_and(|first| {
            is_shared(first) && all.all(|other| asked(other).is_some_and(|other| !is_another(first, other)))
        })
}

/// Pages that a model was learnt from. Whoever held a fleet's policy last has learnt from most.
pub fn known(facts: &Result<Facts, String>) -> Option<u64> {
    facts.as_ref().ok().map(|facts| facts.pages)
}

/// A name within a directory, as it is seen from where the directory is named.
pub fn within(directory: &str, name: &str) -> String {
    format!("{}/{name}", directory.trim_end_matches('/'))
}

fn named(parts: &[Part]) -> String {
    let mut names: Vec<String> = parts.iter().take(NAMED).map(|(part, _)| part.directory.clone()).collect();
    if parts.len() > NAMED {
        names.push(format!("{} more", parts.len() - NAMED));
    }
    names.join(", ")
}

/// When all of it began and ended.
#[derive(Default)]
struct Course {
    began: Option<Instant>,
    /// The latest that is known.
    latest: Option<Instant>,
    /// When the last session that has reported ended, and why.
    ended: Option<(Instant, String)>,
    runs: bool,
    /// All that run were told to rest.
    paused: bool,
}

impl Course {
    fn add(&mut self, part: &Sources) {
        for report in reports(part) {
            let Some((began, _)) = span(report) else { continue };
            let text = |name: &str| report.get(name).and_then(Value::as_str);
            let Some(ended) = text("ended").and_then(line::instant) else { continue };
            self.began = self.began.into_iter().chain([began]).min();
            self.latest = self.latest.max(Some(ended));
            if self.ended.as_ref().is_none_or(|(latest, _)| *latest < ended) {
                self.ended = Some((ended, text("stop_reason").unwrap_or_default().to_owned()));
            }
        }
        if let Some(status) = &part.status {
            let paused = status["paused"] == true;
            self.paused = if self.runs { self.paused && paused } else { paused };
            self.runs = true;
            let began = running(status, part.now).map(|(began, _)| began);
            self.began = self.began.into_iter().chain(began).min();
        }
    }

    /// The sums in the form of a report, or of a snapshot where something runs.
    fn finish(&self, total: Sums, now: Instant) -> Value {
        let pages = total.of("pages");
        let mut value = total.finish();
        let end = if self.runs { Some(now) } else { self.latest };
        let seconds = self.began.zip(end).map(|(began, end)| end.since(began).as_secs_f64());
        let seconds = seconds.map(|seconds| (seconds * 1e3).round() / 1e3);
        #[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2^52")]
        let rate = seconds.filter(|seconds| *seconds > 0.0).map(|seconds| pages as f64 / seconds);
        let mut set = |name: &str, what: Value| drop(value.insert(name.to_owned(), what));
        if let Some(rate) = rate {
            set("pages_per_second", ((rate * 100.0).round() / 100.0).into());
        }
        if let Some(began) = self.began {
            set("started", began.timestamp().to_string().into());
        }
        if self.runs {
            set("elapsed_seconds", seconds.into());
            set("paused", self.paused.into());
            return Value::Object(value);
        }
        set("wall_seconds", seconds.into());
        if let Some((ended, reason)) = &self.ended {
            set("ended", ended.timestamp().to_string().into());
            set("stop_reason", reason.as_str().into());
        }
        value.remove("queued");
        Value::Object(value)
    }
}

/// What a directory did, and its sums.
fn node(part: &Sources, tally: Tally) -> (NodeFigures, Value) {
    let mut sums = Sums::default();
    let (mut sessions, mut memory) = (0, None);
    // What does not say when it was covers unknown lines of the log: those count by themselves.
    for report in reports(part).filter(|report| span(report).is_some()) {
        sums.add(report);
        sessions += 1;
        memory = memory.max(report.get("peak_memory_bytes").and_then(Value::as_u64));
    }
    if let Some(status) = &part.status {
        sums.add_running(status);
        sums.forget_cpu();
        sessions += 1;
    }
    let (without, counted) = (tally.sessions(), tally.counted);
    for (name, more) in [
        ("pages", counted.pages),
        ("requests", counted.requests),
        ("bytes", counted.bytes),
        ("discovered", counted.lines),
    ] {
        sums.count(name, more);
    }
    if without > 0 {
        sums.forget_cpu();
    }
    tally.statuses.iter().for_each(|(status, count)| sums.status(*status, *count));
    let figures = NodeFigures {
        directory: part.directory.clone(),
        node: part.asked.as_ref().and_then(|asked| asked.as_ref().ok()?.node.clone()),
        standing: standing_of(part, &tally),
        sessions,
        sessions_without_report: without,
        pages: sums.of("pages"),
        requests: sums.of("requests"),
        bytes: sums.of("bytes"),
        by_log: counted,
        lines: tally.lines,
        damaged: tally.damaged,
        first_damaged: tally.first_damaged,
        peak_memory_bytes: memory,
    };
    tally.fates().iter().for_each(|(fate, reason, count)| sums.fate(fate, reason, *count));
    (figures, Value::Object(sums.finish()))
}

/// Where a directory stands: broken off where its log goes on after the last report, or there is none.
fn standing_of(part: &Sources, tally: &Tally) -> Standing {
    if tally.is_broken_off() && part.status.is_none() {
        return Standing::BrokenOff;
    }
    standing(part.status.as_ref(), part.report.as_ref(), &LogFigures::default())
}

/// What is to be known of a directory's figures.
fn remark(figures: &NodeFigures, part: &Sources) -> Vec<String> {
    let mut remarks = Vec::new();
    let (directory, counted) = (&figures.directory, figures.by_log);
    if figures.sessions_without_report > 0 {
        let sessions = match figures.sessions_without_report {
            1 => "one session at least".to_owned(),
            count => format!("{count} sessions at least"),
        };
        remarks.push(format!(
            "{directory}: {sessions} ended without a report, as one does that is killed. What it fetched is counted by the page log alone: \
             {} pages, {} requests for pages, {} bytes. Requests for robots.txt and sitemaps, errors that were tried again, and links \
             that were never asked for are missing of it.",
            counted.pages, counted.requests, counted.bytes
        ));
    } else if figures.sessions == 0 {
        remarks.push(format!("{directory}: there is no report.json, and nothing in its page log."));
    }
    if !part.has.log {
        remarks.push(format!(
            "{directory}: there is no page log (pages.jsonl), so that curves, places and hosts lack it."
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

/// What was asked, by the first configuration that can be read. It is told where others ask for something else.
fn asked(parts: &mut [Part], notes: &mut Vec<String>) -> Option<Result<Asked, String>> {
    let mut first: Option<(String, Asked)> = None;
    for (part, _) in parts {
        let directory = &part.directory;
        match &part.asked {
            None => notes.push(format!("{directory}: there is no config.toml.")),
            Some(Err(why)) => notes.push(format!("{directory}: config.toml cannot be read: {why}")),
            Some(Ok(asked)) => match &first {
                None => first = Some((directory.clone(), asked.clone())),
                Some((other, known)) if is_another(known, asked) => {
                    notes.push(format!(
                        "{directory}: another crawl than that of {other}, by its configuration (fleet, seeds, policy, scope); what was \
                         asked is told of {other} alone."
                    ));
                }
                Some(_) => {}
            },
        }
    }
    let (_, mut asked) = first?;
    // What is one node's own is in the table of nodes.
    asked.node = None;
    asked.settings.retain(|setting| setting.name != "fleet.node");
    Some(Ok(asked))
}

fn is_another(one: &Asked, other: &Asked) -> bool {
    let what = |asked: &Asked| {
        (asked.fleet.clone(), asked.seeds.clone(), asked.more_seeds, asked.policy.clone(), asked.scope.clone())
    };
    what(one) != what(other)
}

/// What holds of what was told, by the first directory that says so.
fn in_force(parts: &mut [Part], notes: &mut Vec<String>) -> Option<Value> {
    let mut first: Option<(String, Value)> = None;
    for (part, _) in parts {
        let Some(own) = part.in_force.take().filter(|own| *own != json!({}) && own.is_object()) else { continue };
        match &first {
            None => first = Some((part.directory.clone(), own)),
            Some((other, known)) if *known != own => notes.push(format!(
                "{}: other bans, pins and settings hold than in {other}, of which they are told; see its in-force.json.",
                part.directory
            )),
            Some(_) => {}
        }
    }
    first.map(|(_, own)| own)
}

impl Told {
    /// Adds what was told to another node. Entries are put in order by their times.
    fn add_all(&mut self, other: Self) {
        self.entries.extend(other.entries);
        // Times are written alike, so that their order is that of their texts.
        self.entries.make_contiguous().sort_by(|a, b| a.time.cmp(&b.time));
        (self.earlier, self.damaged) = (self.earlier + other.earlier, self.damaged + other.damaged);
        self.least_delay_ms = self.least_delay_ms.into_iter().chain(other.least_delay_ms).min();
        while self.entries.len() > super::told::TOLD_MAX {
            self.entries.pop_front();
            self.earlier += 1;
        }
    }
}

#[cfg(test)]
#[path = "merged_tests.rs"]
mod tests;
