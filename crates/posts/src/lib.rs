//! Finds posts and their fields in pages of social sites, without a rule for any software: pure.
//!
//! A date that recurs at one place of the template parts a page into records (MiBAT: Song et al., *Automatic Extraction
//! of Web Data Records Containing User-Generated Content*, CIKM 2010). What is in the same place of all records is a
//! field: what differs between them is their text, what goes with the author is the author's.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod addresses;
mod anchors;
mod combine;
mod corrections;
mod dates;
mod details;
mod excerpts;
mod explain;
mod extractor;
mod feeds;
mod fields;
mod head;
mod known_date_places;
mod maps;
mod markup;
mod outline;
mod page_details;
mod parsed_page;
mod records;
mod segments;
pub mod site;
mod templates;
mod tree;
mod words;

pub use combine::combine;
pub use corrections::{Correction, Corrections, InvalidCorrection, TaughtField};
pub use dates::{FoundDate, find_date};
pub use explain::{
    Evidence, ExplainedPage, FieldPlace, FieldSource, NoPosts, OutlinePart, PageOutline, PlaceExactness, PostPlaces,
    RecordField, UsedTemplate,
};
pub use extractor::Extractor;
pub use feeds::read_feed;
pub use head::{PageHead, PageLink, PageMeta};
pub use markup::read_markup;
pub use parsed_page::Page;
pub use records::{PagePost, PageRecords, PageThread, PageUser, ParentRef, PostSource};
pub use tree::{Content, Node, NodeIndex, Tree};
