//! What experiments report: rows of measures, as JSON, CSV, text for the terminal, Markdown, and one page of plots.
//!
//! An experiment makes [`Row`]s, one for each corpus, policy and seed. [`summaries`] brings those that differ by their seed
//! alone together, [`paper`] has the published figures as rows of the same kind, and a [`Report`] is written as files.

mod chart;
mod measure;
mod page;
pub mod paper;
mod report;
mod row;
mod summary;
mod table;

pub use chart::{bars, curves};
pub use measure::Measure;
pub use report::{Error, Report};
pub use row::{Row, to_json};
pub use summary::{Summary, summaries};
pub use table::Table;

pub use harvestman_report::plot::{Bar, Chart, Group, Series};
