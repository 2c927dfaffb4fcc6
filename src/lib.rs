//! Harvestman: a crawler for large social sites that learns how a site is built and harvests by a policy.
//!
//! The parts of the program, under one roof, in reading order; ARCHITECTURE.md has the picture. Each is a crate of its own below `crates/`,
//! whose README says what it is for and what it must not know.

pub use harvestman_core::{clock, config, model, options, seed, url};

pub use harvestman_structure::{classify, parse, site};

pub use harvestman_stages::{fetch, filter, frontier, host, revisit};
pub use harvestman_storage::{archive, dedup, store};

pub use harvestman_fleet as fleet;
pub use harvestman_metrics as metrics;
pub use harvestman_pipeline as pipeline;
pub use harvestman_policy as policy;

pub use harvestman_admin as admin;
pub use harvestman_report as report;

/// The laboratory, with its simulator.
pub mod lab {
    pub use harvestman_lab::*;
    pub use harvestman_sim as sim;
}

pub mod cli;
