//! Searches: a policy whose first pages come from queries, over several sites (Shchekotykhin, Jannach and Friedrich:
//! *xCrawl*, sections 3 and 4).

mod answer;
mod options;
mod result_sites;
mod round;
mod rules;
mod searching;
mod site_yields;
#[cfg(test)]
pub(crate) mod tests;

pub use answer::SearchAnswer;
pub use options::{ReadText, SearchingOptions};
pub(crate) use rules::SearchRules;
pub use searching::Searching;
pub use site_yields::{SiteLimits, SiteYields};
