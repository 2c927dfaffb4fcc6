//! How far an experiment is, on standard error: a bar on a terminal, a plain line at each tenth elsewhere.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;

use crate::lab::experiments::Watch;
use crate::report::figures;

/// Shows how many runs have ended.
pub struct Progress {
    shown: Shown,
}

enum Shown {
    Live(ProgressBar),
    Plain(Mutex<Runs>),
    Nothing,
}

/// The runs under way.
#[derive(Default)]
struct Runs {
    what: String,
    all: usize,
    done: usize,
}

impl Progress {
    /// In the form that suits standard error; none where `quiet`.
    pub fn new(quiet: bool) -> Self {
        let shown = if quiet {
            Shown::Nothing
        } else if io::stderr().is_terminal() {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{wide_msg} {pos}/{len} runs, {elapsed}, {eta} left {bar:20}");
            bar.set_style(style.expect("the template is well formed"));
            Shown::Live(bar)
        } else {
            Shown::Plain(Mutex::default())
        };
        Self { shown }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Shown::Live(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Progress {
    fn begin(&self, what: &str, runs: usize) {
        match &self.shown {
            Shown::Live(bar) => {
                bar.reset();
                bar.set_length(runs as u64);
                bar.set_message(what.to_owned());
            }
            Shown::Plain(state) => *state.lock() = Runs { what: what.to_owned(), all: runs, done: 0 },
            Shown::Nothing => {}
        }
    }

    fn done(&self) {
        match &self.shown {
            Shown::Live(bar) => bar.inc(1),
            Shown::Plain(state) => {
                if let Some(line) = state.lock().next() {
                    // Nobody reads it any more: no reason to end the experiment.
                    let _ = writeln!(io::stderr(), "{line}");
                }
            }
            Shown::Nothing => {}
        }
    }
}

impl Runs {
    /// Counts one more; a line where another tenth is done.
    fn next(&mut self) -> Option<String> {
        let tenth = |done: usize| done * 10 / self.all.max(1);
        let before = tenth(self.done);
        self.done += 1;
        let count = |n: usize| figures::count(n as u64);
        (tenth(self.done) > before).then(|| format!("{}: {} of {} runs", self.what, count(self.done), count(self.all)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_comes_at_each_tenth_and_no_more() {
        let mut runs = Runs { what: "spirit".to_owned(), all: 40, done: 0 };
        let lines: Vec<_> = (0..40).filter_map(|_| runs.next()).collect();
        assert_eq!(lines.len(), 10);
        assert_eq!((lines[0].as_str(), lines[9].as_str()), ("spirit: 4 of 40 runs", "spirit: 40 of 40 runs"));
        let mut few = Runs { what: String::new(), all: 3, done: 0 };
        assert_eq!((0..3).filter_map(|_| few.next()).count(), 3);
    }
}
