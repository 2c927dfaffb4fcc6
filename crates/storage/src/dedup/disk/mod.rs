//! An exact set of fingerprints on disk, for crawls whose URLs outgrow memory, and for verifying the positives of a
//! Bloom filter.
//!
//! The design follows DRUM (Lee, Leonard, Wang, Loguinov 2008, "IRLbot: scaling to 6 billion pages and beyond"), which
//! was also used by the crawler of Jiang and Lv 2009 ("Efficient social website crawling using cluster graph"): new
//! fingerprints wait in memory and are merged in large batches with sorted runs on disk, so that disk access is
//! sequential. Unlike DRUM, this set has several runs in tiers ([`DiskOptions::ratio`]), so that a merge does not
//! rewrite everything.
//!
//! [`DiskSet`] answers immediately: it checks memory, then reads one page per run. [`DeferredSet`] answers in batches,
//! as DRUM does.
//!
//! A run is a file that is written completely, synced to disk and then renamed; files are never modified in place. The
//! file name contains the range of writes that the run covers, so that after a crash it is known which runs were merged
//! into another one and which are missing.

mod deferred;
mod disk_error;
mod run;
mod run_file;
mod runs;
mod sequential;
mod set;
#[cfg(test)]
mod tests;

pub use deferred::DeferredSet;
pub use disk_error::DiskError;
pub(super) use run_file::remove_all;
pub use runs::DiskOptions;
pub use set::DiskSet;
