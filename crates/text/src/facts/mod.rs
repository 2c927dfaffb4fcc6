//! What a page says of itself: title, author and time.

mod author;
mod json_ld;
mod markup;
mod time;
mod title;

use scraper::Html;

use json_ld::LinkedData;
use markup::Markup;

/// The facts of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its title.
    pub title: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// When it was published.
    pub time: Option<String>,
}

impl Facts {
    /// Reads the facts of a page. Statements for machines precede what is shown.
    pub fn of(document: &Html) -> Self {
        let markup = Markup::of(document);
        let linked = LinkedData::of(&markup.linked_data);
        Self {
            title: linked.headline.or_else(|| title::title(&markup)),
            author: linked.author.or_else(|| author::author(&markup)),
            time: linked.published.and_then(|time| time::iso(&time)).or_else(|| time::time(&markup)),
        }
    }
}
