//! Decides when a page is worth another visit.
//!
//! Page changes are modelled as Poisson processes, each with its own rate ([`rate`], after Cho and Garcia-Molina 2003).
//! For most pages too little is known to estimate a rate, so the estimate borrows from similar pages: [`Regression`]
//! learns rates from what pages have in common ([`traits`]), also during a recrawl. [`plan`] selects the next page: the
//! one that most likely has changed since its last visit, with some exploration at first, until most of the changes are
//! expected to be found. What sitemaps state about modifications counts as much as it was worth at earlier visits
//! ([`lastmod`]).
//!
//! Pure: visits in, the next pages out; time and randomness are passed in.

pub mod lastmod;
pub mod plan;
pub mod rate;
pub mod rows;
pub mod traits;

pub use lastmod::{LastmodEvidence, LastmodSign};
pub use plan::{
    ChangeForecast, DatedVisit, KnownPage, PageNumber, Plan, PlanLimits, PlanStop, PlannedLink, VisitFinding,
};
pub use rate::{Gamma, Regression, chance_of_change, irregular_rate, regular_rate, shrunk_rate};
pub use rows::{RowChange, RowLink, RowMark};
pub use traits::{PageTraits, Trait, TraitTable};
