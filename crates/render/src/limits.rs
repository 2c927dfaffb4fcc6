//! Limits on what a page may take.

use std::time::Duration;

/// Limits on a page that is rendered, and on a browser process.
#[derive(Debug, Clone)]
pub struct RenderLimits {
    /// Time that a page may take in which none of its requests waits for an answer.
    pub active: Duration,
    /// Time that a page may take in all.
    pub whole: Duration,
    /// Time without a request and without a change of the document after which the page counts as complete.
    pub quiet: Duration,
    /// Maximum number of times that a page is scrolled to its end.
    pub scrolls: u32,
    /// Maximum number of clicks on a page.
    pub clicks: u32,
    /// Maximum number of requests that a page may have answered.
    pub requests: u32,
    /// Maximum number of bytes of all answers of a page together.
    pub answers_bytes: usize,
    /// Maximum number of bytes of the document.
    pub document_bytes: usize,
    /// Maximum number of dialogs that are dismissed; with more the page counts as hung.
    pub dialogs: u32,
    /// Maximum size of the scripts' memory of a page, in MiB.
    pub heap_mib: u32,
    /// Number of pages after which the process is replaced.
    pub pages_per_process: u32,
    /// Memory of the browser's processes above which they are replaced, in bytes.
    pub process_bytes: u64,
}

impl Default for RenderLimits {
    fn default() -> Self {
        Self {
            active: Duration::from_secs(15),
            whole: Duration::from_secs(600),
            quiet: Duration::from_millis(500),
            scrolls: 20,
            clicks: 20,
            requests: 100,
            answers_bytes: 20 << 20,
            document_bytes: 10 << 20,
            dialogs: 10,
            heap_mib: 256,
            pages_per_process: 200,
            process_bytes: 1 << 30,
        }
    }
}
