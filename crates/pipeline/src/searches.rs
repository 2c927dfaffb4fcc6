//! The searches of a crawl.

use std::sync::Arc;

use super::Error;
use harvestman_core::config::{Config, PolicyVariant};
use harvestman_core::model::{Apath, LinkClass, Priority, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, SearchTemplate};
use harvestman_policy::search::{Searching, SearchingOptions, SiteLimits};
use harvestman_policy::{ExamplePage, Policy, Proposal};
use harvestman_structure::site::QueryOptions;
use harvestman_validators::PageView;

/// Number of queries in succession without a result after which the printed form ends (section 5.3).
const PAPER_FRUITLESS: u32 = 50;

/// The searches of a crawl, as workers know them.
#[derive(Debug, Clone)]
pub(super) struct Searches {
    pub(super) templates: Vec<SearchTemplate>,
    /// Maximum number of results of an answer that are looked at.
    pub(super) results_max: usize,
}

impl Searches {
    /// Returns the searches of the settings; `None` if there are none.
    ///
    /// # Errors
    /// The address of a search is invalid.
    pub(super) fn new(config: &Config, canonicaliser: &Canonicaliser) -> Result<Option<Arc<Self>>, Error> {
        let parse = |text: &String| SearchTemplate::parse(text, canonicaliser).map_err(Error::Configuration);
        let templates = config.search.url.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let searches = || Arc::new(Self { templates, results_max: config.search.results as usize });
        Ok(config.search.is_on().then(searches))
    }

    /// Returns an address of each search.
    pub(super) fn addresses(&self, canonicaliser: &Canonicaliser) -> Vec<CanonicalUrl> {
        self.templates.iter().filter_map(|template| template.url("", canonicaliser).ok()).collect()
    }

    /// Returns whether a URL is that of an answer.
    pub(super) fn is_answer(&self, url: &str) -> bool {
        self.templates.iter().any(|template| template.is_answer(url))
    }

    /// Returns whether a URL is a result of a search, or what it redirects to.
    pub(super) fn is_result(&self, item: &ScheduledUrl) -> bool {
        item.via.as_deref().is_some_and(|via| self.is_answer(via))
    }

    /// Returns whether the policy waits for a URL: a query or its result.
    pub(super) fn awaits(&self, item: &ScheduledUrl) -> bool {
        self.is_answer(item.url.as_str()) || self.is_result(item)
    }

    /// Returns `policy` with these searches, if there are any.
    pub(super) fn around(
        searches: Option<&Arc<Self>>,
        policy: Box<dyn Policy>,
        (config, canonicaliser): (&Config, &Canonicaliser),
        samples: Vec<String>,
    ) -> Box<dyn Policy> {
        let Some(searches) = searches else { return policy };
        let search = &config.search;
        let counts_pages = config.policy.variant == PolicyVariant::Paper;
        let max_iterations = if counts_pages { PAPER_FRUITLESS } else { search.fruitless_max };
        let generation = QueryOptions {
            tokens: search.tokens as usize,
            length: search.length as usize,
            max_iterations,
            queries_max: search.queries_max as usize,
        };
        Box::new(Searching::new(
            policy,
            SearchingOptions {
                templates: searches.templates.clone(),
                canonicaliser: canonicaliser.clone(),
                queries: search.query.clone(),
                samples,
                generation,
                each_example: !counts_pages,
                counts_pages,
                limits: SiteLimits { requests: search.site_requests, share: search.site_share },
                read_text: Box::new(visible_text),
            },
        ))
    }
}

/// Returns `policy` with the searches of the settings; `samples` are the texts of the examples.
///
/// # Errors
/// The address of a search is invalid.
pub fn with_searches(config: &Config, policy: Box<dyn Policy>, samples: Vec<String>) -> Result<Box<dyn Policy>, Error> {
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| Error::Configuration(error.to_string()))?;
    let searches = Searches::new(config, &canonicaliser)?;
    Ok(Searches::around(searches.as_ref(), policy, (config, &canonicaliser), samples))
}

/// Returns the visible text of a page, with a line for each block.
pub fn visible_text(body: &[u8], content_type: Option<&str>) -> Option<String> {
    let page = PageView::new("", body).with_content_type(content_type);
    page.visible_text().map(ToOwned::to_owned)
}

/// Returns the visible text of an example that is at hand.
pub(super) fn text_of(example: &ExamplePage) -> Option<String> {
    let (body, content_type) = example.facts.as_ref()?.body.as_ref()?;
    visible_text(body, content_type.as_deref())
}

/// Returns the URL of a query, as one that waits before all others.
pub(super) fn query(proposal: &Proposal) -> ScheduledUrl {
    let url = CanonicalUrl::from_canonical(proposal.url.clone());
    let item = ScheduledUrl::found(url, LinkClass::unclassified(Apath::SEED));
    ScheduledUrl { priority: Priority::Pinned, ..item }
}
