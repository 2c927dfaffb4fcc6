//! The stages that decide which URLs are fetched, and when: frontier, hosts, fetcher, link filter rules, revisit
//! planning.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub mod fetch;
pub mod filter;
pub mod frontier;
pub mod host;
pub mod revisit;
