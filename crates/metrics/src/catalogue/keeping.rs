//! Persistence: the archive, the state, and recrawls.

use super::super::instrument::{Gauge, Histogram, SecondsCounter};
use super::*;

group! {
    /// WARC files and the page log.
    pub struct ArchiveMetrics stage "archive" {
        received: "Outcomes passed to the archive: a page's records and its line, or only the line.",
        sent: "Outcomes written.",
        dropped by ARCHIVE_REFUSALS: "Outcomes that could not be written, by reason. The first one ends the crawl; everything written before is intact."
    } {
        /// Outcomes that wait for the archive's thread. At 256 the workers wait for the disk.
        queue_length: Gauge = "harvestman_archive_queue_length";
        /// Bytes of records that wait for the archive's thread; at most 32 MiB.
        queue_bytes: Gauge = "harvestman_archive_queue_bytes";
        /// Time that the archive's thread spent writing. It is one thread: near one second per second the disk is the
        /// bottleneck of the crawl.
        busy_seconds: SecondsCounter = "harvestman_archive_busy_seconds_total";
        /// Duration of syncing written data to disk, in seconds.
        sync_seconds: Histogram = "harvestman_archive_sync_seconds" buckets DISK_SECONDS;
        /// Bytes written to WARC files, compressed.
        written_bytes: Counter = "harvestman_archive_written_bytes_total";
        /// WARC records written, by type; `revisit` means that the archive already has the payload.
        records: CounterBy = "harvestman_archive_records_total" by "type" in RECORD_TYPES;
        /// WARC files created.
        files: Counter = "harvestman_archive_files_total";
        /// Closed WARC files that were uploaded, or failed to be (each try counts), if `archive.upload` is set.
        uploads: CounterBy = "harvestman_archive_uploads_total" by "outcome" in UPLOAD_OUTCOMES;
        /// Bytes of WARC files that were uploaded.
        uploaded_bytes: Counter = "harvestman_archive_uploaded_bytes_total";
        /// Closed WARC files that are not uploaded yet. If it grows, the storage is too slow or does not answer.
        upload_waiting_files: Gauge = "harvestman_archive_upload_waiting_files";
        /// New and changed posts written to posts.jsonl, if `archive.posts` is set.
        posts: Counter = "harvestman_archive_posts_total";
        /// Pages that were read for their posts.
        posts_pages: Counter = "harvestman_archive_posts_pages_total";
        /// Pages among them that were given up, because finding their posts takes too long, as on pages made for that.
        /// The log names them.
        posts_given_up: Counter = "harvestman_archive_posts_given_up_pages_total";
        /// Threads that the posts in posts.jsonl are in.
        posts_threads: Gauge = "harvestman_archive_posts_threads";
        /// Bytes of the page log whose pages were not read for their posts yet. What is left at the end of the crawl is
        /// read then.
        posts_behind_bytes: Gauge = "harvestman_archive_posts_behind_bytes";
        /// Free bytes of the file system of the crawl directory. The crawl ends when none are left.
        free_bytes: Gauge = "harvestman_archive_free_bytes";
    }
}

impl ArchiveMetrics {
    /// Returns the number of exchanges in WARC files: each has one response or revisit record. Outcomes without a
    /// request, which have only a line in the page log, do not count.
    pub fn exchanges(&self) -> u64 {
        self.records.by("response").get() + self.records.by("revisit").get()
    }
}

group! {
    /// The state on disk, if it is enabled.
    pub struct StateMetrics {
        /// Changes that wait to be committed. Near its bound, twice the leases, the frontier waits for the disk.
        queue_length: Gauge = "harvestman_state_queue_length";
        /// Groups of changes that were committed.
        commits: Counter = "harvestman_state_commits_total";
        /// Pages whose outcome was committed.
        pages: Counter = "harvestman_state_pages_total";
        /// Duration of a commit in seconds, including the sync of the archive before it.
        commit_seconds: Histogram = "harvestman_state_commit_seconds" buckets DISK_SECONDS;
        /// Groups that could not be committed. The first one ends the crawl, and `harvestman resume` resumes from the
        /// last committed one.
        failures: Counter = "harvestman_state_commit_failures_total";
    }
}

group! {
    /// Visits to known pages, in a recrawl.
    pub struct RecrawlMetrics {
        /// Visits to known pages, by what they found; few `changed` ones mean that most requests are wasted.
        visits: CounterBy = "harvestman_recrawl_visits_total" by "outcome" in VISIT_OUTCOMES;
        /// New pages that were fetched.
        new_pages: Counter = "harvestman_recrawl_new_pages_total";
    }
}
