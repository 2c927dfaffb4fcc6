//! Reads several crawl directories, such as those of the nodes of a fleet, and merges their page logs by time. One line
//! of each log is held in memory.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

use super::super::progress::ReadProgress;
use super::directory;
use super::directory::{TORN, breaks_off, check, least_delay, model_values, open_log, read_but_log};
use crate::cli::lines::{Lines, Next};
use harvestman_core::clock::Instant;
use harvestman_report::document::line::instant;
use harvestman_report::document::log::{LogReading, Origin};
use harvestman_report::document::{Part, Sources, Tally, has_one_policy, merged, pages_learned};

/// Maximum number of directories of a report. One log of each is open at the same time.
const DIRECTORIES_MAX: usize = 256;

/// Returns why no report can be made of these directories.
pub(super) fn check_all(paths: &[PathBuf]) -> Result<(), String> {
    if paths.len() > DIRECTORIES_MAX {
        return Err(format!("{} directories given, at most {DIRECTORIES_MAX} are supported", paths.len()));
    }
    let mut known: Vec<(PathBuf, &Path)> = Vec::new();
    for path in paths {
        check(path)?;
        let real = fs::canonicalize(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        if let Some((_, other)) = known.iter().find(|(known, _)| *known == real) {
            let (path, other) = (path.display(), other.display());
            return Err(format!("{other} and {path} are the same directory: name it once"));
        }
        known.push((real, path));
    }
    Ok(())
}

/// Reads all directories. The result of a single directory is returned as it is; several directories, or several
/// sessions of a node, are [`merged`].
pub(super) fn read(paths: &[PathBuf], now: Instant, quiet: bool) -> Sources {
    let mut all: Vec<Sources> = paths.iter().map(|path| read_but_log(path, now)).collect();
    let logs = paths.iter().zip(&mut all).map(|(path, sources)| open_log(path, sources)).collect();
    let posts = directory::read(paths, &mut all);
    let is_several = all.len() > 1;
    let mut tallies: Vec<Tally> = all.iter().map(Tally::of).collect();
    let is_tallied = is_several || all.iter().any(is_of_node);
    let mut reading = reading(&all);
    let mut progress = ReadProgress::new(quiet);
    Merge::of(logs).run(|place, step, bytes| {
        match step {
            LogStep::Line(line) => {
                if is_tallied {
                    tallies[place].add(line);
                }
                reading.add_of(place, line);
            }
            LogStep::TooLong => {
                tallies[place].damaged();
                reading.damaged();
            }
            LogStep::Torn => all[place].notes.push(TORN.to_owned()),
            LogStep::Broken(error) => all[place].notes.push(breaks_off(&error)),
        }
        progress.line(|| bytes);
    });
    progress.finish();
    let log = reading.finish();
    let parts = all.into_iter().zip(tallies).map(|(sources, tally)| Part { sources, tally });
    let mut parts: Vec<Part> = parts.collect();
    match parts.pop_if(|part| !is_several && !had_sessions(part)) {
        Some(Part { sources, .. }) => Sources { log, posts, ..sources },
        None => Sources { posts, ..merged(parts, log, now) },
    }
}

/// Returns the reader of all logs.
fn reading(all: &[Sources]) -> LogReading {
    // Waits are compared with the shortest delay of all.
    let delay = all.iter().map(least_delay).min().unwrap_or_default();
    if let [one] = all {
        let (worth, examples) = model_values(one);
        return LogReading::new(worth, delay).with_titles_of(examples);
    }
    let origin = |one: &Sources, worth| Origin { directory: one.directory.clone(), worth };
    if !has_one_policy(all.iter()) {
        let origins = all.iter().map(|one| origin(one, model_values(one).0)).collect();
        return LogReading::of_several(origins, delay).without_clusters();
    }
    let model = all.iter().max_by_key(|one| one.facts.as_ref().and_then(pages_learned));
    let (worth, examples) = model.map(model_values).unwrap_or_default();
    let origins = all.iter().map(|one| origin(one, worth.clone())).collect();
    LogReading::of_several(origins, delay).with_titles_of(examples)
}

fn is_of_node(sources: &Sources) -> bool {
    matches!(&sources.configuration, Some(Ok(configuration)) if configuration.fleet.is_some())
}

/// Returns whether a node of a fleet had more sessions than its report covers.
fn had_sessions(Part { sources, tally }: &Part) -> bool {
    let reported = sources.report.is_some() || sources.status.is_some();
    is_of_node(sources) && (!sources.earlier.is_empty() || (reported && tally.sessions() > 0))
}

/// The next element of a log.
#[derive(Debug)]
pub(super) enum LogStep<'a> {
    /// A line.
    Line(&'a [u8]),
    /// A line that exceeds the limit.
    TooLong,
    /// The log ends within a line.
    Torn,
    /// The log cannot be read any further.
    Broken(io::Error),
}

/// A log and its next element.
struct Log {
    lines: Option<Lines>,
    /// Whether this is the only log, so that times need not be parsed.
    is_alone: bool,
    next: Held,
    /// The latest request time of its lines so far. A line without a time, or with an earlier one, keeps its position
    /// in its log.
    at: Instant,
    progress: (u64, u64),
}

/// An element that waits for its turn.
enum Held {
    Line(Vec<u8>),
    TooLong,
    Torn,
    Broken(io::Error),
    End,
}

/// Several logs, read as one.
struct Merge {
    logs: Vec<Log>,
}

/// The time of a line; other fields are skipped.
#[derive(Deserialize)]
struct Timed<'a> {
    #[serde(borrow, default)]
    time: Option<Cow<'a, str>>,
}

