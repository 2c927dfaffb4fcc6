//! The crawl as a whole, the frontier, and persistence: the archive, the state, and recrawls.

use super::*;
use crate::instrument::{CounterByPair, Gauge, Histogram, Info, OTHER, Ratio, RatioBy, SecondsCounter};
use harvestman_core::model::{Budget, Fate, PolicyRefusal, RobotsRefusal};

group! {
    /// The program.
    pub struct BuildMetrics {
        /// Always 1; its label is the version of the program.
        info: Info = "harvestman_build_info" by "version" in VERSIONS;
    }
}

group! {
    /// The crawl as a whole.
    pub struct CrawlMetrics {
        /// Always 1; its labels are the settings of the crawl: the policy, the order of filter and dedup, and the store
        /// of the URLs seen.
        info: Info = "harvestman_crawl_info" by "policy" in POLICIES, "order" in FILTER_ORDERS, "store" in DEDUP_STORES;
        /// Links discovered, including seeds: the sum of all fates and of the links that are queued in the frontier or
        /// leased.
        discovered: Counter = "harvestman_crawl_discovered_total";
        /// Links with a settled fate, by fate and reason, without those still queued. Many `failed` mean that servers
        /// fail or refuse the crawler, or that links are dead: see the reason.
        fates: CounterByPair = "harvestman_crawl_fates_total" by "fate" in FATES, "reason" in FATE_REASONS;
        /// Pages fetched successfully: the links with the fate `fetched`.
        pages: Counter = "harvestman_crawl_pages_total";
        /// Remaining share of a budget, from 1 to 0; 1 if there is no such budget. The crawl ends when one reaches 0.
        budget_remaining: RatioBy = "harvestman_crawl_budget_remaining_ratio" by "budget" in BUDGETS;
        /// 1 while the crawl is paused by command, otherwise 0.
        paused: Gauge = "harvestman_crawl_paused";
        /// 1 when the crawl only completes the requests in progress, because of a stop command or another reason to
        /// end, and when it has ended, otherwise 0.
        stopping: Gauge = "harvestman_crawl_stopping";
        /// Commands to the running crawl, by command and by result: done or refused.
        commands: CounterByPair = "harvestman_crawl_commands_total" by "command" in COMMANDS, "result" in ANSWERS;
    }
}

impl CrawlMetrics {
    /// Creates all countable series at the start.
    pub(crate) fn begin(&mut self) {
        for fate in labels::FATES {
            let reasons: &[&str] = match *fate {
                "failed" => labels::FAILURES,
                "out_of_scope" => labels::SCOPE_REFUSALS,
                "policy" => PolicyRefusal::LABELS,
                "robots" => RobotsRefusal::LABELS,
                "over_budget" => Budget::LABELS,
                "refused_by_site" => labels::HOST_SIGNALS,
                "not_kept" => labels::SIGNALS,
                _ => &[""],
            };
            self.fates.begin(fate, reasons.iter().copied());
        }
        for command in labels::COMMANDS {
            self.commands.begin(command, labels::ANSWERS.iter().copied());
        }
        self.set_budgets(&[]);
    }

    /// Sets the remaining share of each budget, given by its label; it is 1 for all budgets that are not given.
    pub fn set_budgets(&self, remaining: &[(&str, f64)]) {
        for budget in labels::BUDGETS.iter().copied().chain([OTHER]) {
            let given = remaining.iter().find(|(label, _)| *label == budget);
            self.budget_remaining.by(budget).set(given.map_or(1.0, |(_, share)| *share));
        }
    }

    /// Counts `count` links of one fate.
    pub fn count_fate(&self, fate: Fate, count: u64) {
        self.fates.by(fate.name(), fate.reason().unwrap_or_default()).add(count);
        if fate == Fate::Fetched {
            self.pages.add(count);
        }
    }
}

group! {
    /// The frontier: URLs that wait to be fetched.
    pub struct FrontierMetrics stage "frontier" {
        received: "URLs that entered the frontier: accepted new links. URLs from an earlier run are not counted again.",
        sent: "Leases of URLs to hosts; each try counts.",
        dropped by FRONTIER_REFUSALS: "URLs that were rejected by a limit on waiting URLs, or dropped while they waited because the policy does not want them any more, by reason."
    } {
        /// Leases that ended without an outcome, so that the URL waits again: transient failures, and hosts that
        /// suddenly must not be contacted.
        returned: Counter = "harvestman_frontier_returned_total";
        /// URLs that wait. If it rises without end, it reaches `frontier.queued_max`.
        queued: Gauge = "harvestman_frontier_queued_urls";
        /// Leased URLs whose outcome is not recorded yet.
        leased: Gauge = "harvestman_frontier_leased_urls";
        /// URLs whose outcome is written to the archive but not yet committed to the state. Near
        /// `frontier.in_flight_max` the disk is the bottleneck.
        uncommitted: Gauge = "harvestman_frontier_uncommitted_urls";
        /// URLs that this run lost because the file of waiting URLs could not be read. More than 0 ends the crawl; the
        /// state still has them.
        lost: Gauge = "harvestman_frontier_lost_urls";
        /// Time that the frontier spent processing outcomes and issuing leases. It is one thread: near one second per
        /// second it is the bottleneck of the crawl.
        busy_seconds: SecondsCounter = "harvestman_frontier_busy_seconds_total";
        /// Time that the frontier waited for the state to accept its changes. A fast rise means that the disk is too
        /// slow.
        waiting_seconds: SecondsCounter = "harvestman_frontier_waiting_seconds_total";
        /// The policy's expectation for the URLs leased recently: the moving mean of their scores, at most 1.
        expected_worth: Ratio = "harvestman_frontier_expected_worth_ratio";
        /// Share of the next requests that are expected to bring a page that is wanted and new, if the policy estimates
        /// it; the crawl ends when it is below `budget.early_stop`.
        expected_yield: Ratio = "harvestman_frontier_expected_yield_ratio";
    }
}

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
