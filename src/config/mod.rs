//! Settings: one file of options a stage; the defaults and their documentation stand there and nowhere else.
//!
//! [`load()`] makes a [`Config`] from a file's text, the environment and the command line; [`as_toml`] prints one.

pub mod options;
pub mod values;

mod budget;
mod crawl;
mod given;
mod load;
mod log;
mod metrics;
mod mistake;
mod names;
mod print;
mod sections;
#[cfg(test)]
mod tests;
mod validate;

pub use budget::BudgetOptions;
pub use crawl::{CrawlOptions, PolicyKind};
pub use given::{Flag, FlagValue};
pub use load::{Layers, load};
pub use log::{LogFormat, LogLevel, LogOptions};
pub use metrics::MetricsOptions;
pub use mistake::{Mistake, Mistakes, Source};
pub use print::{Secrets, as_toml, reference};
pub use sections::{Config, SECTIONS, SectionInfo, section};
pub use values::{ByteSize, Period};
