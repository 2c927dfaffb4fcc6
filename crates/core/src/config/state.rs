//! Settings of the state on disk.

use super::Period;

crate::options! {
    /// The state of a crawl on disk, from which `harvestman resume` resumes it.
    pub struct StateOptions in "state" {
        /// Whether the state is persisted on disk, so that a crawl that was stopped or killed can be resumed. Without
        /// it a crawl writes less, and URLs that were not fetched yet are lost when it ends.
        enabled: bool = true,
        /// How often the results of pages are committed at least. Their leases do not end before that, so a crawl that
        /// was killed fetches at most as many pages again as there are leases. Raising it saves writes to the disk;
        /// lowering it ends slow crawls sooner.
        commit_every: Period = Period::millis(100),
        /// Whether the data for visiting pages again is persisted, about 300 bytes per page and 8 per link in a list;
        /// `harvestman recrawl` needs it. Without it a crawl takes less processor time.
        visits: bool = true,
    }
}
