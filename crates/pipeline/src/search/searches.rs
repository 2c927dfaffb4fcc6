//! The searches of a crawl.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Error;
use crate::search::own_searches::{DESCRIPTION_BYTES_MAX, OwnRequest, OwnSearches};
use crate::search::reach::Reach;
use harvestman_core::config::{Config, PolicyKind, SEARCH_SITES_MAX};
use harvestman_core::model::{Apath, Fate, Initiator, LinkClass, Priority, RobotsRefusal, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, HostKey, SearchKeys, SearchTemplate, origin_of};
use harvestman_policy::search::{FoundSearch, Searching, SearchingOptions, SiteLimits};
use harvestman_policy::{ExamplePage, Policy, Proposal, ProposalKind};
use harvestman_stages::fetch;
use harvestman_structure::site::QueryOptions;
use harvestman_validators::PageView;

/// Number of words of the examples that queries are made from. Those beyond the best dozen describe the examples, not
/// their topic.
const TOKENS: usize = 12;

/// Number of words of a query; search engines answer longer ones by what has all of the words: the examples themselves.
const QUERY_LENGTH: usize = 3;

/// Maximum number of generated queries of several words, after as many of one word as there are [`TOKENS`]. Search
/// engines limit queries, and `search.fruitless_max` usually ends them before.
const QUERIES_MAX: usize = 40;

/// Number of requests after which a found site is compared with the best one, and again after as many: enough to see
/// past its front page.
const SITE_REQUESTS: u32 = 300;

/// A found site is left if its share of wanted pages is surely below this part of the best site's: a tenth is far below
/// what differs between sites that are worth crawling.
const SITE_SHARE: f64 = 0.1;

/// Number of queries in succession without a result after which the printed form ends (section 5.3).
const PAPER_FRUITLESS: u32 = 50;

/// Number of results of an answer that are looked at on one site: there the policy finds further pages at a lower
/// price, and a site without wanted pages costs less.
const SITE_RESULTS: usize = 2;
/// Number of results of a query that are fetched: the first page of most searches.
const RESULTS: usize = 10;

/// Maximum number of results of an answer that are read.
const LOOKED_AT_MAX: usize = 1_000;

/// The searches of a crawl, as workers know them.
#[derive(Debug)]
pub(crate) struct Searches {
    /// Those that the user named.
    pub(crate) templates: Vec<SearchTemplate>,
    /// The keys in their addresses.
    pub(crate) keys: Arc<SearchKeys>,
    /// Those of the seeds' own sites, if they are used.
    pub(crate) own: Option<OwnSearches>,
    /// Maximum number of results of an answer that are looked at.
    pub(crate) results_max: usize,
    /// Maximum number of these of one site.
    pub(crate) site_results_max: usize,
}

impl Searches {
    /// The fate of a query that robots.txt forbids.
    pub(crate) const FORBIDDEN: Fate = Fate::Robots(RobotsRefusal::Disallowed);

    /// Returns the searches of the settings; `None` if there are none.
    ///
    /// # Errors
    /// The address of a search is invalid.
    pub(crate) fn new(config: &Config, canonicaliser: &Canonicaliser) -> Result<Option<Arc<Self>>, Error> {
        let parse = |text: String| SearchTemplate::parse(&text, canonicaliser).map_err(Error::Configuration);
        let templates = config.search.named().map(parse).collect::<Result<Vec<_>, _>>()?;
        let own = config.search.uses_own().then(|| OwnSearches::new(SEARCH_SITES_MAX as u32));
        let site_results_max = if is_printed(config) { usize::MAX } else { SITE_RESULTS };
        let keys = Arc::new(SearchKeys::new(&config.search.url, canonicaliser));
        let searches = || Arc::new(Self { templates, keys, own, results_max: RESULTS, site_results_max });
        Ok(config.search.is_on().then(searches))
    }

