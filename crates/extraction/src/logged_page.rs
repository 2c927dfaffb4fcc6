//! The pages that the log of a crawl names.

use std::path::PathBuf;

use super::page::{DecodeMessage, RecordedPage};
use super::warc_pages::read_recorded;
use harvestman_core::clock::Instant;
use harvestman_core::model::MediaType;
use harvestman_core::recent_trees::RecentTrees;
use harvestman_posts::Page;
use harvestman_posts::site::{PageNeighbours, PageOrigin};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer};
use url::Url;

/// A line of the page log.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct LoggedPage {
    #[serde(default)]
    pub url: String,
    /// When it was requested.
    #[serde(default, deserialize_with = "timestamp")]
    time: Option<Timestamp>,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    visit: Option<u32>,
    #[serde(default)]
    cluster: Option<u32>,
    #[serde(default)]
    warc_file: Option<String>,
    #[serde(default)]
    warc_offset: Option<u64>,
}

/// What the answer to the request of a page is.
pub(crate) enum Content {
    /// A page.
    Page(Box<Page>),
    /// Something else, or a page beyond the bounds on pages.
    Other,
}

/// Where the pages that a log names are read.
pub(crate) struct LoggedPages {
    /// The directory of the crawl.
    pub directory: PathBuf,
    pub decode: DecodeMessage,
    /// Pages that the crawl has just parsed.
    pub trees: RecentTrees,
}

impl LoggedPage {
    /// Returns whether it may have posts, by its status and media type.
    pub fn may_have_posts(&self) -> bool {
        let is_html = MediaType::of(self.content_type.as_deref()) == MediaType::Html;
        self.status == Some(200) && self.warc_file.is_some() && is_html
    }

    /// Returns where it comes from. `head` is what it says of itself.
    pub fn origin(&self, head: PageNeighbours) -> PageOrigin {
        PageOrigin {
            url: self.url.clone(),
            warc_file: self.warc_file.clone(),
            warc_offset: self.warc_offset,
            crawl_time: self.time.unwrap_or_default(),
            visit: Some(self.visit.unwrap_or(1)),
            cluster: self.cluster,
            head,
        }
    }
}

impl LoggedPages {
    /// Reads a page; `None` if that is not possible, or not yet.
    pub fn read(&self, logged: &mut LoggedPage) -> Option<Content> {
        if let Some(page) = self.recent(logged) {
            return Some(Content::Page(Box::new(page)));
        }
        let recorded = self.recorded(logged)?;
        logged.time = Some(recorded.time);
        Some(recorded.parse(self.decode).map_or(Content::Other, |page| Content::Page(Box::new(page))))
    }

    /// Returns a page that the crawl has just parsed.
    fn recent(&self, logged: &LoggedPage) -> Option<Page> {
        let time = logged.time?;
        let requested = Instant::from_micros(u64::try_from(time.as_microsecond()).ok()?);
        let tree = self.trees.take(&logged.url, requested)?;
        Page::of(&Url::parse(&logged.url).ok()?, tree, time.to_zoned(TimeZone::UTC).datetime())
    }

    /// Reads the record of a page.
    fn recorded(&self, logged: &LoggedPage) -> Option<RecordedPage> {
        let (name, offset) = (logged.warc_file.as_ref()?, logged.warc_offset?);
        read_recorded(&self.directory, name, offset).ok()?
    }
}

/// Reads a time as the page log has it.
fn timestamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.and_then(|time| time.parse().ok()))
}
