//! The pages of a crawl directory, found by its page log: one page, and those of its host that templates are learned
//! from.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use harvestman_core::model::MediaType;
use harvestman_extraction::{RecordedPage, Sample, corrections_of, read_recorded};
use harvestman_posts::{Extractor, Page};
use harvestman_stages::fetch::recorded_response;
use serde::Deserialize;
use url::Url;

use crate::cli::exit::{Exit, Failure};
use crate::cli::lines::{Lines, Next};

const PAGE_LOG: &str = "pages.jsonl";
/// Maximum number of visits to one page that are kept.
const VISITS_MAX: usize = 1_000;

/// Why a page cannot be read.
pub(in crate::cli) const BEYOND_BOUNDS: &str =
    "the page has too many elements, or elements nested too deep, for posts to be found";

/// The fields of a line of the page log that matter here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct LoggedVisit {
    url: String,
    status: Option<u16>,
    content_type: Option<String>,
    fate: String,
    warc_file: Option<String>,
    warc_offset: Option<u64>,
}

/// A page of a crawl, and those that are learned from to read it.
pub(in crate::cli) struct CrawlPage {
    directory: PathBuf,
    url: Url,
    /// The visits to it, the oldest first.
    visits: Vec<LoggedVisit>,
    /// The places of the pages of its host that are learned from.
    sample: Vec<LoggedVisit>,
}

/// A page as it was recorded.
pub(in crate::cli) struct ReadPage {
    /// The record that it was read from.
    pub recorded: RecordedPage,
    /// The page.
    pub page: Page,
}

impl CrawlPage {
    /// Finds a page in the page log of a crawl.
    pub fn find(directory: &Path, url: &Url) -> Result<Self, Failure> {
        let mut lines = open_log(directory)?;
        let mut found =
            Self { directory: directory.to_owned(), url: url.clone(), visits: Vec::new(), sample: Vec::new() };
        let mut sample = Sample::default();
        loop {
            let step = lines.step().with_context(|| format!("cannot read the page log in {}", directory.display()))?;
            match step {
                Next::Line(line) => found.see(line, &mut sample),
                Next::TooLong => {}
                Next::Torn | Next::End => break,
            }
        }
        if found.visits.is_empty() { Err(found.not_found()) } else { Ok(found) }
    }

    fn see(&mut self, line: &[u8], sample: &mut Sample) {
        let Ok(visit) = serde_json::from_slice::<LoggedVisit>(line) else { return };
        if visit.url == self.url.as_str() && self.visits.len() < VISITS_MAX {
            self.visits.push(visit.clone());
        }
        let host = Url::parse(&visit.url).ok().filter(|url| url.authority() == self.url.authority());
        let host = host.as_ref().and_then(Url::host_str);
        if visit.may_have_posts() && host.is_some_and(|host| sample.chooses(host)) {
            self.sample.push(visit);
        }
    }

    fn not_found(&self) -> Failure {
        let known = if self.sample.is_empty() { "no page of its host is" } else { "other pages of its host are" };
        let what = "name a page as pages.jsonl spells it";
        let directory = self.directory.display();
        Failure::usage(format!("{} is not in the page log of {directory}, {known}: {what}", self.url))
    }

    /// Reads the page as its last complete response has it.
    pub fn read(&self) -> Result<ReadPage, Failure> {
        let failed = |why: String| Failure::new(Exit::Failed, format!("{}: {why}", self.url));
        let Some(last) = self.visits.iter().rev().find(|visit| visit.warc_file.is_some()) else {
            let fate = self.visits.last().map_or("", |visit| visit.fate.as_str());
            return Err(failed(format!("the crawl has no record of it in its WARC files (fate: {fate})")));
        };
        let mut visits = self.visits.iter().rev().filter(|visit| visit.may_have_posts()).peekable();
        if visits.peek().is_none() {
            let status = last.status.map_or_else(|| "none".to_owned(), |status| status.to_string());
            let media = last.content_type.as_deref().unwrap_or("no media type");
            let what = "only HTML pages with status 200 are read for posts";
            return Err(failed(format!("{what}: its status is {status}, its media type {media}")));
        }
        let mut read = visits.map(|visit| visit.read(&self.directory));
        // The record of a visit that found nothing new has no page.
        let whole = read.find(|read| read.as_ref().map_or(true, |recorded| recorded.message.is_some()));
        let recorded = whole.transpose().map_err(|error| failed(format!("its record: {error:#}")))?;
        let recorded =
            recorded.ok_or_else(|| failed("no response to it is recorded, only that it was unchanged".into()))?;
        let page = recorded.parse(recorded_response);
        page.map(|page| ReadPage { recorded, page }).ok_or_else(|| failed(BEYOND_BOUNDS.to_owned()))
    }

