//! The posts of one page for the live page: its texts, each with what it was taken as, or why it has no posts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;
use url::Url;

use super::crawl_pages::CrawlPage;
use crate::cli::exit::Failure;
use harvestman_admin::PageViews;
use harvestman_extraction::read_corrections;
use harvestman_posts::{Correction, Evidence, Extractor, NoPosts, PageOutline};

/// What a page was taken as.
#[derive(Serialize)]
struct PageView {
    url: String,
    /// The number of posts.
    posts: usize,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_posts: Option<String>,
    /// The place of the dates of the template.
    #[serde(skip_serializing_if = "Option::is_none")]
    dates: Option<String>,
    evidence: Evidence,
    outline: PageOutline,
}

/// What was learned of the host that was asked for last.
struct Known {
    host: String,
    pages: usize,
    corrections: Vec<Correction>,
    extractor: Extractor,
}

/// Shows what the pages of the crawl in a directory are taken as.
pub(in crate::cli) fn page_views(directory: PathBuf) -> PageViews {
    let known: Mutex<Option<Known>> = Mutex::new(None);
    Arc::new(move |url: &str| {
        // One page at a time: each may take seconds.
        let mut known = known.lock();
        view(&directory, url, &mut known).map_err(|failure| failure.text)
    })
}

fn view(directory: &Path, url: &str, known: &mut Option<Known>) -> Result<String, Failure> {
    let url = Url::parse(url).map_err(|error| Failure::usage(format!("`{url}` is not a URL: {error}")))?;
    let found = CrawlPage::find(directory, &url)?;
    let page = found.read()?.page;
    let corrections = read_corrections(directory).map_err(Failure::usage)?;
    let is_known = |of: &Known| {
        // What is learned from a few more pages hardly differs.
        of.host == url.authority() && 5 * of.pages >= 4 * found.learned_from() && of.corrections == corrections
    };
    if !known.as_ref().is_some_and(is_known) {
        let extractor = found.extractor()?;
        *known = Some(Known { host: url.authority().to_owned(), pages: found.learned_from(), corrections, extractor });
    }
    let Some(Known { extractor, .. }) = known.as_ref() else { return Err(Failure::usage("nothing is known")) };
    let explained = extractor.explain(&page);
    let view = PageView {
        url: url.to_string(),
        posts: explained.records.posts.len(),
        no_posts: explained.why_none().map(|why| reason(why, &explained.evidence)),
        outline: explained.outline(&page),
        dates: explained.template.map(|template| template.dates),
        evidence: explained.evidence,
    };
    serde_json::to_string(&view).map_err(Failure::usage)
}

/// Returns the reason, and what can be done.
pub(in crate::cli) fn reason(why: NoPosts, evidence: &Evidence) -> String {
    let Evidence { learned_from, templates, dates, dates_at_one_place, template_posts, markup_posts, .. } = evidence;
    let place = evidence.place.as_ref().map_or_else(String::new, |place| format!(" at `{place}`"));
    let crawl =
        if *learned_from == 0 { " One page tells little: --crawl DIR learns from all pages of its site." } else { "" };
    match why {
        NoPosts::NoDates => {
            "the page shows no date, and posts are found by their dates; it has no markup that names posts either. \
            A page whose posts are loaded by a script must be rendered: see harvestman inspect render"
                .to_owned()
        }
        NoPosts::NothingRepeats => {
            format!("the page shows {}, but no place has several.{crawl}", counted(*dates, "date"))
        }
        NoPosts::NoRecords => format!(
            "of {}, {dates_at_one_place} are at one place{place}, but what is around them are no posts: it has no text of \
             its own, or only links and titles.{crawl}",
            counted(*dates, "date")
        ),
        NoPosts::UnknownTemplate => format!(
            "the page shows {} ({dates_at_one_place}{place}), but none of the {} that {} of its site taught finds posts there: it \
             is a page of another kind, such as a list, or no page like it was learned from",
            counted(*dates, "date"),
            counted(*templates, "template"),
            counted(*learned_from, "page")
        ),
        NoPosts::GivenUp => {
            "finding them takes too long, as on pages that are made for that: the page is left out".to_owned()
        }
        NoPosts::NotBelieved => format!(
            "the template shows {}, and markup describes {}, but none is believed: the fields are missing or contradict what the \
             page shows",
            counted(*template_posts, "post"),
            counted(*markup_posts, "post")
        ),
    }
}

/// Returns a number with what it counts.
pub(in crate::cli) fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
