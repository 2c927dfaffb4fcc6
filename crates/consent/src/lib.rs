//! What sites and pages state about the use of their content, and what follows from it for the purpose of a crawl.
//!
//! Pure: each parser accepts any bytes, takes what it understands, and records the rest. [`ConsentRules::decide`] is
//! the only place that decides.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod decide;
mod directives;
mod host;
mod license;
mod page;
mod path_pattern;
mod preferences;
mod statements;
mod tdmrep;

pub use decide::{ConsentRules, Decision, effect, is_concerned};
pub use directives::{Directive, Directives};
pub use host::{RobotsLine, RobotsStatements, SIGNAL_LINES_MAX};
pub use page::{of_headers, of_page};
pub use path_pattern::UrlPath;
pub use statements::{RECORDED_MAX, combined};
pub use tdmrep::{TDMREP_BYTES_MAX, TDMREP_PATH, TdmrepFile, TdmrepLimits};
