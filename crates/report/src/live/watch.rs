//! The way of views from the crawl to those who watch.

use std::sync::Arc;

use tokio::sync::watch;

use super::LiveView;

/// What is to be seen.
#[derive(Debug, Clone, Default)]
pub enum Shown {
    /// Nothing yet.
    #[default]
    Nothing,
    /// A view, as JSON.
    View(Arc<str>),
    /// The crawl has ended; why.
    Ended(Arc<str>),
}

/// Where views are shown, and who watches is counted. All clones are one. Each view replaces the one before.
#[derive(Debug, Clone)]
pub struct Live {
    open: bool,
    sender: Arc<watch::Sender<Shown>>,
}

impl Live {
    /// A place that people can come to.
    pub fn open() -> Self {
        Self { open: true, sender: Arc::new(watch::Sender::new(Shown::Nothing)) }
    }

    /// A place that nobody can come to: nothing is made for it.
    pub fn closed() -> Self {
        Self { open: false, ..Self::open() }
    }

    /// Whether anybody can come.
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Whether anybody watches.
    pub fn is_watched(&self) -> bool {
        self.open && self.sender.receiver_count() > 0
    }

    /// Shows a view.
    pub fn show(&self, view: &LiveView) {
        match serde_json::to_string(view) {
            Ok(json) => {
                self.sender.send_replace(Shown::View(json.into()));
            }
            Err(error) => tracing::error!(%error, "the live page has no view of the crawl"),
        }
    }

    /// Tells all who watch that the crawl has ended.
    pub fn end(&self, why: &str) {
        self.sender.send_replace(Shown::Ended(why.into()));
    }

    /// Watches from now on.
    pub fn watch(&self) -> watch::Receiver<Shown> {
        self.sender.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_watches_is_counted_and_sees_the_latest_view_and_the_end() {
        let live = Live::open();
        assert!(live.is_open() && !live.is_watched() && !Live::closed().is_open());
        let mut watching = live.watch();
        assert!(live.is_watched());
        live.show(&LiveView { time: "now".to_owned(), ..LiveView::default() });
        watching.changed().await.unwrap();
        let seen = watching.borrow_and_update().clone();
        assert!(matches!(seen, Shown::View(json) if json.contains("\"time\":\"now\"")));
        live.end("done");
        watching.changed().await.unwrap();
        assert!(matches!(&*watching.borrow(), Shown::Ended(why) if &**why == "done"));
        drop(watching);
        assert!(!live.is_watched());
    }
}
