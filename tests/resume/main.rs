//! Crawls that are killed, again and again, and gone on with: nothing is lost, little is fetched twice, what was
//! written is whole.
#![allow(clippy::unwrap_used, reason = "the shared parts of a test may panic as the tests themselves may")]
#![allow(clippy::disallowed_methods, reason = "a test of a real server may look at the clock")]

mod commands;
mod control;
mod full_disk;
mod killed;
mod knowledge;
mod mistakes;
mod moved;
mod news;
mod recrawl;
mod remembered;
mod rendering;
mod runs;
#[allow(dead_code, reason = "other tests use the rest of it")]
#[path = "../crawl/scripted.rs"]
mod scripted;
mod searches;
mod sought;
mod strangers;
mod watched;
