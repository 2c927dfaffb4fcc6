//! Page types by path strings (Zhang, Nasraoui: "Profile-Based Focused Crawling for Social Media-Sharing Websites",
//! 2009; section 4).
//!
//! Input: the texts of sample pages with their path strings ([`PageStrings`], from
//! [`ParsedPage::path_strings`](harvestman_core::model::ParsedPage::path_strings)), by type. Output: [`PageTypes`], a
//! classifier. The steps are:
//!
//! 1. Texts that all sample pages have are the [`Schema`] (Algorithm 1).
//! 2. The path strings that all sample pages of a type have, less those of the schema, are characteristic of the type
//!    (Algorithm 2).
//! 3. A page is of the type whose characteristic path strings it has (Figure 5).
//!
//! [`PageFeatures`] are for classifiers that take more than path strings into account, such as addresses.
//!
//! A *path string* is the chain of elements around a text with their display properties. A *PSNV pair* is a path string
//! with a node value, which is the text. Both are 64-bit hashes here.

mod classifier;
mod differentiation;
mod page_strings;
mod schema;
mod share;

pub use classifier::{PageTypeOptions, PageTypes};
pub use differentiation::{Differentiation, differentiation};
pub use page_strings::{PageFeatures, PageStrings};
pub use schema::Schema;
pub use share::Share;
