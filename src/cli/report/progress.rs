//! Progress of reading a log, on standard error: a bar on a terminal, a plain line every ten seconds elsewhere, nothing
//! for short logs.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use harvestman_core::clock::{Clock, Instant};
use harvestman_report::{figures, terminal};

/// No progress is shown before this.
const SOON: Duration = Duration::from_secs(1);
/// Interval of the plain lines.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// Log lines between two readings of the clock.
const LOOK_EVERY: u64 = 4_096;

/// Shows how much of the log has been read.
pub(super) struct ReadProgress {
    clock: Option<Clock>,
    began: Instant,
    shown: Option<Instant>,
    lines: u64,
    bar: Option<ProgressBar>,
}

impl ReadProgress {
    /// Starts the clock. Never shows anything if `quiet`.
    pub(super) fn new(quiet: bool) -> Self {
        let clock = Clock::system();
        let began = clock.now();
        Self { clock: (!quiet).then_some(clock), began, shown: None, lines: 0, bar: None }
    }

    /// Counts one line; `bytes` returns the bytes read and the total.
    pub(super) fn line(&mut self, bytes: impl FnOnce() -> (u64, u64)) {
        self.lines += 1;
        let Some(clock) = self.clock.as_ref().filter(|_| self.lines.is_multiple_of(LOOK_EVERY)) else { return };
        let now = clock.now();
        if now.since(self.began) < SOON {
            return;
        }
        let (read, length) = bytes();
        if terminal::is_interactive() {
            let bar = self.bar.get_or_insert_with(|| bar(length));
            bar.set_position(read);
        } else if now.since(*self.shown.get_or_insert(self.began)) >= LINE_EVERY {
            self.shown = Some(now);
            let (read, length, lines) = (figures::bytes(read), figures::bytes(length), figures::count(self.lines));
            tell!("reading the page log: {read} of {length}, {lines} lines");
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template("reading the page log {bar:30} {bytes} of {total_bytes}, {eta} left");
    bar.set_style(style.expect("the template is well formed"));
    bar
}
