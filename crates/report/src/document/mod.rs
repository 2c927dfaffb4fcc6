//! The document: the contents of a report of a crawl directory, computed without I/O from what was read of its files.
//!
//! [`Document::of`] builds it from [`Sources`]. The figures of `report.json` are copied unchanged and shown from the
//! copy ([`Document::own`]), so that the numbers are equal by construction.

mod account;
pub mod bounded;
mod build;
mod configuration;
mod content;
mod control_log;
pub mod curve;
pub mod gaps;
pub mod groups;
pub mod hosts;
mod in_force;
pub mod line;
pub mod log;
mod merged;
mod next_steps;
mod nodes;
mod own_figures;
mod posts;
mod remarks;
pub mod signals;
pub mod site;
mod sources;
pub mod spread;
mod state;
mod sums;
mod tally;
mod totals;
mod warcs;

pub use account::{Account, FateRow, account};
pub use configuration::{Configuration, Setting};
pub use content::{Document, NextStep, OneOrSum};
pub use control_log::{ControlEntry, ControlLog};
pub use in_force::InForceFile;
pub use merged::{Part, has_one_policy, merged, pages_learned};
pub use next_steps::{flag_to_go_on, quoted};
pub use nodes::{LineCounts, NodeFigures};
pub use own_figures::OwnFigures;
pub use posts::{PostFigures, PostReading, PostSeconds};
pub use sources::{Has, Sources};
pub use state::CrawlState;
pub use tally::Tally;
pub use totals::Totals;
pub use warcs::{Warc, Warcs};
