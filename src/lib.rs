//! Harvestman: a crawler for large social sites that learns the structure of a site and crawls it by a policy.
//!
//! This package re-exports the crates below `crates/` as one library and adds the command line, [`cli`]. A crawl is
//! configured by [`config`], assembled and run by [`pipeline`], and described by [`report`]. The modules follow in
//! reading order: values, the structure of pages and sites, the stages, the store, and what wires them together.
//!
//! `ARCHITECTURE.md` follows one page through the crates; the README of each crate states its purpose and what it must
//! not know.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub use harvestman_core::{clock, config, model, options, seed, url};

pub use harvestman_structure::{classify, parse, site, substitutes};

pub use harvestman_stages::{fetch, filter, frontier, host, revisit};
pub use harvestman_storage::{archive, dedup, store};

#[cfg(feature = "fleet")]
pub use harvestman_fleet as fleet;
pub use harvestman_identity as identity;
pub use harvestman_metrics as metrics;
pub use harvestman_pipeline as pipeline;
pub use harvestman_policy as policy;

pub use harvestman_admin as admin;
pub use harvestman_report as report;
pub use harvestman_sim as sim;

pub mod cli;
