//! The text that a page adds to a crawl, whatever the order in which the pages come.
//!
//! A page's content is the set of its *shingles*: three successive words of its running text (Broder 1997), apart from
//! the template of its cluster and of its URL's pattern ([`TemplateWords`]). Stock sentences around a slot are
//! template, and so are the shingles at the edges of the slot, so that a form letter that wraps a title has no content.
//!
//! Each shingle counts for one page, its *holder* ([`Holders`]): the first page that shows it or, of pages whose URLs
//! have different patterns, the one whose pattern could less well be left out ([`PageClasses`]). A page whose text
//! another page shows too holds nothing, whichever came first; the same is true of another view of a page
//! ([`compare`]).
//!
//! Memory is bounded: the oldest pages are forgotten.

mod account;
mod classes;
mod compare;
mod content;
mod excerpt;
mod holders;
mod index;
mod key;
mod repetitions;
mod template_words;
#[cfg(test)]
mod tests;

pub use account::TextAccount;
pub use compare::Overlap;
pub use excerpt::excerpt;
pub use index::{NewText, TextIndex};
pub use key::{ContentId, Kin, Relation, TextKey};
