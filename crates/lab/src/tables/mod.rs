//! The output of experiments: rows of measures as JSON, CSV, text for the terminal, Markdown, and one page of plots.
//!
//! An experiment creates [`Row`]s, one per corpus, policy and seed. [`summaries`] combines those that differ only in
//! their seed, [`paper`] has the published figures as rows of the same kind, and a [`Report`] is written to files.

mod chart;
mod measure;
mod page;
pub mod paper;
mod report;
mod row;
mod summary;
mod table;

pub use chart::{CurveAxis, bars, curves};
pub use measure::Measure;
pub use report::{Report, ReportError};
pub use row::{Row, to_json};
pub use summary::{Summary, summaries};
pub use table::Table;

pub use harvestman_report::plot::{Bar, Chart, Group, Series};
