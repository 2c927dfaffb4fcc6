//! Addresses of pages: which of them are those of one thread.
//!
//! An address is that of a thread with parts that tell a place in it: the number of a page or of a post, an order, a
//! session. [`without_parts`] removes them. Which parts these are is learned from pages of a site that differ in one
//! part only ([`PartRules`]); without such pages, usual words for pages tell it.

mod learn;
mod parts;

pub use learn::{PartRules, SeenAddress, SeenTitle, title_key};
pub use parts::{AddressPart, views_of, without_parts};
