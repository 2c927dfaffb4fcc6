//! The text of a page as it is written.

use harvestman_text::PageText;
use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::cli::export::pages::RecordedPage;

/// The fields of a page, in the order in which they are written.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TextRecord<'a> {
    /// The URL of the page.
    pub url: &'a str,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its author.
    pub author: Option<&'a str>,
    /// When it was published.
    pub time: Option<&'a str>,
    /// Its main text.
    pub text: &'a str,
    /// The same as Markdown.
    pub markdown: &'a str,
    /// The name of the WARC file.
    pub warc_file: &'a str,
    /// The byte offset of the response in it.
    pub warc_offset: u64,
    /// When the page was fetched.
    #[serde(serialize_with = "as_text")]
    pub crawl_time: Option<Timestamp>,
}

impl<'a> TextRecord<'a> {
    /// Joins a page and its text.
    pub fn new(page: &'a RecordedPage, warc_file: &'a str, text: &'a PageText) -> Self {
        Self {
            url: page.url.as_str(),
            title: text.title.as_deref(),
            author: text.author.as_deref(),
            time: text.time.as_deref(),
            text: &text.text,
            markdown: &text.markdown,
            warc_file,
            warc_offset: page.offset,
            crawl_time: page.time,
        }
    }
}

/// Writes a time as ISO 8601, as in the page log.
fn as_text<S: Serializer>(time: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => to.collect_str(time),
        None => to.serialize_none(),
    }
}