    /// Takes in the results of an answer, those of sites for which `is_known` does not hold first. `take` takes in one
    /// and returns whether it is fetched. Ends with the maximum number of results; of a site, at most two are fetched.
    /// Those that are not, because they are known or passed over, leave room for others of their site, except in the
    /// printed form.
    pub(crate) fn take_in(
        &self,
        results: &[String],
        is_known: impl Fn(&str) -> bool,
        mut take: impl FnMut(&str) -> bool,
    ) {
        let (known, unknown): (Vec<&str>, Vec<&str>) =
            results.iter().map(String::as_str).take(LOOKED_AT_MAX).partition(|url| is_known(url));
        let mut of_site: BTreeMap<&str, usize> = BTreeMap::new();
        let mut taken = 0;
        for url in unknown.into_iter().chain(known) {
            let count = of_site.entry(origin_of(url)).or_default();
            if taken >= self.results_max || *count >= self.site_results_max {
                continue;
            }
            if take(url) || self.site_results_max == usize::MAX {
                *count += 1;
                taken += 1;
            }
        }
    }

    /// Takes in the results of an answer of a site's own search, with the same `take`, until the maximum number of
    /// results is fetched.
    pub(crate) fn take_in_own(&self, results: &[CanonicalUrl], mut take: impl FnMut(&str) -> bool) {
        let taken = results.iter().take(LOOKED_AT_MAX).filter(|url| take(url.as_str()));
        taken.take(self.results_max).for_each(drop);
    }

    /// Returns an address of each search that the user named.
    pub(crate) fn addresses(&self, canonicaliser: &Canonicaliser) -> Vec<CanonicalUrl> {
        self.templates.iter().filter_map(|template| template.url("", canonicaliser).ok()).collect()
    }

    /// Returns whether a URL is that of an answer of a search that the user named.
    pub(crate) fn is_answer(&self, url: &str) -> bool {
        self.templates.iter().any(|template| template.is_answer(url))
    }

    /// Returns whether a URL is a result of such a search, or what it redirects to.
    pub(crate) fn is_named_result(&self, item: &ScheduledUrl) -> bool {
        item.via.as_deref().is_some_and(|via| self.is_answer(via))
    }

    /// Returns what a URL is requested for by a site's own search.
    pub(crate) fn own_request(&self, item: &ScheduledUrl) -> Option<OwnRequest> {
        self.own.as_ref()?.request(item)
    }

    /// Returns the query that led to a URL which redirects, and how far the redirect may lead. A query to a site's own
    /// search leads to its only result.
    pub(crate) fn led_to(&self, item: &ScheduledUrl) -> Option<(Arc<str>, Reach)> {
        let own = self.own.as_ref();
        if let Some(OwnRequest::Query(_)) = self.own_request(item) {
            return Some((item.url.as_str().into(), Reach::OwnSearch));
        }
        let via = item.via.clone()?;
        if self.is_named_result(item) {
            return Some((via, Reach::FoundSite));
        }
        own?.is_result(item).then_some((via, Reach::OwnSearch))
    }

    /// Returns whether the policy waits for a URL: a query or its result, or the description of a search.
    pub(crate) fn awaits(&self, item: &ScheduledUrl) -> bool {
        let is_own = |own: &OwnSearches| own.request(item).is_some() || own.is_result(item);
        self.is_answer(item.url.as_str()) || self.is_named_result(item) || self.own.as_ref().is_some_and(is_own)
    }

    /// Recognises the searches of sites that the policy has found, from now on.
    pub(crate) fn add_found(&self, found: Vec<FoundSearch>) {
        if let Some(own) = &self.own {
            own.add(found);
        }
    }

    /// Returns the request for a URL: answers and descriptions may be of any type.
    pub(crate) fn request(&self, item: &ScheduledUrl) -> fetch::Request {
        let page = fetch::Request::page(item.url.clone());
        match self.own_request(item) {
            Some(OwnRequest::Description) => {
                let page = item
                    .via
                    .as_deref()
                    .map_or(Initiator::Unknown, |via| Initiator::Origin(HostKey::from_origin(origin_of(via))));
                fetch::Request::of_any_type(item.url.clone(), DESCRIPTION_BYTES_MAX, page)
            }
            Some(OwnRequest::Query(_)) => fetch::Request { accept: fetch::Accept::All, ..page },
            None if self.is_answer(item.url.as_str()) => fetch::Request { accept: fetch::Accept::All, ..page },
            None => page,
        }
    }

