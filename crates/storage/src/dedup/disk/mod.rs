//! An exact set of fingerprints on disk, for crawls whose URLs outgrow the memory, and for the positives of a Bloom
//! filter.
//!
//! In the manner of DRUM (Lee, Leonard, Wang, Loguinov 2008, "IRLbot: scaling to 6 billion pages and beyond"), which
//! the crawler of Jiang and Lv 2009 ("Efficient social website crawling using cluster graph") checked its URLs with:
//! new fingerprints wait in memory, and many at a time are merged with sorted runs on disk, so that the disk is read
//! and written in long strokes. Unlike DRUM there are several runs in tiers ([`DiskOptions::ratio`]), so that not all
//! is rewritten each time.
//!
//! [`DiskSet`] answers at once: memory, then one read of a page a run. [`DeferredSet`] answers in batches, as DRUM
//! does.
//!
//! A run is a file that is written whole, forced to the disk and then renamed; nothing is ever changed in place. Its
//! name tells which writes it stands for, so that after a crash it is known which runs have been merged into another
//! one and which are missing.

mod batch;
mod compaction;
mod deferred;
mod directory;
mod error;
mod header;
mod memory;
mod merge;
mod run;
mod runs;
mod scan;
mod set;
#[cfg(test)]
mod tests;
mod write;

pub use deferred::DeferredSet;
pub(super) use directory::remove_all;
pub use error::DiskError;
pub use memory::DiskOptions;
pub use set::DiskSet;
