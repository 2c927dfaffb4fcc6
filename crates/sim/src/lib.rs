//! A simulated social site with ground truth.
//!
//! A [`World`] is a pure function from a URL to a response: pages are computed from the seed when they are asked for and
//! are never stored, so that a million URLs cost no memory, and the same seed gives the same bytes. [`World::truth`]
//! enumerates exactly the URLs that links lead to from [`World::seeds`]. A [`Server`] serves a world over loopback HTTP
//! and keeps the log that politeness is judged by.
//!
//! Reading order: [`options`] (what can be asked for), `site` (what every family of sites answers), `forum`, `blogs`, `qa`,
//! `media` (the families), `portal` (where the crawl starts), `static_site` (for benchmarks), `world`, `truth`; then the shell:
//! `log`, `server`.

mod aside;
mod blogs;
mod changes;
mod forum;
mod listing;
mod log;
mod media;
pub mod options;
mod path;
mod portal;
mod qa;
mod render;
mod robots;
mod server;
mod site;
mod static_site;
mod text;
mod traps;
mod truth;
mod world;

pub use aside::Validators;
pub use changes::SiteTime;
pub use log::{Entry, RequestLog};
pub use options::{Error, Family, WorldOptions};
pub use server::{RateLimit, RetryAfterForm, Server, ServerOptions};
pub use truth::TruthRow;
pub use world::{Response, World};