    /// Returns `policy` with these searches, if there are any.
    pub(crate) fn around(
        searches: Option<&Arc<Self>>,
        policy: Box<dyn Policy>,
        config: &Config,
        canonicaliser: &Canonicaliser,
        samples: Vec<String>,
    ) -> Box<dyn Policy> {
        let Some(searches) = searches else { return policy };
        let search = &config.search;
        let counts_pages = is_printed(config);
        let max_iterations = if counts_pages { PAPER_FRUITLESS } else { search.fruitless_max };
        let generation =
            QueryOptions { tokens: TOKENS, length: QUERY_LENGTH, max_iterations, queries_max: QUERIES_MAX };
        Box::new(Searching::new(
            policy,
            SearchingOptions {
                templates: searches.templates.clone(),
                own_max: if searches.own.is_some() { SEARCH_SITES_MAX } else { 0 },
                canonicaliser: canonicaliser.clone(),
                queries: search.query.clone(),
                samples,
                generation,
                each_example: !counts_pages,
                counts_pages,
                limits: SiteLimits { requests: SITE_REQUESTS, share: SITE_SHARE },
                read_text: Box::new(visible_text),
            },
        ))
    }
}

/// The name of xCrawl as printed, where a program adds it.
const XCRAWL_PRINTED: PolicyKind = PolicyKind::Added("xcrawl:paper");

/// Returns whether searches work as in the paper.
fn is_printed(config: &Config) -> bool {
    config.crawl.policy == XCRAWL_PRINTED
}

/// Returns `policy` with the searches of the settings; `samples` are the texts of the examples.
///
/// # Errors
/// The address of a search is invalid.
pub fn with_searches(config: &Config, policy: Box<dyn Policy>, samples: Vec<String>) -> Result<Box<dyn Policy>, Error> {
    let canonicaliser = Canonicaliser::new(&config.url).map_err(|error| Error::Configuration(error.to_string()))?;
    let searches = Searches::new(config, &canonicaliser)?;
    Ok(Searches::around(searches.as_ref(), policy, config, &canonicaliser, samples))
}

/// Returns the visible text of a page, with a line for each block.
pub fn visible_text(body: &[u8], content_type: Option<&str>) -> Option<String> {
    let page = PageView::new("", body).with_content_type(content_type);
    page.visible_text().map(ToOwned::to_owned)
}

/// Returns the visible text of an example that is at hand.
pub(crate) fn text_of(example: &ExamplePage) -> Option<String> {
    let (body, content_type) = example.facts.as_ref()?.body.as_ref()?;
    visible_text(body, content_type.as_deref())
}

/// Returns the URL of a query, as one that waits before all others, or after them.
pub(crate) fn query(proposal: &Proposal) -> ScheduledUrl {
    let url = CanonicalUrl::from_canonical(proposal.url.clone());
    let item = ScheduledUrl::found(url, LinkClass::unclassified(Apath::SEED));
    let is_last = proposal.kind == ProposalKind::OwnSearchLast;
    ScheduledUrl { priority: if is_last { Priority::Last } else { Priority::Pinned }, ..item }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searches(results_max: usize, site_results_max: usize) -> Searches {
        Searches { templates: Vec::new(), keys: Arc::default(), own: None, results_max, site_results_max }
    }

    #[test]
    fn results_on_unknown_sites_are_looked_at_first_and_few_of_each_site() {
        let results = ["a/1", "b/1", "b/2", "b/3", "c/1", "a/2", "b/4", "c/2", "d/1"];
        let results: Vec<String> = results.iter().map(|result| format!("http://{result}")).collect();
        let is_known = |url: &str| url.starts_with("http://a") || url.starts_with("http://d");
        let taken = |results_max, of_site, fetched: fn(&str) -> bool| {
            let mut taken = Vec::new();
            searches(results_max, of_site).take_in(&results, is_known, |url| {
                taken.push(url.replace("http://", ""));
                fetched(url)
            });
            taken.join(" ")
        };
        assert_eq!(taken(10, 1, |_| true), "b/1 c/1 a/1 d/1");
        assert_eq!(taken(5, 2, |_| true), "b/1 b/2 c/1 c/2 a/1");
        assert_eq!(taken(5, usize::MAX, |_| true), "b/1 b/2 b/3 c/1 b/4");
        assert_eq!(taken(0, 2, |_| true), "");
        // Lists that match every query do not hide other pages of their site.
        assert_eq!(taken(3, 1, |url| !matches!(url, "http://b/1" | "http://b/2")), "b/1 b/2 b/3 c/1 a/1");
        assert_eq!(taken(3, usize::MAX, |_| false), "b/1 b/2 b/3");
    }
}
