//! The two passes over WARC files.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::page::{DecodeMessage, RecordedPage, ResponseContent, Sample, Visit};
use super::post_file::PostFile;
use super::warc_pages::{PagesEnd, WarcInput, read_pages};
use harvestman_posts::site::{Collector, PageNeighbours, Site, TooManyPosts};
use harvestman_posts::{Corrections, Extractor};

/// Number of pages that are named of those that are given up.
const GIVEN_UP_NAMED: usize = 10;

/// What to extract from.
pub struct Inputs<'i> {
    /// The names of WARC files in the records, and their paths.
    pub files: Vec<(String, PathBuf)>,
    /// Removes the codings of responses.
    pub decode: DecodeMessage,
    /// What a crawl noted of the page at an offset of a file.
    pub visit: &'i dyn Fn(&str, u64) -> Visit,
    /// The directory for the file that keeps the posts.
    pub directory: PathBuf,
    /// What users say of the places of fields.
    pub corrections: Corrections,
}

/// How far the extraction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Number of pages that were looked at to learn.
    Learning(u64),
    /// Number of pages whose records were found.
    Extracting(u64),
}

/// Why nothing was extracted.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// A file cannot be opened.
    #[error("cannot read {0}: {1}")]
    Open(String, #[source] io::Error),
    /// The posts cannot be kept.
    #[error("cannot write the temporary file: {0}")]
    Keep(#[from] io::Error),
    /// There are too many posts.
    #[error(transparent)]
    TooMany(#[from] TooManyPosts),
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of HTML pages with status 200.
    pub pages: u64,
    /// Number of pages among them that show posts.
    pub pages_with_posts: u64,
    /// Number of pages among them that were given up, because finding their posts takes too long.
    pub given_up: u64,
    /// The addresses of the first of these.
    pub given_up_first: Vec<String>,
    /// Number of feeds with status 200.
    pub feeds: u64,
    /// Number of posts on all pages and in all feeds together.
    pub sightings: u64,
    /// Files that could not be read to their end, with the reason.
    pub damaged: Vec<(String, String)>,
    /// Number of WARC records.
    pub records: u64,
}

/// The records of the pages.
pub struct ExtractedSite {
    /// Which posts there are.
    pub site: Site,
    /// Their texts.
    pub posts: PostFile,
    /// What was read.
    pub totals: Totals,
}

/// Extracts the records of pages and feeds, and calls `progress` after each page.
///
/// # Errors
///
/// A file cannot be opened, the temporary file cannot be written, or there are too many posts. Damaged files are read
/// up to the damage.
pub fn extract(inputs: &Inputs<'_>, progress: &mut dyn FnMut(Progress)) -> Result<ExtractedSite, ExtractError> {
    let extractor = learn(inputs, progress)?;
    let mut pass = SecondPass {
        inputs,
        extractor,
        collector: Collector::default(),
        posts: PostFile::create(&inputs.directory)?,
        totals: Totals::default(),
    };
    for (name, path) in &inputs.files {
        let end = read_pages(open(name, path)?, &mut |page| {
            pass.add(&page)?;
            progress(Progress::Extracting(pass.totals.pages));
            Ok::<(), ExtractError>(())
        })?;
        pass.totals.note(name, end);
    }
    let SecondPass { collector, posts, mut totals, .. } = pass;
    totals.sightings = collector.sightings() as u64;
    Ok(ExtractedSite { site: collector.finish(), posts, totals })
}

impl Totals {
    fn note_given_up(&mut self, url: &str) {
        self.given_up += 1;
        if self.given_up_first.len() < GIVEN_UP_NAMED {
            self.given_up_first.push(url.to_owned());
        }
    }

    fn note(&mut self, name: &str, end: PagesEnd) {
        self.records += end.records;
        self.damaged.extend(end.error.map(|error| (name.to_owned(), error)));
    }
}

fn open(name: &str, path: &Path) -> Result<WarcInput<File>, ExtractError> {
    let reader = File::open(path).map_err(|error| ExtractError::Open(path.display().to_string(), error))?;
    Ok(WarcInput { name: name.to_owned(), reader })
}

/// The first pass: learns the templates from a sample of the pages of each host.
fn learn(inputs: &Inputs<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Extractor, ExtractError> {
    let (mut extractor, mut sample) = (Extractor::default(), Sample::default());
    extractor.correct(inputs.corrections.clone());
    let mut pages = 0;
    for (name, path) in &inputs.files {
        let read = read_pages(open(name, path)?, &mut |page: RecordedPage| {
            let host = page.url.host_str().unwrap_or_default();
            let is_html = page.message.as_deref().is_some_and(super::page::is_ok);
            if is_html
                && sample.chooses(host)
                && let Some(page) = page.parse(inputs.decode)
            {
                extractor.learn(&page);
            }
            pages += 1;
            progress(Progress::Learning(pages));
            Ok::<(), Infallible>(())
        });
        match read {
            Ok(_) => {}
            Err(never) => match never {},
        }
    }
    extractor.settle();
    Ok(extractor)
}

struct SecondPass<'i> {
    inputs: &'i Inputs<'i>,
    extractor: Extractor,
    collector: Collector,
    posts: PostFile,
    totals: Totals,
}

impl SecondPass<'_> {
    fn add(&mut self, page: &RecordedPage) -> Result<(), ExtractError> {
        if page.message.is_none() {
            self.collector.add_unchanged(page.url.as_str(), page.time);
            return Ok(());
        }
        let (records, head) = match page.read(self.inputs.decode) {
            Some(ResponseContent::Html(parsed)) => {
                let records = self.extractor.extract(&parsed);
                self.totals.pages += 1;
                self.totals.pages_with_posts += u64::from(!records.posts.is_empty());
                if records.is_given_up {
                    self.totals.note_given_up(page.url.as_str());
                }
                (records, PageNeighbours::of(&parsed))
            }
            Some(ResponseContent::Feed(records)) => {
                self.totals.feeds += 1;
                (records, PageNeighbours::default())
            }
            None => return Ok(()),
        };
        let mut origin = page.origin(head);
        let visit = (self.inputs.visit)(&page.file, page.offset);
        (origin.visit, origin.cluster) = (visit.number, visit.cluster);
        let places: io::Result<Vec<u64>> = records.posts.iter().map(|post| self.posts.push(post)).collect();
        Ok(self.collector.add(&origin, &records, &places?)?)
    }
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
