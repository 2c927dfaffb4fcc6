//! Binary encoding of messages and objects: batches of links, entries of a log, parts, observations. The values of keys
//! are in `node/records.rs`.
//!
//! Data can be read only by nodes of the same format. Unreadable data is an error that names its kind, and never yields
//! links that were not written.

mod batch;
mod codec;
mod entry;
mod links;
mod notes;
mod observations;
mod part;
mod strings;

pub use batch::{Batch, LINKS_MAX, SplitMessages};
pub use codec::{WireCodec, WireError};
pub use entry::{decode_entry, encode_entry, split_entry};
pub(super) use notes::NoteKey;
pub use observations::{ObservationSegment, Observations, decode_publication, encode_publication};
pub use part::{Marks, Part, PartReader, Section};

#[cfg(test)]
pub(crate) mod tests;
