//! Settings of `harvestman recrawl`.

crate::options! {
    /// Recrawls: which pages of a crawl are visited again, and when that is enough.
    pub struct RecrawlOptions in "recrawl" {
        /// Requests at most, as a share of those that visiting every page again would take; new pages are among them. 1: as many. A
        /// fifth of the pages may be visited again in any case, however many new ones there are.
        share: f64 = 0.4,
        /// The share of the pages that have changed which is to be found; by what is learnt on the way, the recrawl ends when it
        /// expects to have found so much. 1: goes on while any page is likely enough to have changed. Raising it costs requests
        /// that find ever less.
        recall: f64 = 0.97,
        /// Pages less likely to have changed than this are not asked for. 0.02 spends up to fifty requests on a change. 0: none
        /// is left out for that. Raising it spares sites that hardly change; the rare changes on them are then missed.
        chance: f64 = 0.003,
        /// Visits to one host that are planned ahead, beside those that its connections make. Raising it lets what is learnt
        /// take effect later.
        ahead: u32 = 4,
    }
}
