//! The document: the contents of a report of a crawl directory, computed without I/O from what was read of its files.
//!
//! [`Document::of`] builds it from [`Sources`]. The figures of `report.json` are copied unchanged and shown from the
//! copy ([`Document::own`]), so that the numbers are equal by construction.

pub mod bounded;
mod build;
mod content;
pub mod groups;
pub mod line;
pub mod log;
mod merged;
mod next_steps;
mod own_figures;
pub mod signals;
mod sources;
mod state;
mod sums;
mod tally;

pub use crate::render::block::NextStep;
pub use crate::sections::archive::{Warc, Warcs};
pub use crate::sections::commands::{ControlEntry, ControlLog, InForceFile};
pub use crate::sections::configuration::{Configuration, Setting};
pub use crate::sections::fates::{Account, FateRow, account};
pub use crate::sections::nodes::{LineCounts, NodeFigures};
pub use crate::sections::posts::{PostFigures, PostReading, PostSeconds};
pub use content::{Document, OneOrSum};
pub use merged::{Part, has_one_policy, merged, pages_learned};
pub use next_steps::{flag_to_go_on, quoted};
pub use own_figures::{OwnFigures, Totals};
pub use sources::{Has, Sources};
pub use state::CrawlState;
pub use tally::Tally;