impl Merge {
    /// Merges these logs; `None` stands for a directory without a log.
    pub(super) fn of(logs: Vec<Option<Lines>>) -> Self {
        let is_alone = logs.len() == 1;
        let log = |lines| {
            let mut log = Log { lines, is_alone, next: Held::End, at: Instant::EPOCH, progress: (0, 0) };
            log.step();
            log
        };
        Self { logs: logs.into_iter().map(log).collect() }
    }

    /// Passes each element to `each` with the index of its log, lines ordered by time; equal times are ordered by
    /// index.
    pub(super) fn run(mut self, mut each: impl FnMut(usize, LogStep<'_>, (u64, u64))) {
        loop {
            let open = self.logs.iter().enumerate().filter(|(_, log)| !matches!(log.next, Held::End));
            let Some((place, _)) = open.min_by_key(|(_, log)| log.at) else { return };
            let progress = self.logs.iter().fold((0, 0), |sum, log| (sum.0 + log.progress.0, sum.1 + log.progress.1));
            let log = &mut self.logs[place];
            match std::mem::replace(&mut log.next, Held::End) {
                Held::Line(line) => {
                    each(place, LogStep::Line(&line), progress);
                    log.next = Held::Line(line);
                }
                Held::TooLong => {
                    each(place, LogStep::TooLong, progress);
                    log.next = Held::TooLong;
                }
                Held::Torn => each(place, LogStep::Torn, progress),
                Held::Broken(error) => each(place, LogStep::Broken(error), progress),
                Held::End => {}
            }
            if !matches!(log.next, Held::End) {
                log.step();
            }
        }
    }
}

impl Log {
    /// Reads the next element, reusing the buffer of the previous line.
    fn step(&mut self) {
        let before = std::mem::replace(&mut self.next, Held::End);
        let Some(lines) = &mut self.lines else { return };
        self.next = match lines.step() {
            Ok(Next::Line(line)) => {
                let at = if self.is_alone { None } else { time_of(line) };
                self.at = at.map_or(self.at, |at| at.max(self.at));
                let mut held = if let Held::Line(room) = before { room } else { Vec::new() };
                held.clear();
                held.extend_from_slice(line);
                Held::Line(held)
            }
            Ok(Next::TooLong) => Held::TooLong,
            Ok(Next::Torn) => Held::Torn,
            Ok(Next::End) => Held::End,
            Err(error) => Held::Broken(error),
        };
        self.progress = lines.progress();
    }
}

fn time_of(line: &[u8]) -> Option<Instant> {
    instant(serde_json::from_slice::<Timed<'_>>(line).ok()?.time.as_deref()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Elements of logs, each with the index of its log.
    fn merged(logs: &[Option<String>]) -> Vec<(usize, String)> {
        let dirs: Vec<_> = logs.iter().map(|_| tempfile::tempdir().unwrap()).collect();
        for (dir, log) in dirs.iter().zip(logs) {
            if let Some(log) = log {
                std::fs::write(dir.path().join("pages.jsonl"), log).unwrap();
            }
        }
        let open = dirs.iter().map(|dir| Lines::open(dir.path(), "pages.jsonl").unwrap());
        let mut steps = Vec::new();
        Merge::of(open.collect()).run(|place, step, _| {
            let text = match step {
                LogStep::Line(line) => String::from_utf8(line.to_vec()).unwrap(),
                other => format!("{other:?}"),
            };
            steps.push((place, text));
        });
        steps
    }

    fn line(second: Option<u64>, number: usize) -> String {
        let time = second.map(|second| Instant::from_micros(second * 1_000_000).timestamp().to_string());
        json!({"number": number, "time": time}).to_string()
    }

    proptest! {
        #[test]
        fn lines_are_merged_in_the_order_of_a_stable_sort(
            logs in prop::collection::vec(prop::collection::vec(prop::option::of(0u64..20), 0..12), 0..5),
        ) {
            let text = |log: &Vec<Option<u64>>| {
                log.iter().enumerate().map(|(number, second)| line(*second, number) + "\n").collect::<String>()
            };
            let texts: Vec<Option<String>> = logs.iter().map(|log| Some(text(log))).collect();
            // The reference gives each line the latest time of its log so far, and sorts.
            let mut all = Vec::new();
            for (place, log) in logs.iter().enumerate() {
                let mut latest = 0;
                for (number, second) in log.iter().enumerate() {
                    latest = latest.max(second.unwrap_or(0));
                    all.push((latest, place, number, line(*second, number)));
                }
            }
            all.sort();
            let expected: Vec<_> = all.into_iter().map(|(_, place, _, text)| (place, text)).collect();
            prop_assert_eq!(merged(&texts), expected);
        }
    }

    #[test]
    fn a_torn_or_missing_log_does_not_block_the_others() {
        let (a, b) = (line(Some(1), 0), line(Some(2), 0));
        let torn = format!("{a}\n{{\"ur");
        let steps = merged(&[Some(torn), None, Some(format!("{b}\nno line\n{b}\n"))]);
        let expected = [(0, a), (0, "Torn".to_owned()), (2, b.clone()), (2, "no line".to_owned()), (2, b)];
        assert_eq!(steps, expected);
    }
}
