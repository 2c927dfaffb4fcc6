//! The library as its users have it: its examples run, its crawls are those of the program, what its users add may
//! fail, and its interface changes only on purpose.
#![allow(clippy::disallowed_methods, reason = "a test of a real program may look at the clock")]
#![allow(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

mod api;
mod crawls;
mod examples;
mod extensions;
mod failures;
#[path = "../fleet_nats/server.rs"]
mod nats;
mod report;
mod streams;
mod usage;
