//! The searches of a crawl.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Error;
use harvestman_core::config::{Config, PolicyVariant};
use harvestman_core::model::{Apath, LinkClass, Priority, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Canonicaliser, SearchTemplate, origin_of};
use harvestman_policy::search::{Searching, SearchingOptions, SiteLimits};
use harvestman_policy::{ExamplePage, Policy, Proposal};
use harvestman_structure::site::QueryOptions;
use harvestman_validators::PageView;

/// Number of queries in succession without a result after which the printed form ends (section 5.3).
const PAPER_FRUITLESS: u32 = 50;

/// Number of results of an answer that are looked at on one site: there the policy finds further pages at a lower price, and a
/// site without wanted pages costs less.
const SITE_RESULTS: usize = 2;

/// Maximum number of results of an answer that are read.
const LOOKED_AT_MAX: usize = 1_000;

/// The searches of a crawl, as workers know them.
#[derive(Debug, Clone)]
pub(super) struct Searches {
    pub(super) templates: Vec<SearchTemplate>,
    /// Maximum number of results of an answer that are looked at.
    pub(super) results_max: usize,
    /// Maximum number of these of one site.
    pub(super) site_results_max: usize,
}

impl Searches {
    /// Returns the searches of the settings; `None` if there are none.
    ///
    /// # Errors
    /// The address of a search is invalid.
    pub(super) fn new(config: &Config, canonicaliser: &Canonicaliser) -> Result<Option<Arc<Self>>, Error> {
        let parse = |text: &String| SearchTemplate::parse(text, canonicaliser).map_err(Error::Configuration);
        let templates = config.search.url.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let site_results_max = if is_printed(config) { usize::MAX } else { SITE_RESULTS };
        let results_max = config.search.results as usize;
        let searches = || Arc::new(Self { templates, results_max, site_results_max });
        Ok(config.search.is_on().then(searches))
    }

    /// Takes in the results of an answer, those of sites for which `is_known` does not hold first. `take` takes in one and
    /// returns whether it is fetched. Ends with the maximum number of results; of a site, at most two are fetched. Those that
    /// are not, because they are known or passed over, leave room for others of their site, except in the printed form.
    pub(super) fn take_in(
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
        let counts_pages = is_printed(config);
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

/// Returns whether searches work as in the paper.
fn is_printed(config: &Config) -> bool {
    config.policy.variant == PolicyVariant::Paper
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

#[cfg(test)]
mod tests {
    use super::*;

    fn searches(results_max: usize, site_results_max: usize) -> Searches {
        Searches { templates: Vec::new(), results_max, site_results_max }
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
