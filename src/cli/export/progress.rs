//! Progress of an export or an index, on standard error: a redrawn line on a terminal, a line every ten seconds
//! elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use harvestman_core::clock::{Clock, Instant};
use harvestman_report::{figures, terminal};

/// Items between two readings of the clock.
const STEPS: u64 = 4_096;
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
