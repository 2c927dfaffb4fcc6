//! The main text of a page, as plain text and as Markdown, with its title, author and time: pure.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod facts;
mod main_text;
mod page;
mod tree;

pub use page::{PageText, read};
pub use tree::Unreadable;
