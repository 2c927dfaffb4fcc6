//! From what single pages show to the records of a site: which posts are the same, which thread they are in, what they
//! answer.
//!
//! [`Collector`] takes pages in any order and keeps hashes; the texts stay where the caller stores them.
//! [`Collector::finish`] finds out which posts are the same: those with one identifier or address; those with one
//! author, time and text in one place; excerpts and the texts that they are of; what a page shows before and after an
//! edit. [`Site::posts`] reads the texts again.

mod address;
mod assemble;
mod collector;
mod excerpts;
mod grouping;
mod groups;
mod identity;
mod live;
mod moment;
mod order;
mod parents;
mod prints;
mod records;
mod sighting;
mod site_posts;
#[cfg(test)]
mod tests;
mod threads;
mod union;
mod users;

pub use assemble::{PostStore, Site};
pub use collector::{Collector, TooManyPosts};
pub use live::LivePosts;
pub use moment::unix_seconds;
pub use records::{Post, PostVersion, SCHEMA_VERSION, Thread, User};
pub use sighting::{PageNeighbours, PageOrigin};
