//! Settings of the frontier.

crate::options! {
    /// The URLs that wait and the URLs that are under way.
    pub struct FrontierOptions in "frontier" {
        /// URLs under way at once, from the moment they are handed out until their outcome is recorded. Raising it helps when
        /// many slow hosts are crawled; each costs up to `fetch.body_max` bytes of memory at worst.
        in_flight_max: u32 = 256,
        /// URLs that may wait. Beyond it new ones are left out and counted as `over_budget: frontier`. Each costs about 150
        /// bytes of memory.
        queued_max: u64 = 5_000_000,
    }
}
