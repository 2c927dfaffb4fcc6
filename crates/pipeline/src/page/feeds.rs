//! The feeds of a crawl: which of them are followed, and their entries.

use std::collections::HashMap;
use std::fmt::Write as _;

use jiff::tz::TimeZone;
use parking_lot::Mutex;
use url::Url;

use harvestman_core::clock::Instant;
use harvestman_core::config::FeedsMode;
use harvestman_core::model::{Apath, MediaType, ScheduledUrl};
use harvestman_posts::read_feed;
use harvestman_stages::filter::FeedYields;
use harvestman_stages::host::sitemap::{self, SitemapLimits};

/// Which feeds are followed.
pub(crate) struct Feeds {
    mode: FeedsMode,
    yields: Mutex<FeedYields>,
}

impl Feeds {
    /// Creates the rules of a crawl that has not met any feed.
    pub(crate) fn new(mode: FeedsMode) -> Self {
        Self { mode, yields: Mutex::default() }
    }

    /// Returns whether pages are asked for their feeds.
    pub(crate) fn is_on(&self) -> bool {
        self.mode != FeedsMode::Never
    }

    /// Returns whether a feed that was not requested yet is to be.
    pub(crate) fn admits(&self, url: &str) -> bool {
        self.mode == FeedsMode::Always || self.mode == FeedsMode::Auto && self.yields.lock().is_worth_a_request(url)
    }

    /// Records that a feed was accepted.
    pub(crate) fn follow(&self, url: &str) {
        if self.mode == FeedsMode::Auto {
            self.yields.lock().follow(url);
        }
    }

    /// Counts a page that was read.
    pub(crate) fn page(&self, url: &str) {
        if self.mode == FeedsMode::Auto {
            self.yields.lock().page(url);
        }
    }

    /// Learns from the answer to a request, if it was for a feed. `new` is the number of new URLs that were found in
    /// it, 0 if it is no feed.
    pub(crate) fn ended(&self, item: &ScheduledUrl, new: usize) {
        if self.mode == FeedsMode::Auto && item.class.apath == Apath::FEED {
            self.yields.lock().ended(item.url.as_str(), new);
        }
    }
}

/// A document that may be a feed.
pub(crate) struct FeedDocument<'a> {
    pub(crate) url: &'a str,
    pub(crate) body: &'a [u8],
    pub(crate) content_type: Option<&'a str>,
    /// When it was requested, which dates in it may be relative to.
    pub(crate) fetched: Instant,
}

/// An entry of a feed or sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeedEntry {
    /// Its URL, as written.
    pub(crate) url: String,
    /// Its title, if it has one and titles are wanted.
    pub(crate) title: Option<String>,
}

impl FeedDocument<'_> {
    /// Returns the entries that have a URL, in their order; `None` if it is no feed.
    ///
    /// URLs of XML are found by the reader of sitemaps, which reads broken documents as far as possible; titles, and
    /// JSON feeds, by the reader of posts.
    pub(crate) fn entries(&self, limits: SitemapLimits, wants_titles: bool) -> Option<Vec<FeedEntry>> {
        if MediaType::of(self.content_type) == MediaType::Json {
            let posts = self.posts()?.into_iter();
            return Some(posts.map(|(url, title)| FeedEntry { url, title }).take(limits.urls).collect());
        }
        let contents = sitemap::parse(self.body, self.url, self.content_type, limits).ok()?;
        let posts = if wants_titles { self.posts() } else { None };
        let titles: HashMap<String, Option<String>> = posts.unwrap_or_default().into_iter().collect();
        let title = |url: &str| titles.get(Url::parse(url).ok()?.as_str())?.clone();
        let urls = contents.urls.into_iter().chain(contents.sitemaps);
        Some(urls.map(|url| FeedEntry { title: title(&url), url }).collect())
    }

    /// Returns URL and title of each entry that is a post.
    fn posts(&self) -> Option<Vec<(String, Option<String>)>> {
        let url = Url::parse(self.url).ok()?;
        let text = sitemap::to_text(self.body, self.content_type);
        let fetched = self.fetched.timestamp().to_zoned(TimeZone::UTC).datetime();
        let records = read_feed(&url, &text, fetched)?;
        Some(records.posts.into_iter().filter_map(|post| Some((post.url?, post.title))).collect())
    }
}

/// Returns entries as a page with a list of links, so that they are read as the links of any page: their titles as
/// anchor texts, or else their URLs.
pub(crate) fn as_page(entries: &[FeedEntry]) -> String {
    let mut page = "<!doctype html><ul>".to_owned();
    for FeedEntry { url, title } in entries {
        let title = title.as_deref().unwrap_or(url);
        // Writing to a string cannot fail.
        let _ = write!(page, "<li><a href=\"{}\">{}</a></li>", escaped(url), escaped(title));
    }
    page
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
#[path = "feeds_tests.rs"]
mod tests;
