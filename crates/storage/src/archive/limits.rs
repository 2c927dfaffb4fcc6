//! Limits of the archive's files and of its queue.

use std::time::Duration;

/// Limits of the archive's files and of its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Maximum time that lines of a log wait in memory: whoever follows the page log sees a page about when it was
    /// fetched.
    pub flush_every: Duration,
    /// Number of bytes of lines that are collected before they are written, regardless of time. A compressed batch of
    /// this size is about as small as the file as a whole would be.
    pub flush_bytes: usize,
    /// How often WARC files are synced to disk; zero: only when a file is closed. Only a power failure (not a crash of
    /// the process) can lose data that was not synced.
    pub sync_every: Duration,
    /// Disk space, in bytes, that is reserved while the crawl runs, so that the page log and the report can still be
    /// written when the disk is full: some batches of each log. Zero: none.
    pub reserve: u64,
    /// Maximum number of pages that wait for the writer; beyond it the CPU workers wait. It evens out a slow write or
    /// two; a disk that is slower than the crawl is not helped by a longer queue.
    pub queue_entries: usize,
    /// Maximum number of bytes of pages that wait for the writer; a single larger page is let through alone.
    pub queue_bytes: usize,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self {
            flush_every: Duration::from_secs(1),
            flush_bytes: 256 << 10,
            sync_every: Duration::from_secs(10),
            reserve: 1 << 20,
            queue_entries: 256,
            queue_bytes: 32 << 20,
        }
    }
}
