//! The state of a crawl on disk: what waits, what became of every URL, the account, what is known of hosts.
//!
//! A [`Store`] commits [changes](harvestman_core::model::Change) in groups, each wholly or not at all, and a group is on the disk when
//! the commit returns. It always holds a crawl as it was after some change: URLs that were leased then still wait in it. A crawl reads
//! all of it when it resumes; while it runs, it reads only what is known of earlier visits to a page ([`VisitReader`]).

mod error;
mod notes;
mod record;
mod spill_file;
mod state;
mod torn_journal;
mod visits;

#[cfg(test)]
mod tests;

pub use error::StoreError;
pub use record::{decode, encode};
pub use spill_file::SpillFile;
pub use state::{Account, CommitGroup, RestoredState, Store};
pub use visits::{RecrawlRound, VisitReader};
