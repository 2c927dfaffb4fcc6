//! Keeps the crawl logged in: checks the session when answers leave it open, and logs in again when it is lost.

use std::sync::Arc;
use std::time::Duration;

use super::log_in::{LogIn, SessionCheck};
use super::problem::LogInProblem;
use super::session::Session;
use super::store::SessionStore;
use crate::error::Error;
use crate::handles::{FrontierHandle, HostsHandle};
use harvestman_core::clock::Clock;
use harvestman_login::Marks;
use harvestman_metrics::HostMetrics;
use harvestman_stages::host::ContentReport;

/// Maximum number of log-ins of a run. A session that is lost again and again means that something that is followed
/// ends it, or that somebody else uses the account; the site may lock it.
const LOG_INS_MAX: u32 = 100;

/// How often the keeper looks whether the crawl ends while answers wait.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// What a keeper is built from.
pub(crate) struct KeeperParts {
    pub(crate) session: Arc<Session>,
    pub(crate) log_in: LogIn,
    /// `None` if the state is not persisted.
    pub(crate) store: Option<Arc<SessionStore>>,
    pub(crate) frontier: FrontierHandle,
    pub(crate) hosts: HostsHandle,
    pub(crate) clock: Clock,
    pub(crate) metrics: Arc<HostMetrics>,
}

/// Keeps the crawl logged in.
pub(crate) struct SessionKeeper {
    parts: KeeperParts,
    /// The number of log-ins of this run.
    log_ins: u32,
}

/// Why the keeper stops to try.
enum GivenUp {
    /// Nothing is sent to the host any more.
    NotSent,
    Failed(LogInProblem),
}

impl SessionKeeper {
    pub(crate) const fn new(parts: KeeperParts) -> Self {
        Self { parts, log_ins: 0 }
    }

    /// Logs in before the crawl begins, unless the session of an earlier run still holds.
    ///
    /// # Errors
    /// The log-in failed. Nothing was fetched.
    pub(crate) async fn begin(&mut self) -> Result<(), Error> {
        let parts = &self.parts;
        if let Some(marks) = parts.session.marks() {
            match parts.log_in.check(&marks).await {
                Ok(SessionCheck { asked_at, holds: true }) => {
                    parts.session.logged_in((*marks).clone(), asked_at);
                    parts.hosts.session_found(parts.session.host());
                    tracing::info!("the session of the last run holds");
                    return Ok(());
                }
                Ok(_) => tracing::info!("the session of the last run has ended: logging in again"),
                Err(problem) if problem.is_end_of_crawl() => return Ok(()),
                Err(problem) => tracing::warn!(%problem, "the session of the last run cannot be checked"),
            }
        }
        match self.log_in().await {
            Err(problem) if problem.is_end_of_crawl() => Ok(()),
            Err(problem) => {
                Err(Error::LogIn { page: self.parts.log_in.page().to_string(), reason: problem.to_string() })
            }
            Ok(()) => Ok(()),
        }
    }

    /// Keeps the session until the crawl ends.
    pub(crate) async fn run(mut self) {
        loop {
            let parts = &self.parts;
            match parts.session.check_at() {
                None => parts.session.changed.notified().await,
                // It cannot be checked any more.
                Some(_) if parts.frontier.allowance().is_stopped() => parts.session.give_up(),
                Some(at) if at <= parts.clock.now() || self.nothing_else_is_done() => self.check().await,
                Some(at) => {
                    let look = (parts.clock.now() + LOOK_EVERY).min(at);
                    let _ = tokio::time::timeout(look.since(parts.clock.now()), parts.session.changed.notified()).await;
                }
            }
        }
    }

    /// Returns whether nothing waits and nothing else is in progress, so that no other answer can show the session.
    fn nothing_else_is_done(&self) -> bool {
        let (waiting, under_way, _) = self.parts.frontier.activity().now();
        waiting == 0 && under_way <= self.parts.session.waiting() as u64
    }

