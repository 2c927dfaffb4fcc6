//! The main text of a page, as plain text and as Markdown, with its title, author and time: pure.

mod facts;
mod main_text;
mod page;

pub use page::{PageText, Unreadable, read};
