//! The stages that decide which URLs are fetched, and when: frontier, hosts, fetcher, link filter rules, revisit
//! planning.

pub mod fetch;
pub mod filter;
pub mod frontier;
pub mod host;
pub mod revisit;
