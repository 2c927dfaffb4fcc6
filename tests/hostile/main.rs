//! Whole crawls of hostile sites, and of a hostile machine (a full disk, signals, wrong input), with the binary itself.
//!
//! Input: scripted servers on loopback. What must hold of every crawl, whatever it meets: it ends, in bounded time and
//! memory; it accounts for every link (the fates sum up to what was discovered, each URL that had its turn has one line
//! in the page log); its files are whole; and the healthy pages beside the hostile ones are fetched.
//!
//! The limits are set low, so that they are reached in little time; that they hold at their defaults too follows from
//! their being settings.
#![allow(clippy::disallowed_methods, reason = "a test of a real process may look at the clock")]
#![allow(clippy::unwrap_used, reason = "the helpers belong to the tests")]

mod answers;
mod bounds;
mod crawl;
mod disk;
#[cfg(feature = "fleet")]
mod fleet_secrets;
mod formulas;
mod hosts;
mod labels;
mod leaks;
mod machine;
mod pages;
mod reading;
mod redirects;
mod robots;
mod secrets;
#[cfg(feature = "fleet")]
#[path = "../fleet_nats/server.rs"]
mod server;
mod signals;
mod site;
mod terminal;
mod traps;
mod usage;
mod waiting;
