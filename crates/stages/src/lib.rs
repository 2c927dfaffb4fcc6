//! The stages that decide when and what is fetched: frontier, hosts, fetcher, link filter rules, revisit planning.

pub mod fetch;
pub mod filter;
pub mod frontier;
pub mod host;
pub mod revisit;
