//! A page and the bounds within which it is read.

use harvestman_document::parse;
use url::Url;

use crate::facts::Facts;
use crate::main_text::main_text;

/// Maximum length of a page in bytes.
const PAGE_BYTES_MAX: usize = 8 << 20;

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageText {
    /// Its title, without the name of the site where the page tells them apart.
    pub title: Option<String>,
    /// Its author or authors. `None` on pages with texts of several.
    pub author: Option<String>,
    /// When it was published, as ISO 8601: in UTC if the page tells the distance from it, otherwise as the page has it.
    pub time: Option<String>,
    /// Its main text. Paragraphs are parted by empty lines.
    pub text: String,
    /// The same as Markdown, with absolute links.
    pub markdown: String,
}

/// The reason why a page has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It exceeds a bound.
    #[error("the page is too large or nested too deep")]
    TooLarge,
    /// No part of it is text to be read.
    #[error("the page has no main text")]
    NoMainText,
}

/// Reads a page.
///
/// # Errors
/// The page exceeds a bound, or has no main text.
pub fn read(url: &Url, html: &str) -> Result<PageText, Unreadable> {
    if html.len() > PAGE_BYTES_MAX {
        return Err(Unreadable::TooLarge);
    }
    // This tree is bounded. The extractor builds another one, of the same nodes.
    let document = parse(html).ok_or(Unreadable::TooLarge)?;
    let Facts { title, author, time } = Facts::of(&document);
    drop(document);
    let main = main_text(url, html)?;
    Ok(PageText { title, author, time, text: main.text, markdown: main.markdown })
}
