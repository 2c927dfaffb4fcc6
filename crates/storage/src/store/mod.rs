//! The persisted state of a crawl: waiting URLs, the fate of every URL, the account, and host records.
//!
//! A [`Store`] commits [changes](harvestman_core::model::Change) in atomic groups. A group is on disk when the commit
//! returns. The store always represents the crawl as it was after some change; URLs that were leased at that time are
//! still waiting in it. A crawl reads all of it when it resumes; while it runs, it reads only the records of earlier
//! visits to a page ([`VisitReader`]).

mod database;
mod spill_file;
mod torn_journal;
mod values;
mod visits;

#[cfg(test)]
mod tests;

pub use database::{Account, CommitGroup, RestoredState, Store};
pub use spill_file::SpillFile;
pub use values::{StoreError, decode, encode};
pub use visits::{RecrawlRound, VisitReader};
