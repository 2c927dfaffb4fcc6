//! The state of a crawl on disk: what waits, what became of every URL, the account, what is known of hosts.
//!
//! A [`Store`] takes [changes](harvestman_core::model::Change) in groups, each wholly or not at all, and is on the disk when it says so; a crawl
//! never reads it but when it goes on. What it holds is at any time a crawl as it was after some change: URLs that were leased then
//! still wait in it.

mod chunks;
mod error;
mod notes;
mod record;
mod state;
mod torn;
mod visits;

#[cfg(test)]
mod tests;

pub use chunks::ChunkFile;
pub use error::StoreError;
pub use record::{decode, encode};
pub use state::{Account, Group, Restored, Store};
pub use visits::{Round, VisitReader};
