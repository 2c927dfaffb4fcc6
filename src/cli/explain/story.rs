//! The story of a URL, put together from a crawl's logs.

use anyhow::anyhow;
use serde::Serialize;

use super::directory::CrawlDirectory;
use super::policy_log::{Knowledge, knowledge};
use harvestman_core::model::{PageRecord, PolicyRefusal};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, Scope};
use harvestman_storage::archive::LinksLine;

/// Steps of a chain that are followed at most: deeper than any crawl goes by default, with its redirects.
const CHAIN_MAX: usize = 100;
/// Pages that are named as linking to a URL.
const LINKING_MAX: usize = 5;

/// What is known of a URL.
#[derive(Debug, Serialize)]
pub(super) struct Story {
    /// The URL, canonical.
    pub url: String,
    /// Its line in the page log.
    pub page: Option<PageRecord>,
    /// Without a line: what can be said nevertheless.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// How it was found: the page that it was discovered on, that page's, and so on to a seed.
    pub chain: Vec<Step>,
    /// What the policy knew when it was the URL's turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Knowledge>,
    /// Pages that link to it, where links were exported; the first five.
    pub linked_from: Vec<Linking>,
}

/// A page on the way from a seed.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    /// The page.
    pub url: String,
    /// What became of it; absent for a sitemap, which is no page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<String>,
    /// Links between a seed and it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u16>,
}

/// A page that links to the URL.
#[derive(Debug, Serialize)]
pub(super) struct Linking {
    /// The page.
    pub page: String,
    /// Where the link stands there: the Apath's hash.
    pub apath: String,
    /// Whether it was by this link that the URL was discovered and accepted.
    pub new: bool,
    /// Why the link was refused there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Story {
    /// The story of the URL written as `text`.
    pub fn of(directory: &CrawlDirectory, text: &str) -> anyhow::Result<Self> {
        let canonicaliser = Canonicaliser::new(&directory.config.url)?;
        let url = canonicaliser.parse(text).map_err(|why| anyhow!("`{text}` is no URL of a page ({})", why.label()))?;
        let page = directory.page(url.as_str())?;
        let linked_from = linking(directory, url.as_str())?;
        let verdict = if page.is_none() { Some(verdict(directory, &canonicaliser, &url, &linked_from)?) } else { None };
        let chain = page.as_ref().map_or(Ok(Vec::new()), |page| chain(directory, page))?;
        let decided = page.as_ref().and_then(|page| page.snapshot.zip(page.class.as_deref()));
        let policy = decided.map_or(Ok(None), |(snapshot, class)| knowledge(directory, snapshot, class))?;
        Ok(Self { url: url.to_string(), page, verdict, chain, policy, linked_from })
    }
}

/// The pages from the one that `page` was discovered on to a seed.
fn chain(directory: &CrawlDirectory, page: &PageRecord) -> anyhow::Result<Vec<Step>> {
    let (mut steps, mut next) = (Vec::new(), page.via.clone());
    while let Some(url) = next.filter(|_| steps.len() < CHAIN_MAX) {
        let line = directory.page(&url)?;
        next = line.as_ref().and_then(|line| line.via.clone());
        let depth = line.as_ref().map(|line| line.depth);
        steps.push(Step { url, fate: line.map(|line| line.fate), depth });
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

/// What can be said of a URL that has no line.
fn verdict(
    directory: &CrawlDirectory,
    canonicaliser: &Canonicaliser,
    url: &CanonicalUrl,
    linked_from: &[Linking],
) -> anyhow::Result<String> {
    let seeds = directory.config.crawl.seeds.iter();
    let seeds: Vec<CanonicalUrl> = seeds.filter_map(|seed| canonicaliser.parse(seed).ok()).collect();
    let scope = Scope::new(&directory.config.scope, &seeds)?;
    if let Err(why) = scope.check(url.as_str()) {
        return Ok(format!("it is outside the scope of this crawl ({}), so it was never asked for", why.label()));
    }
    let waited = match waiting(directory) {
        Some(0) => "nothing was left waiting when the crawl ended".to_owned(),
        Some(left) => format!("{left} URLs still waited when the crawl ended"),
        None => "the crawl has not written its report, so it may still be waiting or under way".to_owned(),
    };
    let exported = directory.config.archive.links;
    let refused = linked_from.iter().find_map(|link| link.refused.as_deref());
    Ok(match (linked_from.iter().any(|link| link.new), linked_from.is_empty(), exported) {
        (false, false, _) if let Some(why) = refused => {
            format!("its links were refused ({why}: {}); {waited}", meaning(why))
        }
        (true, ..) => format!("it was discovered and accepted, but its turn has not come: {waited}"),
        (false, false, _) => {
            format!(
                "it was linked but not accepted where it was: refused by a rule, or too deep, or known before; {waited}"
            )
        }
        (false, true, true) => format!("no page that was fetched links to it; {waited}"),
        (false, true, false) => format!(
            "it has no line in the page log: no page that was fetched links to it, or its links were refused, or its turn \
             has not come ({waited}). With archive.links = true a crawl keeps what is needed to say which"
        ),
    })
}

/// What a reason means.
fn meaning(why: &str) -> &'static str {
    PolicyRefusal::of_label(why).map_or("not wanted", PolicyRefusal::meaning)
}

/// URLs that waited at the end.
fn waiting(directory: &CrawlDirectory) -> Option<u64> {
    let report = directory.report()?;
    Some(report["fates"]["queued"].as_u64().unwrap_or(0))
}