    /// Checks the session. If it is lost, the host waits while the crawl logs in again.
    async fn check(&mut self) {
        let parts = &self.parts;
        let Some(marks) = parts.session.marks() else { return parts.session.give_up() };
        match self.checked(&marks).await {
            Ok(SessionCheck { asked_at, holds: true }) => self.parts.session.holds(asked_at),
            Ok(_) => self.lost().await,
            Err(GivenUp::NotSent) => self.parts.session.give_up(),
            Err(GivenUp::Failed(problem)) => {
                tracing::warn!(%problem, "whether the crawl is still logged in cannot be checked");
                self.lost().await;
            }
        }
    }

    /// Has the host wait, puts back what was perhaps answered as to a guest, and logs in again.
    async fn lost(&mut self) {
        let parts = &self.parts;
        parts.metrics.sessions_lost.inc();
        parts.hosts.report_content(parts.session.host().clone(), ContentReport::SessionLost);
        parts.session.lost();
        let host = parts.session.host().as_str();
        tracing::warn!(
            host,
            "the session is lost: what was answered without it is asked for again after the next log-in"
        );
        let tries = parts.log_in.options().tries.max(1);
        for attempt in 0..tries {
            if self.log_ins >= LOG_INS_MAX {
                return self.wait_for_operator(&format!("this run has logged in {LOG_INS_MAX} times"));
            }
            if attempt > 0 {
                self.pause(attempt - 1).await;
            }
            match self.log_in().await {
                Ok(()) => return,
                // Its URLs wait for the next run.
                Err(problem) if problem.is_end_of_crawl() => return,
                Err(problem) if attempt + 1 == tries => return self.wait_for_operator(&problem.to_string()),
                Err(problem) => {
                    tracing::warn!(host = self.parts.session.host().as_str(), %problem, "the log-in failed; it is tried again")
                }
            }
        }
    }

    /// Says that the host waits from now on, and what to do.
    fn wait_for_operator(&self, reason: &str) {
        tracing::error!(
            host = self.parts.session.host().as_str(),
            reason,
            "the crawl cannot log in again: the URLs of the host wait. Stop the crawl, log in with a browser to see what the site \
             asks for, correct the settings of the log-in and the password, and continue with `harvestman resume DIR`"
        );
    }

    /// Logs in once.
    async fn log_in(&mut self) -> Result<(), LogInProblem> {
        self.log_ins = self.log_ins.saturating_add(1);
        let parts = &self.parts;
        let known = parts.session.marks();
        let result = Box::pin(parts.log_in.log_in(known.as_deref())).await;
        parts.metrics.log_ins.by(if result.is_ok() { "succeeded" } else { "failed" }).inc();
        let (marks, at) = result?;
        tracing::info!(host = parts.session.host().as_str(), "logged in");
        parts.session.logged_in(marks, at);
        self.save();
        parts.hosts.session_found(parts.session.host());
        Ok(())
    }

    /// Writes cookies and what was learned.
    fn save(&self) {
        if let Some(store) = &self.parts.store {
            store.save(self.parts.session.learned());
        }
    }

    /// Asks for the check page, as often as for a log-in if that fails.
    async fn checked(&self, marks: &Marks) -> Result<SessionCheck, GivenUp> {
        let tries = self.parts.log_in.options().tries.max(1);
        let mut attempt = 0;
        loop {
            match self.parts.log_in.check(marks).await {
                Ok(check) => return Ok(check),
                Err(problem) if problem.is_end_of_crawl() || problem.is_block() => return Err(GivenUp::NotSent),
                Err(problem) if attempt + 1 >= tries => return Err(GivenUp::Failed(problem)),
                Err(problem) => tracing::debug!(%problem, "the session cannot be checked; it is tried again"),
            }
            self.pause(attempt).await;
            attempt += 1;
        }
    }

    /// Waits before the next try, twice as long each time; not after the crawl is stopped.
    async fn pause(&self, attempt: u32) {
        let pause =
            self.parts.log_in.options().backoff.0.saturating_mul(1_u32.checked_shl(attempt).unwrap_or(u32::MAX));
        let until = self.parts.clock.now() + pause;
        while self.parts.clock.now() < until && !self.parts.frontier.allowance().is_stopped() {
            let rest = until.since(self.parts.clock.now());
            self.parts.clock.sleep(rest.min(LOOK_EVERY)).await;
        }
    }
}
