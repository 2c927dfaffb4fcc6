//! xCrawl: walks from pages that the crawl's validator accepts, and takes the lists that contain them (Shchekotykhin,
//! Jannach, Friedrich: *xCrawl: A High-Recall Crawling Method for Web Mining*, 2009, section 4, Figure 3).
//!
//! A page is an authority if [`PageFacts::accepted`](harvestman_policy::PageFacts::accepted) says so. Until there is
//! one, the order is breadth-first. Then walks begin at random authorities: each goes to the link with the best weight
//! ([`Proximity`]), and back to a random authority with probability 0.15. When 50 walks in succession have ended
//! without a new hub, the links in those parts of the hubs that contain links to authorities are next
//! ([`sub_trees`](crate::site::sub_trees)). Everything else waits behind, in breadth-first order: no
//! link is rejected.
//!
//! Differences from the crawl in the paper:
//!
//! * The crawl fetches several pages at a time, so there are 10 walks at a time. Each waits for the URL that it chose.
//!   When all these URLs were fetched, or failed, the walks continue; pages that are known cost no request. Weights are
//!   computed again after 10 downloads.
//! * The frontier ranks classes of links. With each step of the walks the chosen URLs move to the best class, for which
//!   all waiting URLs are looked at. Where many wait there are more walks ([`XCrawlOptions::moved_per_fetch`]).
//! * All hosts of a crawl are one site.
//! * [`XCrawlOptions::paper`] has the choices as printed, the default those of an implementation that had to work:
//!   the standard operators of HITS, PageRank with initial weights in each step, links drawn in proportion to their
//!   weights.

mod options;
mod policy;
mod proximity;
mod site;
mod snapshot;
#[cfg(test)]
mod tests;
mod walkers;

pub use options::{Phases, Proximity, XCrawlOptions};
pub use policy::XCrawl;