    /// Returns the number of pages of its host that are learned from.
    pub fn learned_from(&self) -> usize {
        self.sample.len()
    }

    /// Returns what the pages of the host teach, and the corrections of the crawl.
    pub fn extractor(&self) -> Result<Extractor, Failure> {
        let mut extractor = Extractor::default();
        extractor.correct(corrections_of(std::slice::from_ref(&self.directory)).map_err(Failure::usage)?);
        let pages = self.sample.iter().filter_map(|visit| visit.read(&self.directory).ok()?.parse(recorded_response));
        pages.for_each(|page| extractor.learn(&page));
        extractor.settle();
        Ok(extractor)
    }
}

impl LoggedVisit {
    fn may_have_posts(&self) -> bool {
        let is_html = MediaType::of(self.content_type.as_deref()) == MediaType::Html;
        self.status == Some(200) && self.warc_file.is_some() && is_html
    }

    fn read(&self, directory: &Path) -> anyhow::Result<RecordedPage> {
        let (name, offset) = self.warc_file.as_deref().zip(self.warc_offset).context("it is in no WARC file")?;
        let page = read_recorded(directory, name, offset).with_context(|| format!("cannot read {name}"))?;
        page.with_context(|| format!("{name} has no complete response at {offset}"))
    }
}

fn open_log(directory: &Path) -> Result<Lines, Failure> {
    let shown = directory.display();
    if !directory.is_dir() {
        let what = "name the directory given as --out to the crawl";
        return Err(Failure::usage(format!("directory {shown} does not exist: {what}")));
    }
    let lines = Lines::open(directory, PAGE_LOG)?;
    lines.ok_or_else(|| Failure::usage(format!("{shown} is not a crawl directory: it has no {PAGE_LOG}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(log: &str, url: &str) -> Result<CrawlPage, Failure> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(PAGE_LOG), log).unwrap();
        CrawlPage::find(directory.path(), &Url::parse(url).unwrap())
    }

    fn line(url: &str, rest: &str) -> String {
        format!("{{\"url\":\"{url}\",\"fate\":\"fetched\"{rest}}}\n")
    }

    #[test]
    fn a_page_is_found_with_the_pages_of_its_host() {
        let html = ",\"status\":200,\"content_type\":\"text/html\",\"warc_file\":\"warc/a\",\"warc_offset\":1";
        let log = [
            line("http://h/a", html),
            "broken\n".to_owned(),
            line("http://h:81/b", html),
            line("http://h/a", html),
            line("http://h/c", ",\"status\":404"),
        ]
        .concat();
        let found = find(&log, "http://h/a").unwrap();
        assert_eq!((found.visits.len(), found.sample.len()), (2, 2));
        let failure = |url: &str| find(&log, url).map(|_| ()).unwrap_err();
        assert!(failure("http://h/x").text.contains("other pages of its host are"), "{}", failure("http://h/x").text);
        assert!(failure("http://other/").text.contains("no page of its host is"));
        assert_eq!(failure("http://h/x").exit, Exit::Usage);
        let missing = find(&log, "http://h/c").unwrap().read().err().unwrap();
        assert!(missing.text.contains("no record of it"), "{}", missing.text);
        let torn = find(&log, "http://h/a").unwrap().read().err().unwrap();
        assert!(torn.text.contains("cannot read warc/a"), "{}", torn.text);
    }

    #[test]
    fn what_is_no_crawl_directory_is_told() {
        let url = Url::parse("http://h/").unwrap();
        let empty = tempfile::tempdir().unwrap();
        let failure = |path: &Path| CrawlPage::find(path, &url).map(|_| ()).unwrap_err().text;
        assert!(failure(empty.path()).contains("no pages.jsonl"));
        assert!(failure(&empty.path().join("none")).contains("does not exist"));
    }
}
