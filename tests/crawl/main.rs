//! Whole crawls by the whole pipeline, against servers on loopback: what is found, what is left out and why, what is
//! counted, and when it ends.
#![allow(clippy::unwrap_used, reason = "the shared parts of a test may panic as the tests themselves may")]
#![allow(clippy::disallowed_methods, reason = "a test of a real server may look at the clock")]

mod budgets;
mod complete;
mod consent;
mod crawling;
mod credentials;
mod dedup;
mod derived;
mod errors;
mod feeds;
mod forum;
mod inspect_render;
mod learning;
mod login;
mod login_problems;
mod markup;
mod metrics;
mod model;
mod order;
mod orders;
mod own_searches;
mod rendering;
mod robots;
mod scope;
mod scripted;
mod searches;
mod signatures;
mod substitutes;
mod topic;
mod traps;
mod wanted;
