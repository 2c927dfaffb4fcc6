//! The history of a URL, reconstructed from the logs of a crawl.

use anyhow::anyhow;
use serde::Serialize;

use super::directory::CrawlDirectory;
use super::judged::{JudgedReport, WaitingReport};
use super::page_text::PageTextReport;
use super::policy_log::{Knowledge, knowledge};
use super::rendering::PageRendering;
use harvestman_core::model::{Fate, PageRecord, PolicyRefusal};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Scope, SearchTemplate};
use harvestman_pipeline::replay_text;
use harvestman_storage::archive::LinksLine;

/// Maximum length of a chain that is followed: deeper than any crawl with the default depth and its redirects.
const CHAIN_MAX: usize = 100;
/// Maximum number of linking pages that are listed.
const LINKING_MAX: usize = 5;

/// The history of a URL.
#[derive(Debug, Serialize)]
pub(super) struct Story {
    /// The URL, canonical.
    pub url: String,
    /// Its record in the page log.
    pub page: Option<PageRecord>,
    /// Without a record: the most that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The discovery chain: the page on which it was discovered, the page on which that was discovered, and so on to a
    /// seed.
    pub chain: Vec<Step>,
    /// The knowledge of the policy when the URL was selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Knowledge>,
    /// The query, if it is the address of a search's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// How it was judged, if it was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedReport>,
    /// What is expected of it, if it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<WaitingReport>,
    /// What its text added to the crawl, if it was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<PageTextReport>,
    /// How it was rendered, if its class may need a browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendering: Option<PageRendering>,
    /// The first five pages that link to it, if links were exported.
    pub linked_from: Vec<Linking>,
}

/// A page between a seed and the URL.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    /// The page.
    pub url: String,
    /// Its fate; absent for a sitemap, which is not a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<String>,
    /// Number of links between a seed and it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u16>,
    /// The query, if it is a search's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// A page that links to the URL.
#[derive(Debug, Serialize)]
pub(super) struct Linking {
    /// The page.
    pub page: String,
    /// The position of the link there: the hash of its Apath.
    pub apath: String,
    /// Whether the URL was discovered and accepted through this link.
    pub new: bool,
    /// The reason why the link was refused there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Story {
    /// Reconstructs the history of the URL given as `text`.
    pub fn of(directory: &CrawlDirectory, text: &str) -> anyhow::Result<Self> {
        let canonicaliser = Canonicaliser::new(&directory.config.url)?;
        let url =
            canonicaliser.parse(text).map_err(|why| anyhow!("`{text}` is not a URL of a page ({})", why.label()))?;
        let page = directory.page(url.as_str())?;
        let searches = Searches::of(directory, &canonicaliser);
        let linked_from = linking(directory, url.as_str())?;
        let chain = page.as_ref().map_or(Ok(Vec::new()), |page| chain(directory, page, &searches))?;
        let decided = page.as_ref().and_then(|page| page.snapshot.zip(page.class.as_deref()));
        let policy = decided.map_or(Ok(None), |(snapshot, class)| knowledge(directory, snapshot, class))?;
        let fetched = page.as_ref().filter(|page| page.fate == Fate::Fetched.name());
        // All else that is known of the URL does not depend on this.
        let replay = (page.is_none() || fetched.is_some())
            .then(|| replay_text(&directory.config, directory.path(), &url).map_err(|error| error.to_string()));
        let replayed = replay.as_ref().and_then(|replay| replay.as_ref().ok());
        let judged = replayed.and_then(|replay| JudgedReport::of(directory, replay));
        let waiting = replayed.filter(|_| page.is_none()).and_then(WaitingReport::of);
        let verdict = match &page {
            Some(_) => None,
            None => Some(verdict(directory, &canonicaliser, &url, &linked_from, waiting.is_some())?),
        };
        let text = fetched.zip(replay).map(|(page, replay)| PageTextReport::of(directory, page, replay));
        let query = searches.query_of(url.as_str());
        let rendering = page.as_ref().and_then(|page| PageRendering::of(directory.path(), page));
        let url = url.to_string();
        Ok(Self { url, page, verdict, chain, policy, query, judged, waiting, text, rendering, linked_from })
    }
}

/// The searches of a crawl.
struct Searches(Vec<SearchTemplate>);

