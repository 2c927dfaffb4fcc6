//! Settings: one file of options per stage, which is the only place of their defaults and their documentation.
//!
//! [`load()`] makes a [`Config`] from a file's text, the environment and the command line; [`as_toml`] prints one.

pub mod archive;
mod budget;
mod consent;
mod crawl;
mod dedup;
mod examples;
pub mod fetch;
pub mod filter;
pub mod fleet;
pub mod frontier;
mod given;
pub mod host;
mod identity;
mod live;
mod load;
mod log;
mod login;
mod member;
mod metrics;
mod mistake;
mod names;
pub mod options;
pub mod own;
pub mod parse;
mod policy;
mod print;
mod recrawl;
mod render;
pub mod robots;
mod search;
mod sections;
mod state;
mod table;
#[cfg(test)]
mod tests;
pub mod url;
mod validate;
pub mod values;

pub use budget::{BudgetOptions, EARLY_STOP_REQUESTS};
pub use consent::{Purpose, SignalMode, SignalOptions, TdmrepUse};
pub use crawl::{CrawlOptions, FeedsMode, PolicyKind, add_policies};
pub use dedup::{DedupOptions, DedupStore};
pub use examples::ExampleNames;
pub use fetch::FetchOptions;
pub use filter::FilterOrder;
pub use fleet::FleetOptions;
pub use given::{Flag, FlagValue};
pub use identity::{AgentSyntax, IdentityOptions, SignMode};
pub use live::{changed, live_settings, value_of};
pub use load::{Layers, given_names, load};
pub use log::{LogFormat, LogLevel, LogOptions};
pub use login::LoginOptions;
pub use metrics::MetricsOptions;
pub use mistake::{Mistake, Mistakes, Source};
pub use parse::ParseOptions;
pub use policy::{ClusterBy, PageWorth, PolicyOptions};
pub use print::{Secrets, as_toml, left_out, reference};
pub use recrawl::RecrawlOptions;
pub use render::{RenderMode, RenderOptions};
pub use robots::RobotsOptions;
pub use search::SearchOptions;
pub use sections::{Config, SECTIONS, SectionInfo, section};
pub use state::StateOptions;
pub use values::{ByteSize, Period};
