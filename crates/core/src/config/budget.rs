//! Settings that end a crawl or limit its growth.

use super::{ByteSize, Period};

/// Number of requests that early stopping looks ahead to; it stops no crawl that has sent fewer. With fewer, chance
/// stops a crawl more often; with more, a crawl goes on for longer after its site has nothing new.
pub const EARLY_STOP_REQUESTS: u32 = 200;

crate::options! {
    /// Budgets: the crawl ends when the first of pages, bytes, time and requests is used up. Requests in progress are
    /// still completed: they count as spent for pages and requests, which are never overdrawn; bytes and time can be
    /// overdrawn by the requests in progress. In a fleet these four apply to all nodes together. If a node dies, the
    /// part of the budget that it was granted and has not used (some seconds of its work) is lost to the crawl.
    pub struct BudgetOptions in "budget" {
        /// Number of pages fetched successfully. 0: no limit.
        [live] pages: u64 = 0,
        /// Number of bytes of bodies received. 0: no limit.
        [live] bytes: ByteSize = ByteSize(0),
        /// Time since the start. 0s: no limit.
        [live] time: Period = Period::secs(0),
        /// How long the crawl waits for progress when only hosts are left that it must not contact now: they failed,
        /// asked for a pause (`Retry-After`) or send block pages. After this time without a new link or a page, their
        /// URLs fail with `wait_over`, and `harvestman resume` goes on with them. Raise it for a site that asks for
        /// long pauses. 0s: no limit.
        [live] wait: Period = Period::secs(600),
        /// Number of requests, including those for robots.txt, sitemaps and retries. 0: no limit.
        [live] requests: u64 = 0,
        /// Maximum number of links between a seed and a page; pages farther away are left out. 0: only the seeds. The
        /// limit is a guard against pages that link ever deeper; raising it costs hardly anything on other sites.
        depth: u16 = 64,
        /// Maximum number of URLs of one host that are accepted. 0: no limit.
        [live] pages_per_host: u64 = 0,
        /// Stop if a smaller share than this of the next 200 requests is expected to bring a page
        /// that is wanted and new, in three consecutive forecasts; 0.1 ends a crawl that is expected to waste nine
        /// requests of ten. For the policies that learn, which estimate it. 0: never.
        early_stop: f64 = 0.0,
    }
}
