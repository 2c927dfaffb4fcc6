//! Searches: a policy whose first pages come from queries, over several sites (Shchekotykhin, Jannach and Friedrich:
//! *xCrawl*, sections 3 and 4).

mod answer;
mod note;
mod options;
mod own;
mod result_sites;
mod round;
mod rules;
mod searching;
mod site_yields;
mod source;
#[cfg(test)]
pub(crate) mod tests;
mod worth;

pub use answer::{PageSearch, SearchAnswer, SearchReply};
pub use options::{ReadText, SearchingOptions};
pub use own::{FoundSearch, OwnSearch};
pub(crate) use rules::{SearchRules, SearchTemplates};
pub use searching::Searching;
pub use site_yields::{SiteLimits, SiteYields};
