//! The hooks of a crawl: the means to stop, pause and command it, and to receive its status; and its limits that are no
//! settings: no operator needs to turn them, and tests do.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

use super::live::Live;
use super::{Commands, CrawlStatus, PostBoard};
use harvestman_core::config::EARLY_STOP_REQUESTS;
use harvestman_core::recent_trees::RecentTrees;
use harvestman_stages::host::HostLimits;
use harvestman_storage::archive::ArchiveLimits;

/// Requests a crawl to stop: to start no new request, finish those in flight, close its files and report. All clones
/// share one flag.
#[derive(Debug, Clone)]
pub struct StopFlag {
    sender: Arc<watch::Sender<bool>>,
}

impl StopFlag {
    /// Creates a flag that is not raised.
    pub fn new() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)) }
    }

    /// Raises the flag; it cannot be lowered.
    pub fn request(&self) {
        self.sender.send_replace(true);
    }

    /// Returns whether the flag is raised.
    pub fn requested(&self) -> bool {
        *self.sender.borrow()
    }

    /// Waits until the flag is raised.
    pub async fn wait(&self) {
        // An error would mean that the sender was dropped, but `self` holds it.
        let _ = self.sender.subscribe().wait_for(|raised| *raised).await;
    }
}

impl Default for StopFlag {
    fn default() -> Self {
        Self::new()
    }
}

/// Pauses a crawl: while it is on, no new request is started. All clones share one switch.
#[derive(Debug, Clone)]
pub struct PauseSwitch {
    sender: Arc<watch::Sender<bool>>,
}

impl PauseSwitch {
    /// Creates a switch that is off.
    pub fn new() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)) }
    }

    /// Turns it on or off.
    pub fn set(&self, paused: bool) {
        self.sender.send_replace(paused);
    }

    /// Waits until its state differs from `was`.
    pub async fn changed_from(&self, was: bool) {
        // An error would mean that the sender was dropped, but `self` holds it.
        let _ = self.sender.subscribe().wait_for(|paused| *paused != was).await;
    }
}

impl Default for PauseSwitch {
    fn default() -> Self {
        Self::new()
    }
}

/// What a crawl is given besides its configuration.
#[derive(Clone)]
pub struct Hooks {
    /// Ends the crawl early.
    pub stop: StopFlag,
    /// Pauses the crawl.
    pub pause: PauseSwitch,
    /// Delivers other commands while the crawl runs.
    pub commands: Commands,
    /// Called with the status of the crawl about once per second and at the end. Must not block.
    pub on_status: Arc<dyn Fn(&CrawlStatus) + Send + Sync>,
    /// The metrics that the crawl updates.
    pub metrics: harvestman_metrics::Metrics,
    /// Publishes views for the live page.
    pub live: Live,
    /// Tells how far the posts are.
    pub posts: PostBoard,
    /// Takes the trees of pages for who follows the crawl.
    pub trees: RecentTrees,
    /// Limits that are no settings.
    pub limits: RunLimits,
}

impl Hooks {
    /// Creates hooks that never stop the crawl, ignore its status and discard its metrics: for tests and benches.
    pub fn none() -> Self {
        Self {
            stop: StopFlag::new(),
            pause: PauseSwitch::new(),
            commands: Commands::new(),
            on_status: Arc::new(|_| {}),
            metrics: harvestman_metrics::Metrics::new(),
            live: Live::closed(),
            posts: PostBoard::default(),
            trees: RecentTrees::default(),
            limits: RunLimits::default(),
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("stop", &self.stop).finish_non_exhaustive()
    }
}

/// Limits of a crawl that are no settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLimits {
    /// Of hosts.
    pub hosts: HostLimits,
    /// Of the archive.
    pub archive: ArchiveLimits,
    /// Number of ended pages after which their results are committed, even before `state.commit_every`; at most a
    /// quarter of the leases, so that hosts do not wait for a commit. A larger group saves no more writes to the disk.
    pub commit_pages: u32,
    /// Number of answers without a sign of the session of a log-in that wait together for the next sign of it before
    /// the session is checked. They are kept in memory; a session that lasts shows in one of so many.
    pub unsure_answers: usize,
    /// Number of requests that `budget.early_stop` looks ahead to.
    pub early_stop_requests: u32,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            hosts: HostLimits::default(),
            archive: ArchiveLimits::default(),
            commit_pages: 256,
            unsure_answers: 8,
            early_stop_requests: EARLY_STOP_REQUESTS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_reaches_every_clone_and_every_waiter() {
        let flag = StopFlag::new();
        let waiting = tokio::spawn({
            let flag = flag.clone();
            async move { flag.wait().await }
        });
        tokio::task::yield_now().await;
        assert!(!flag.requested() && !waiting.is_finished());
        flag.clone().request();
        waiting.await.unwrap();
        assert!(flag.requested());
        flag.wait().await;
    }
}
