//! How the outside takes part in a crawl: it asks the crawl to stop, and is told where the crawl stands.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

use super::live::Live;
use super::{Commands, CrawlStatus};

/// Asks a crawl to stop: to start nothing new, finish what is in flight, close its files and report. All clones are one flag.
#[derive(Debug, Clone)]
pub struct StopFlag {
    sender: Arc<watch::Sender<bool>>,
}

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)) }
    }

    /// Raises the flag; it cannot be lowered.
    pub fn request(&self) {
        self.sender.send_replace(true);
    }

    /// Whether the flag is raised.
    pub fn requested(&self) -> bool {
        *self.sender.borrow()
    }

    /// Waits until the flag is raised.
    pub async fn wait(&self) {
        // An error would mean that the sender is gone, and it is held by `self`.
        let _ = self.sender.subscribe().wait_for(|raised| *raised).await;
    }
}

impl Default for StopFlag {
    fn default() -> Self {
        Self::new()
    }
}

/// Lets a crawl rest: while it is on, nothing new is started. All clones are one switch.
#[derive(Debug, Clone)]
pub struct PauseSwitch {
    sender: Arc<watch::Sender<bool>>,
}

impl PauseSwitch {
    /// A switch that is off.
    pub fn new() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)) }
    }

    /// Turns it on or off.
    pub fn set(&self, paused: bool) {
        self.sender.send_replace(paused);
    }

    /// Waits until it is not what it `was`.
    pub async fn changed_from(&self, was: bool) {
        // An error would mean that the sender is gone, and it is held by `self`.
        let _ = self.sender.subscribe().wait_for(|paused| *paused != was).await;
    }
}

impl Default for PauseSwitch {
    fn default() -> Self {
        Self::new()
    }
}

/// What a crawl is handed besides its configuration.
#[derive(Clone)]
pub struct Hooks {
    /// Ends the crawl early.
    pub stop: StopFlag,
    /// Lets the crawl rest.
    pub pause: PauseSwitch,
    /// Tells it other things while it runs.
    pub commands: Commands,
    /// Is told where the crawl stands, about once a second and at the end. Must not block.
    pub on_status: Arc<dyn Fn(&CrawlStatus) + Send + Sync>,
    /// Where the crawl counts.
    pub metrics: harvestman_metrics::Metrics,
    /// Where it shows itself to those who watch.
    pub live: Live,
}

impl Hooks {
    /// Hooks that never stop the crawl, listen to nothing and count where nobody reads: for tests and benches.
    pub fn none() -> Self {
        Self {
            stop: StopFlag::new(),
            pause: PauseSwitch::new(),
            commands: Commands::new(),
            on_status: Arc::new(|_| {}),
            metrics: harvestman_metrics::Metrics::new(),
            live: Live::closed(),
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("stop", &self.stop).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_reaches_every_clone_and_everybody_who_waits() {
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
