//! The page that is inspected, what is known of its site, and what is told of it.

use std::io;
use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;
use url::Url;

use crate::cli::exit::{Exit, Failure};
use crate::cli::posts::crawl_pages::{BEYOND_BOUNDS, CrawlPage};
use harvestman_core::clock::Clock;
use harvestman_document::decode;
use harvestman_library::program::seeds;
use harvestman_posts::{
    Evidence, ExplainedPage, Extractor, FieldPlace, NoPosts, Page, PagePost, PageThread, PageUser, PostPlaces,
    UsedTemplate,
};

/// The posts of a page, and how they were found.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// The address of the page, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When it was fetched, in UTC.
    pub fetched: String,
    /// The WARC file that it was read from, and the offset of its record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc_offset: Option<u64>,
    /// The template that it was read by.
    pub template: Option<UsedTemplate>,
    /// What was found on the way.
    pub evidence: Evidence,
    /// Why there are no posts.
    pub no_posts: Option<NoPosts>,
    /// The thread.
    pub thread: Option<AnsweredThread>,
    /// The posts.
    pub posts: Vec<AnsweredPost>,
    /// The users that it describes.
    pub users: Vec<PageUser>,
}

/// A thread and its places.
#[derive(Debug, Serialize)]
pub(super) struct AnsweredThread {
    #[serde(flatten)]
    pub thread: PageThread,
    pub places: Vec<FieldPlace>,
}

/// A post with the number of its place on the page, and the places of its fields.
#[derive(Debug, Serialize)]
pub(super) struct AnsweredPost {
    pub position: usize,
    #[serde(flatten)]
    pub post: PagePost,
    /// Its first element.
    pub record: Option<String>,
    pub places: Vec<FieldPlace>,
}

impl Answer {
    /// Finds the posts of a page.
    pub fn of(input: &InspectedPage) -> Self {
        let explained = input.extractor.explain(&input.page);
        let no_posts = explained.why_none();
        let ExplainedPage { records, posts: places, thread, template, evidence } = explained;
        let posts = records.posts.into_iter().zip(places).enumerate().map(|(number, (post, places))| {
            let PostPlaces { record, fields, .. } = places;
            AnsweredPost { position: number + 1, post: without_host(post), record, places: fields }
        });
        let url = Some(input.page.url.to_string()).filter(|url| !url.starts_with(NO_URL));
        let (warc_file, warc_offset) = input.record.clone().unzip();
        Self {
            url,
            fetched: input.page.fetched.to_string(),
            warc_file,
            warc_offset,
            template,
            evidence,
            no_posts,
            thread: records.thread.map(|of| AnsweredThread { thread: without_host_of_thread(of), places: thread }),
            posts: posts.collect(),
            users: records.users,
        }
    }
}

/// Leaves out the host of addresses where it is unknown.
fn without_host(mut post: PagePost) -> PagePost {
    [&mut post.author_url, &mut post.url].into_iter().flatten().for_each(shorten);
    PagePost { thread: post.thread.map(without_host_of_thread), ..post }
}

fn without_host_of_thread(mut thread: PageThread) -> PageThread {
    thread.url.iter_mut().for_each(shorten);
    thread
}

fn shorten(link: &mut String) {
    *link = link.trim_start_matches(NO_URL).to_owned();
}

/// Maximum size of a page, in bytes.
const PAGE_BYTES_MAX: u64 = 16 << 20;
/// The address of a page of which none is known; it is left out of its links.
const NO_URL: &str = "http://unknown.invalid";

/// A page in a file.
pub(super) struct PageFile<'a> {
    /// The file; `-` is standard input.
    pub file: &'a str,
    /// The address of the page, if it is known.
    pub url: Option<&'a Url>,
    /// Its `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// When it was fetched; now if that is unknown.
    pub fetched: Option<DateTime>,
}

/// A page to find posts in.
pub(super) struct InspectedPage {
    /// The page.
    pub page: Page,
    /// What its site teaches.
    pub extractor: Extractor,
    /// The WARC file that it is in, and the offset of its record.
    pub record: Option<(String, u64)>,
}

impl InspectedPage {
    /// Reads a page of a crawl, and learns from the other pages of its host.
    pub fn of_crawl(directory: &Path, url: &str) -> Result<Self, Failure> {
        let url = seeds::parse(url).map_err(|error| Failure::usage(error.replacen("seed ", "", 1)))?.url;
        let found = CrawlPage::find(directory, &url)?;
        let read = found.read()?;
        Ok(Self {
            page: read.page,
            extractor: found.extractor()?,
            record: Some((read.recorded.file, read.recorded.offset)),
        })
    }

    /// Reads a page in a file.
    pub fn of_file(of: &PageFile<'_>) -> Result<Self, Failure> {
        if of.file.starts_with("http://") || of.file.starts_with("https://") {
            let what = "name the crawl that has the page with --crawl DIR, or save the page to a file";
            return Err(Failure::usage(format!("{} is a URL, and pages are not fetched here: {what}", of.file)));
        }
        let page = read(Path::new(of.file))?;
        let url = of.url.cloned().map_or_else(|| Url::parse(NO_URL), Ok).map_err(Failure::usage)?;
        let now = || Clock::system().now().timestamp().to_zoned(TimeZone::UTC).datetime();
        let fetched = of.fetched.unwrap_or_else(now);
        let page = Page::parse(&url, &decode(&page, of.content_type), fetched);
        let page = page.ok_or_else(|| Failure::new(Exit::Failed, BEYOND_BOUNDS))?;
        Ok(Self { page, extractor: Extractor::default(), record: None })
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().take(PAGE_BYTES_MAX + 1).read_to_end(&mut page).context("cannot read standard input")?;
    } else {
        let opened = std::fs::File::open(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let read = opened.take(PAGE_BYTES_MAX + 1).read_to_end(&mut page);
        read.with_context(|| format!("cannot read `{}`", file.display()))?;
    }
    if page.len() as u64 > PAGE_BYTES_MAX {
        return Err(anyhow!("the page is larger than {} MiB", PAGE_BYTES_MAX >> 20));
    }
    Ok(page)
}
