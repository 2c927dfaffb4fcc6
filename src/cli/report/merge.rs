//! Merges the page logs of several directories by time. One line of each log is held in memory.

use std::borrow::Cow;
use std::io;

use serde::Deserialize;

use crate::cli::lines::{Lines, Next};
use harvestman_core::clock::Instant;
use harvestman_report::document::line::instant;

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
pub(super) struct Merge {
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
