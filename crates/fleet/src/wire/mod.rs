//! How what travels and what is kept stands as bytes: batches of links, entries of a log, parts. The values of keys are in `node/records.rs`.
//!
//! All of it is read back only by nodes of one format, and whatever cannot be read is an error that names what it is: never links that
//! nobody has found.

mod batch;
mod codec;
mod entry;
mod links;
mod notes;
mod observations;
mod part;
mod strings;

pub use batch::{Batch, LINKS_MAX, Split};
pub use codec::{WireCodec, WireError};
pub use entry::{decode_entry, encode_entry, split_entry};
pub(super) use notes::NoteKey;
pub use observations::{ObservationSegment, Observations, open_publication, seal_publication};
pub use part::{Marks, Part, PartReader, Section};

#[cfg(test)]
pub(crate) mod tests;
