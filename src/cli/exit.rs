//! Exit codes, and errors that carry one.

use std::fmt;
use std::process::ExitCode;

use harvestman_pipeline as pipeline;
use harvestman_report::{Report, StopReason};

/// The exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success: the frontier is empty or a budget is used up.
    Done = 0,
    /// A command other than `crawl` failed.
    Failed = 1,
    /// The arguments or the configuration are invalid; nothing was done.
    Usage = 2,
    /// The crawl fetched no page at all.
    NothingFetched = 3,
    /// The output could not be written.
    Output = 4,
    /// An internal error of Harvestman.
    Internal = 70,
    /// The crawl was stopped by SIGINT or SIGTERM; its output is complete and the report is written.
    Interrupted = 130,
}

/// The exit codes, for `--help` and the reference.
pub const HELP: &str = "\
Exit codes:
  0    success: the frontier is empty, or a budget is used up
  1    a command other than crawl failed
  2    invalid arguments or configuration; nothing was done
  3    no page could be fetched
  4    the output could not be written (for example, disk full); earlier output is intact
  70   internal error
  130  interrupted (SIGINT, SIGTERM); files are closed and the report is written.
       A second signal exits immediately";

impl Exit {
    /// Returns the exit code of a crawl that has written its report.
    pub fn after(report: &Report) -> Self {
        match report.stop_reason {
            StopReason::ArchiveError | StopReason::DedupError | StopReason::StateError => Self::Output,
            StopReason::ExtensionError => Self::Failed,
            StopReason::Interrupted => Self::Interrupted,
            _ if report.has_nothing() => Self::NothingFetched,
            _ => Self::Done,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The reason why a command failed, with the exit code.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The message for the user; empty if it has been printed already.
    pub text: String,
}

impl Failure {
    /// Creates a failure that ends the process with `exit`.
    pub fn new(exit: Exit, what: impl fmt::Display) -> Self {
        Self { exit, text: what.to_string() }
    }

    /// Writes the message to the log, so that the log keeps its format, and clears it.
    pub fn logged(self) -> Self {
        tracing::error!("{}", self.text);
        Self { text: String::new(), ..self }
    }

    /// Creates a failure caused by invalid arguments or an invalid configuration.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, what)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        // With all causes, in one line.
        Self::new(Exit::Failed, format!("{error:#}"))
    }
}

impl From<pipeline::Error> for Failure {
    fn from(error: pipeline::Error) -> Self {
        let exit = match error {
            _ if error.is_usage() => Exit::Usage,
            pipeline::Error::Read { .. } => Exit::Failed,
            pipeline::Error::LogIn { .. } => Exit::NothingFetched,
            pipeline::Error::Internal(_) | pipeline::Error::EndlessPage(_) => Exit::Internal,
            _ => Exit::Output,
        };
        Self::new(exit, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::clock::Instant;
    use harvestman_report::{CrawlStatus, Run, Usage};

    #[test]
    fn an_output_error_overrides_an_interruption_which_overrides_an_empty_crawl() {
        let exit = |stop, pages| {
            let status = CrawlStatus { pages, ..CrawlStatus::default() };
            let report = Report::new(Run::default(), status, stop, Instant::EPOCH, Instant::EPOCH, Usage::default());
            Exit::after(&report)
        };
        assert_eq!(exit(StopReason::FrontierEmpty, 1), Exit::Done);
        assert_eq!(exit(StopReason::TimeBudget, 1), Exit::Done);
        assert_eq!(exit(StopReason::TimeBudget, 0), Exit::NothingFetched);
        assert_eq!(exit(StopReason::Interrupted, 0), Exit::Interrupted);
        assert_eq!(exit(StopReason::ArchiveError, 1), Exit::Output);
    }

    #[test]
    fn the_help_lists_every_code() {
        use Exit as E;
        for exit in [E::Done, E::Failed, E::Usage, E::NothingFetched, E::Output, E::Internal, E::Interrupted] {
            let code = exit as u8;
            assert!(HELP.lines().any(|line| line.trim().starts_with(&format!("{code} "))), "{code}");
        }
    }
}
