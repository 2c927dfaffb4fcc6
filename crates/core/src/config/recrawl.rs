//! Settings of `harvestman recrawl`.

crate::options! {
    /// Recrawls: which pages of a crawl are visited again, and when the recrawl ends.
    pub struct RecrawlOptions in "recrawl" {
        /// Maximum number of requests, as a share of those needed to visit every page again; new pages are included. 1:
        /// as many. A fifth of the pages may be visited again in any case, however many new ones there are.
        share: f64 = 0.4,
        /// The share of the changed pages that is to be found; the recrawl ends when, by what it has learned so far, it
        /// expects to have found that share. 1: continues while any page is likely enough to have changed. Raising it
        /// costs requests that find ever fewer changes.
        recall: f64 = 0.97,
        /// Pages less likely to have changed than this are not requested. 0.02 spends up to fifty requests per change.
        /// 0: none is left out for that reason. Raising it saves requests to sites that hardly change; the rare changes
        /// on them are then missed.
        chance: f64 = 0.003,
    }
}
