//! Values, settings, URLs, time and randomness: the base of all other crates.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

pub mod clock;
pub mod config;
pub mod crawl_file;
pub mod held_pages;
pub mod lines;
pub mod model;
pub mod recent_trees;
pub mod seed;
pub mod spreadsheet;
pub mod url;
