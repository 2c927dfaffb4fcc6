//! Progress of an experiment, on standard error: a bar on a terminal, a plain line every ten seconds elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;

use crate::experiments::Watch;
use harvestman_core::clock::{Clock, Instant};
use harvestman_report::{figures, terminal};

/// Interval of the plain lines.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows how many runs have ended.
pub struct RunProgress {
    shown: Shown,
}

enum Shown {
    Live(ProgressBar),
    Plain(Clock, Mutex<Runs>),
    Nothing,
}

/// The runs of the current corpus.
struct Runs {
    what: String,
    all: usize,
    done: usize,
    /// The time of the last line, or of the start.
    line: Instant,
}

impl RunProgress {
    /// Chooses the form for standard error; shows nothing if `quiet`.
    pub fn new(quiet: bool) -> Self {
        let shown = if quiet {
            Shown::Nothing
        } else if terminal::is_interactive() {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{wide_msg} {pos}/{len} runs, {elapsed}, {eta} left {bar:20}");
            bar.set_style(style.expect("the template is well formed"));
            Shown::Live(bar)
        } else {
            let clock = Clock::system();
            let line = clock.now();
            Shown::Plain(clock, Mutex::new(Runs { what: String::new(), all: 0, done: 0, line }))
        };
        Self { shown }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Shown::Live(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

impl Watch for RunProgress {
    fn begin(&self, what: &str, runs: usize) {
        match &self.shown {
            Shown::Live(bar) => {
                bar.reset();
                bar.set_length(runs as u64);
                bar.set_message(terminal::safe(what).into_owned());
            }
            Shown::Plain(_, state) => {
                let mut state = state.lock();
                let line = state.line;
                *state = Runs { what: what.to_owned(), all: runs, done: 0, line };
            }
            Shown::Nothing => {}
        }
    }

    fn done(&self) {
        match &self.shown {
            Shown::Live(bar) => bar.inc(1),
            Shown::Plain(clock, state) => {
                if let Some(line) = state.lock().done(clock.now()) {
                    tell!("{line}");
                }
            }
            Shown::Nothing => {}
        }
    }
}

impl Runs {
    /// Counts one run. Returns a line if the last one is older than [`LINE_EVERY`].
    fn done(&mut self, now: Instant) -> Option<String> {
        self.done += 1;
        if now.since(self.line) < LINE_EVERY {
            return None;
        }
        self.line = now;
        let count = |n: usize| figures::count(n as u64);
        Some(format!("{}: {} of {} runs", self.what, count(self.done), count(self.all)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_comes_every_ten_seconds_and_no_sooner() {
        let mut runs = Runs { what: "spirit".to_owned(), all: 40, done: 0, line: Instant::EPOCH };
        let lines: Vec<_> = (1..=40).filter_map(|second| runs.done(Instant::from_micros(second * 1_000_000))).collect();
        assert_eq!(
            lines,
            ["spirit: 10 of 40 runs", "spirit: 20 of 40 runs", "spirit: 30 of 40 runs", "spirit: 40 of 40 runs"]
        );
    }
}
