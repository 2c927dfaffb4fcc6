//! Validators: whether a page is one of those that a crawl is to find. In xCrawl, a validator is any component that
//! determines whether a page describes an instance of the domain.
//!
//! Input: a [`PageView`]. Output: `Some(true)`, `Some(false)`, or `None` where a validator cannot tell: the page is not
//! HTML, or exceeds a bound. [`Want`] parses the validators from text. None has a state that
//! pages change: `words` learns from the examples when it is made.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod examples;
mod invalid_want;
mod page;
mod pattern;
mod posts;
#[cfg(test)]
mod property_tests;
mod required;
mod schema;
mod search_hints;
mod selector;
mod table;
mod tags;
mod want;
mod words;

pub use examples::{All, ExampleError, check_examples};
pub use invalid_want::InvalidWant;
pub use page::{Anchor, PAGE_BYTES_MAX, PageView, anchors};
pub use pattern::{Over, Pattern};
pub use posts::{Posts, WantedPosts, text_of_posts};
pub use schema::Schema;
pub use search_hints::{SearchForm, SearchHints};
pub use selector::CssSelector;
pub use table::Table;
pub use want::Want;
pub use words::Words;

/// Decides whether a page is one of those that are wanted.
pub trait Validator: Send + Sync {
    /// Returns whether the page is wanted. `None`: cannot tell.
    fn accepts(&self, page: &PageView<'_>) -> Option<bool>;

    /// Returns what it checks, as in `--want`, for messages.
    fn name(&self) -> String;
}
