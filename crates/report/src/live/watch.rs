//! The channel that carries views from the crawl to its viewers.

use std::sync::Arc;

use tokio::sync::watch;

use super::LiveView;

/// What viewers currently see.
#[derive(Debug, Clone, Default)]
pub enum LiveState {
    /// Nothing yet.
    #[default]
    Nothing,
    /// A view, as JSON.
    View(Arc<str>),
    /// The crawl has ended, for this reason.
    Ended(Arc<str>),
}

/// A channel that publishes views and counts its viewers. All clones share one channel. Each view replaces the one
/// before.
#[derive(Debug, Clone)]
pub struct Live {
    open: bool,
    sender: Arc<watch::Sender<LiveState>>,
}

impl Live {
    /// Creates a channel that accepts viewers.
    pub fn open() -> Self {
        Self { open: true, sender: Arc::new(watch::Sender::new(LiveState::Nothing)) }
    }

    /// Creates a channel that never has viewers: no view is made for it.
    pub fn closed() -> Self {
        Self { open: false, ..Self::open() }
    }

    /// Returns whether the channel accepts viewers.
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Returns whether there is a viewer.
    pub fn is_watched(&self) -> bool {
        self.open && self.sender.receiver_count() > 0
    }

    /// Publishes a view.
    pub fn show(&self, view: &LiveView) {
        match serde_json::to_string(view) {
            Ok(json) => {
                self.sender.send_replace(LiveState::View(json.into()));
            }
            Err(error) => tracing::error!(%error, "the view for the live page could not be serialised"),
        }
    }

    /// Notifies all viewers that the crawl has ended.
    pub fn end(&self, why: &str) {
        self.sender.send_replace(LiveState::Ended(why.into()));
    }

    /// Subscribes a new viewer.
    pub fn watch(&self) -> watch::Receiver<LiveState> {
        self.sender.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_viewer_is_counted_and_receives_the_latest_view_and_the_end() {
        let live = Live::open();
        assert!(live.is_open() && !live.is_watched() && !Live::closed().is_open());
        let mut viewer = live.watch();
        assert!(live.is_watched());
        live.show(&LiveView { time: "now".to_owned(), ..LiveView::default() });
        viewer.changed().await.unwrap();
        let seen = viewer.borrow_and_update().clone();
        assert!(matches!(seen, LiveState::View(json) if json.contains("\"time\":\"now\"")));
        live.end("done");
        viewer.changed().await.unwrap();
        assert!(matches!(&*viewer.borrow(), LiveState::Ended(why) if &**why == "done"));
        drop(viewer);
        assert!(!live.is_watched());
    }
}
