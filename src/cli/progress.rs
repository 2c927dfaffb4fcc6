//! Progress of reading a log, or of an export, on standard error: a redrawn line or a bar on a terminal, a line every
//! ten seconds elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use harvestman_core::clock::{Clock, Instant};
use harvestman_report::{figures, terminal};

/// Items, or lines of a log, between two readings of the clock.
const STEPS: u64 = 4_096;
/// Interval of the plain lines.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows the number of items that are done.
pub struct ExportProgress {
    what: &'static str,
    clock: Clock,
    started: Instant,
    next: Instant,
    bar: Option<ProgressBar>,
    quiet: bool,
}

impl ExportProgress {
    /// Counts `what`, for example `captures`; shows nothing if `quiet`.
    pub fn new(what: &'static str, quiet: bool) -> Self {
        let clock = Clock::system();
        let started = clock.now();
        let bar = (!quiet && terminal::is_interactive()).then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").expect("the template is well formed"));
            bar
        });
        Self { what, clock, started, next: started + LINE_EVERY, bar, quiet }
    }

    /// Updates the count.
    pub fn show(&mut self, count: u64) {
        if self.quiet || !count.is_multiple_of(STEPS) {
            return;
        }
        let now = self.clock.now();
        let line = || {
            let seconds = now.since(self.started).as_secs_f64().max(0.001);
            format!("{} {}, {}/s", figures::count(count), self.what, figures::rate(count as f64 / seconds))
        };
        match &self.bar {
            Some(bar) => {
                bar.set_message(line());
                bar.tick();
            }
            None if now >= self.next => {
                tell!("{}: {}", figures::time(now.since(self.started)), line());
                self.next = now + LINE_EVERY;
            }
            None => {}
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// No progress is shown before this.
const SOON: Duration = Duration::from_secs(1);
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
        let Some(clock) = self.clock.as_ref().filter(|_| self.lines.is_multiple_of(STEPS)) else { return };
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
