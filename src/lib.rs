//! Harvestman: a crawler for large social sites that learns how a site is built and harvests by a policy.
//!
//! The modules in reading order; ARCHITECTURE.md has the picture. What decides is plain functions over values (no actor,
//! socket or clock of their own); what acts is a thin shell around them.

pub mod clock;
pub mod seed;

pub mod page;
pub mod site;
pub mod url;

pub mod archive;
pub mod classify;
pub mod dedup;
pub mod fetch;
pub mod filter;
pub mod fleet;
pub mod frontier;
pub mod host;
pub mod parse;
pub mod policy;
pub mod revisit;
pub mod store;

pub mod admin;
pub mod cli;
pub mod config;
pub mod lab;
pub mod metrics;
pub mod pipeline;
pub mod report;
