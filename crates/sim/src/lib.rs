//! A simulated social site with ground truth.
//!
//! A [`World`] is a pure function from a URL to a response: pages are computed from the seed on request and never
//! stored, so that a million URLs need no memory, and the same seed gives the same bytes. [`World::truth`] enumerates
//! exactly the URLs that are reachable by links from [`World::seeds`]. A [`Server`] serves a world over loopback HTTP
//! and keeps a log for measuring politeness.
//!
//! Reading order: [`options`] (the parameters), `host`, `path` and `site` (the interface of site families), `forum`,
//! `blogs`, `qa`, `media`, `client` (the families), `portal` (the start of crawls), `static_site` (for benchmarks),
//! `world`, `truth`; then I/O: `log`, `server`.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod aside;
mod blogs;
mod changes;
mod client;
pub mod compare;
mod forum;
mod host;
mod listing;
mod log;
mod media;
pub mod options;
mod path;
mod portal;
mod qa;
mod render;
mod rendered;
mod robots;
mod server;
mod site;
mod static_site;
mod text;
mod traps;
mod truth;
mod world;

pub use aside::Validators;
pub use host::SiteTime;
pub use log::{Entry, RequestLog};
pub use options::{Error, Family, WorldOptions};
pub use rendered::{RenderedContent, RenderedPage};
pub use server::{RateLimit, RetryAfterForm, Server, ServerOptions};
pub use site::ShownPost;
pub use truth::TruthRow;
pub use world::{Response, World};
