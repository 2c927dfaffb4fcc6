//! Settings that end a crawl, or keep it from growing without end.

use super::{ByteSize, Period};

/// Requests that are looked ahead to.
pub const EARLY_STOP_REQUESTS: u32 = 200;

crate::options! {
    /// Budgets: the crawl ends when the first of pages, bytes, time and requests is used up. What is under way is still finished:
    /// it counts as spent for pages and requests, which are never overdrawn; bytes and time can be, by as much as is under way.
    /// In a fleet these four are those of all nodes together. Where a node dies, what it had been granted and not used, some seconds of its
    /// work, is lost to the crawl.
    pub struct BudgetOptions in "budget" {
        /// Pages fetched with success. 0: no limit.
        [live] pages: u64 = 0,
        /// Bytes of bodies received. 0: no limit.
        [live] bytes: ByteSize = ByteSize(0),
        /// Time since the start. 0s: no limit.
        [live] time: Period = Period::secs(0),
        /// Requests, those for robots.txt, sitemaps and retries included. 0: no limit.
        [live] requests: u64 = 0,
        /// Links between a seed and a page; what is farther away is left out. 0: only the seeds. A limit is a guard against
        /// pages that link ever deeper; raising it hardly costs anything on sites that do not.
        depth: u16 = 64,
        /// URLs of one host that are accepted. 0: no limit.
        [live] pages_per_host: u64 = 0,
        /// Stop where a smaller share than this of the next `early_stop_requests` requests is expected to bring a page that is
        /// wanted and new, three looks ahead in a row; 0.1 ends a crawl that is expected to waste nine requests of ten. For the
        /// policies `ucc` and `target` in their default form, which estimate it. 0: never.
        early_stop: f64 = 0.0,
        /// How many requests `early_stop` looks ahead to; no crawl is stopped by it before it has sent as many. Lowering it stops
        /// sooner, and sooner by chance.
        early_stop_requests: u32 = EARLY_STOP_REQUESTS,
    }
}
