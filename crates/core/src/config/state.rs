//! Settings of the state on disk.

use super::Period;

crate::options! {
    /// The state of a crawl on disk, which `harvestman resume` goes on from.
    pub struct StateOptions in "state" {
        /// Whether the state is kept on disk, so that a crawl that was stopped or killed can go on. Without it a crawl writes less,
        /// and what it had not fetched yet is lost with it.
        enabled: bool = true,
        /// What came of pages is kept together, at least this often. Until then their leases do not end, so that a crawl that was
        /// killed fetches no more pages again than there are leases. Raising it saves writing to the disk; lowering it ends
        /// slow crawls sooner.
        commit_every: Period = Period::millis(100),
        /// Whether what is needed to visit pages again is kept, some 300 bytes a page and 8 a link in a list: what `harvestman
        /// recrawl` goes by. Without it a crawl takes less processor time.
        visits: bool = true,
        /// Or when so many pages have ended, or a quarter of `frontier.in_flight_max`.
        commit_pages: u32 = 256,
    }
}
