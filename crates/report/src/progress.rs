//! The progress of a crawl on standard error: a live line on a terminal, otherwise a plain line every ten seconds, or a
//! log event if the log is read by programs.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;

use super::{CrawlStatus, RecrawlFigures, figures, terminal};

/// The interval between lines that are not redrawn in place.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows the progress of a crawl.
#[derive(Debug)]
pub struct Progress {
    shown: Shown,
}

#[derive(Debug)]
enum Shown {
    /// A line that is redrawn in place.
    Live(ProgressBar),
    /// Lines of text; holds the time at which the next one is due.
    Plain(Mutex<Duration>),
    /// Log events; holds the time at which the next one is due.
    Logged(Mutex<Duration>),
    Nothing,
}

impl Progress {
    /// Creates a display on standard error: nothing if `quiet`, log events if `for_programs`, otherwise a live line on
    /// a terminal and plain lines elsewhere.
    pub fn new(quiet: bool, for_programs: bool) -> Self {
        let shown = if quiet {
            Shown::Nothing
        } else if for_programs {
            Shown::Logged(Mutex::new(LINE_EVERY))
        } else if terminal::is_interactive() {
            let bar = ProgressBar::new_spinner();
            bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").expect("the template is well formed"));
            bar.enable_steady_tick(Duration::from_millis(200));
            Shown::Live(bar)
        } else {
            Shown::Plain(Mutex::new(LINE_EVERY))
        };
        Self { shown }
    }

    /// Shows `status`. Lines and events that are not due yet are skipped.
    pub fn show(&self, status: &CrawlStatus) {
        match &self.shown {
            Shown::Live(bar) => bar.set_message(terminal::safe(&line(status)).into_owned()),
            Shown::Plain(next) => {
                if due(&mut next.lock(), status.elapsed) {
                    terminal::tell(format_args!("{}: {}", figures::time(status.elapsed), line(status)));
                }
            }
            Shown::Logged(next) => {
                if due(&mut next.lock(), status.elapsed) {
                    let CrawlStatus { pages, bytes, requests, queued, leased, discovered, .. } = status;
                    tracing::info!(pages, bytes, requests, queued, leased, discovered, "progress");
                }
            }
            Shown::Nothing => {}
        }
    }

    /// Calls `write`, which writes whole lines, while the live line is hidden.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.shown {
            Shown::Live(bar) => bar.suspend(write),
            Shown::Plain(_) | Shown::Logged(_) | Shown::Nothing => write(),
        }
    }

    /// Removes the live line.
    pub fn finish(&self) {
        if let Shown::Live(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// Returns whether the line of `next` is due at `elapsed`, and advances `next` beyond it; missed lines are skipped.
fn due(next: &mut Duration, elapsed: Duration) -> bool {
    let due = elapsed >= *next;
    while *next <= elapsed {
        *next += LINE_EVERY;
    }
    due
}

/// Formats a status as `1,234 pages, 20.5/s, 12.0 MiB, 5,678 queued, 3 tls, 1 min 5 s left`.
pub fn line(status: &CrawlStatus) -> String {
    let mut parts = vec![
        pages(status),
        format!("{}/s", figures::rate(status.pages_per_second())),
        figures::bytes(status.bytes),
        format!("{} queued", figures::count(status.queued)),
    ];
    parts.extend(status.recrawl.as_ref().map(RecrawlFigures::line));
    let mut errors: Vec<_> = status.errors.iter().filter(|(_, count)| **count > 0).collect();
    errors.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    parts.extend(errors.iter().take(3).map(|(reason, count)| format!("{} {reason}", figures::count(**count))));
    if errors.len() > 3 {
        let others: u64 = errors.iter().skip(3).map(|(_, count)| **count).sum();
        parts.push(format!("{} other errors", figures::count(others)));
    }
    if let Some(outlook) = status.outlook {
        parts.push(format!("{:.0} % expected yield", outlook.expected_yield * 100.0));
    }
    if status.draining {
        parts.push(format!("stopping, {} in flight", figures::count(status.leased)));
    } else if let Some(left) = status.time_left() {
        parts.push(format!("{} left", figures::time(left)));
    }
    parts.join(", ")
}

/// Formats the pages, and how many of them were wanted.
fn pages(status: &CrawlStatus) -> String {
    let pages = figures::count(status.pages);
    match status.wanted {
        Some(wanted) => format!("{pages} pages ({} wanted)", figures::count(wanted)),
        None => format!("{pages} pages"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BudgetKind, BudgetUse};

    fn status() -> CrawlStatus {
        CrawlStatus {
            elapsed: Duration::from_secs(60),
            pages: 1_230,
            bytes: 12 << 20,
            queued: 5_678,
            leased: 4,
            ..CrawlStatus::default()
        }
    }

    #[test]
    fn the_line_has_counts_rate_and_time_left() {
        assert_eq!(line(&status()), "1,230 pages, 20.5/s, 12.0 MiB, 5,678 queued");
        let budgets = vec![BudgetUse { budget: BudgetKind::Pages, used: 1_230, limit: 2_460 }];
        let status = CrawlStatus { budgets, ..status() };
        assert_eq!(line(&status), "1,230 pages, 20.5/s, 12.0 MiB, 5,678 queued, 1 min 0 s left");
        let status = CrawlStatus { draining: true, wanted: Some(1_040), ..status };
        assert_eq!(line(&status), "1,230 pages (1,040 wanted), 20.5/s, 12.0 MiB, 5,678 queued, stopping, 4 in flight");
    }

    #[test]
    fn the_three_most_frequent_errors_are_named_and_the_others_summed() {
        let errors = [("connect", 1), ("dns", 2), ("tls", 30), ("http_404", 4), ("http_5xx", 1), ("protocol", 0)];
        let errors = errors.map(|(reason, count)| (reason.into(), count)).into();
        let status = CrawlStatus { errors, ..status() };
        assert!(line(&status).ends_with("queued, 30 tls, 4 http_404, 2 dns, 2 other errors"), "{}", line(&status));
    }

    #[test]
    fn a_plain_line_is_due_at_most_every_ten_seconds() {
        let mut next = LINE_EVERY;
        let asked = [1, 9, 10, 11, 19, 20, 45, 46, 50];
        let shown: Vec<_> = asked.into_iter().filter(|at| due(&mut next, Duration::from_secs(*at))).collect();
        assert_eq!(shown, [10, 20, 45, 50]);
    }
}
