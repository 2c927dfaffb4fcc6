//! Settings of the frontier.

use super::ByteSize;

crate::options! {
    /// The URLs that wait and the URLs in progress.
    pub struct FrontierOptions in "frontier" {
        /// Maximum number of URLs in progress at once, from the moment they are leased until their outcome is recorded.
        /// Raising it helps when many slow hosts are crawled; each costs up to `fetch.body_max` bytes of memory at
        /// worst. Each needs a connection, so there are fewer where the process may have few files open (`ulimit -n`).
        in_flight_max: u32 = 256,
        /// Maximum number of URLs that wait. Beyond it, new ones are left out and counted as `over_budget: frontier`.
        /// Each costs 15 to 80 bytes, the less, the more similar neighbours are: of memory first, then of disk
        /// (`frontier.memory`).
        [live] queued_max: u64 = 100_000_000,
        /// Memory for URLs that wait, apart from the first and the last few hundred of each link class of a host.
        /// Further URLs go to a file in the crawl directory; without a state on disk (`state.enabled`) they stay in
        /// memory. Raising it saves reading and writing.
        memory: ByteSize = ByteSize::mib(128),
    }
}