impl Searches {
    fn of(directory: &CrawlDirectory, canonicaliser: &Canonicaliser) -> Self {
        let urls = directory.config.search.url.iter();
        Self(urls.filter_map(|text| SearchTemplate::parse(text, canonicaliser).ok()).collect())
    }

    fn query_of(&self, url: &str) -> Option<String> {
        self.0.iter().find_map(|search| search.query_of(url))
    }
}

/// Returns the discovery chain of `page`, from the nearest page to a seed.
fn chain(directory: &CrawlDirectory, page: &PageRecord, searches: &Searches) -> anyhow::Result<Vec<Step>> {
    let (mut steps, mut next) = (Vec::new(), page.via.clone());
    while let Some(url) = next.filter(|_| steps.len() < CHAIN_MAX) {
        let line = directory.page(&url)?;
        next = line.as_ref().and_then(|line| line.via.clone());
        let depth = line.as_ref().map(|line| line.depth);
        let query = searches.query_of(&url);
        steps.push(Step { url, fate: line.map(|line| line.fate), depth, query });
    }
    Ok(steps)
}

fn linking(directory: &CrawlDirectory, url: &str) -> anyhow::Result<Vec<Linking>> {
    let mut found = Vec::new();
    let Some(mut lines) = directory.lines("links.jsonl")? else { return Ok(found) };
    let href = format!("\"href\":{}", serde_json::to_string(url)?);
    while let Some(line) = lines.next_line()?
        && found.len() < LINKING_MAX
    {
        if memchr::memmem::find(line, href.as_bytes()).is_none() {
            continue;
        }
        let line: LinksLine = serde_json::from_slice(line)?;
        if let Some(link) = line.links.into_iter().find(|link| link.href == url) {
            found.push(Linking { page: line.url, apath: link.class, new: link.new, refused: link.refused });
        }
    }
    Ok(found)
}

/// Explains a URL that has no record in the page log; `waits`: the policy saw it accepted.
fn verdict(
    directory: &CrawlDirectory,
    canonicaliser: &Canonicaliser,
    url: &CanonicalUrl,
    linked_from: &[Linking],
    waits: bool,
) -> anyhow::Result<String> {
    let seeds = directory.config.crawl.seeds.iter();
    let seeds: Vec<CanonicalUrl> = seeds.filter_map(|seed| canonicaliser.parse(seed).ok()).collect();
    let scope = Scope::new(&directory.config.scope, &seeds)?;
    // Sites that searches found belong to the crawl too.
    if let (false, Err(why)) = (waits, scope.check(url.as_str())) {
        return Ok(format!("it is outside the scope of this crawl ({}), so it was never requested", why.label()));
    }
    let waited = match waiting(directory)? {
        Some(0) => "no URL was queued when the crawl ended".to_owned(),
        Some(left) => format!("{left} URLs were still queued when the crawl ended"),
        None => "the crawl has not written its report, so the URL may still be queued or in flight".to_owned(),
    };
    let exported = directory.config.archive.links;
    let refused = linked_from.iter().find_map(|link| link.refused.as_deref());
    Ok(match (waits || linked_from.iter().any(|link| link.new), linked_from.is_empty(), exported) {
        (false, false, _) if let Some(why) = refused => {
            format!("its links were refused ({why}: {}); {waited}", meaning(why))
        }
        (true, ..) => format!("it was discovered and accepted, but not fetched: {waited}"),
        (false, false, _) => {
            format!("it was linked but not accepted: refused by a rule, too deep, or known before; {waited}")
        }
        (false, true, true) => format!("no fetched page links to it; {waited}"),
        (false, true, false) => format!(
            "it is not in the page log: no fetched page links to it, its links were refused, or it was not fetched \
             ({waited}). Crawl with archive.links = true to distinguish these cases"
        ),
    })
}

/// Describes the reason of a refusal.
fn meaning(why: &str) -> &'static str {
    PolicyRefusal::of_label(why).map_or("not wanted", PolicyRefusal::meaning)
}

/// Returns the number of URLs that were queued at the end.
fn waiting(directory: &CrawlDirectory) -> anyhow::Result<Option<u64>> {
    Ok(directory.report()?.map(|report| report.fates.of(Fate::Queued)))
}
