//! When a page is worth another visit.
//!
//! Pages change as a Poisson process does, each at a rate of its own ([`rate`], after Cho and Garcia-Molina 2003). Of most pages too
//! little is known for a rate of their own, so it leans on what pages like them do: [`regression`] learns rates from what pages have
//! in common ([`traits`]), also while a recrawl goes on. [`plan`] says whom to visit next: whoever has most likely changed since its
//! last visit, with some curiosity at first, until most of what has changed is expected to be found.
//!
//! Pure: visits in, the next pages out; time and randomness are handed in.

pub mod plan;
pub mod rate;
pub mod regression;
pub mod rows;
pub mod traits;

pub use plan::{ChangeForecast, KnownPage, PageNumber, Plan, PlanLimits, PlanStop, PlannedLink, VisitFinding};
pub use rate::{Gamma, chance_of_change, irregular_rate, regular_rate, shrunk_rate};
pub use regression::Regression;
pub use rows::{RowChange, RowLink, RowMark};
pub use traits::{PageTraits, Trait, TraitTable};
