//! Counts the requests that are neither GET nor HEAD. A crawler sends none.

use std::sync::atomic::{AtomicU64, Ordering};

use super::client::Action;

/// The path of the counts, on every host. Requests for it are not logged.
pub(super) const PATH: &str = "/__counts";

/// The number of such requests, by what they ask for.
#[derive(Debug, Default)]
pub(super) struct ActionCounts {
    vote: AtomicU64,
    delete: AtomicU64,
    log_out: AtomicU64,
    other: AtomicU64,
}

impl ActionCounts {
    /// Counts a request; `None` if it asks for no action of the site.
    pub fn add(&self, action: Option<Action>) {
        let count = match action {
            Some(Action::Vote) => &self.vote,
            Some(Action::Delete) => &self.delete,
            Some(Action::LogOut) => &self.log_out,
            None => &self.other,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the counts as JSON, with their sum.
    pub fn json(&self) -> String {
        let counts = [&self.vote, &self.delete, &self.log_out, &self.other];
        let [vote, delete, log_out, other] = counts.map(|count| count.load(Ordering::Relaxed));
        let total = vote + delete + log_out + other;
        let json = serde_json::json!({
            "total": total, "vote": vote, "delete": delete, "log_out": log_out, "other": other
        });
        format!("{json}\n")
    }
}
