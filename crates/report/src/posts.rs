//! How far the posts of a running crawl are.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// The posts that were written so far, if `archive.posts` is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PostProgress {
    /// Number of posts.
    pub posts: u64,
    /// Number of threads that they are in.
    pub threads: u64,
    /// Number of their authors.
    pub authors: u64,
    /// Bytes of the page log whose pages were not read for posts yet.
    pub behind_bytes: u64,
}

/// Passes the progress from the thread that writes posts to the status. All clones share one value.
#[derive(Debug, Clone, Default)]
pub struct PostBoard(Arc<Mutex<Option<PostProgress>>>);

impl PostBoard {
    /// Replaces the progress.
    pub fn show(&self, progress: PostProgress) {
        *self.0.lock() = Some(progress);
    }

    /// Returns the latest progress; `None` if no posts are written.
    pub fn latest(&self) -> Option<PostProgress> {
        *self.0.lock()
    }
}
