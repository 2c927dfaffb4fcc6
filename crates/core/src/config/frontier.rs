//! Settings of the frontier.

use super::ByteSize;

crate::options! {
    /// The URLs that wait and the URLs that are under way.
    pub struct FrontierOptions in "frontier" {
        /// URLs under way at once, from the moment they are handed out until their outcome is recorded. Raising it helps when
        /// many slow hosts are crawled; each costs up to `fetch.body_max` bytes of memory at worst.
        in_flight_max: u32 = 256,
        /// URLs that may wait. Beyond it new ones are left out and counted as `over_budget: frontier`. Each costs 15 to
        /// 80 bytes, the less, the more alike neighbours are: of memory first, then of the disk (`frontier.memory`).
        [live] queued_max: u64 = 100_000_000,
        /// Memory of URLs that wait, but for the first and the last few hundred of each link class of a host. What is more goes to a
        /// file in the crawl directory; without a state on disk (`state.enabled`) it stays in memory. Raising it saves reading
        /// and writing.
        memory: ByteSize = ByteSize::mib(128),
        /// Link classes of one host. URLs of further classes wait together: with the seeds of the same URL pattern, or all under
        /// one class. Raising it keeps the order exact on sites of very many kinds of links; each costs about 500 bytes of
        /// memory, and a look when the policy's scores change.
        classes_max: u32 = 16_384,
        /// Of so many URLs of a host, one is taken from the class of links that the policy still has most to learn of, instead of
        /// from the best; 0: none. Lowering it (but for 0) finds out sooner what unknown links are worth, and defers the ones
        /// that are known to be good.
        [live] explore_every: u32 = 20,
    }
}
