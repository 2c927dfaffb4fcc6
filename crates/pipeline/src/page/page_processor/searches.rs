//! Processes the answers of searches, and the descriptions of sites' own searches.

use std::sync::Arc;

use super::{PageProcessor, decoded};
use crate::page::document::Document;
use crate::page::link_filter::LinkFilter;
use crate::page::page_in_work::{Content, PageInWork, Verdict};
use crate::page::page_result::{PageNotes, PageResult, PolicyFindings};
use crate::search::own_searches::{self, OwnRequest, SeedPage, is_seed};
use crate::search::reach::Reach;
use crate::search::search_answer;
use crate::search::searches::Searches;
use harvestman_core::model::{Answer, Apath, Fate, FetchedPage, LinkClass, ParsedPage, ScheduledUrl};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::search::{OwnSearch, PageSearch, SearchAnswer, SearchReply};

impl PageProcessor {
    /// Processes what a search requested: the answer of one, or the description of a site's own.
    pub(crate) fn searched(&mut self, page: &mut PageInWork) -> Verdict {
        let FetchedPage { lease, exchange } = &page.fetched;
        let (Content::Document, Ok(answer)) = (&page.content, &exchange.result) else { return Verdict::Pass };
        match self.requested_by_search(&lease.item, answer) {
            Some(result) => page.settle(result),
            None => Verdict::Pass,
        }
    }

    /// Processes an answer or a description; `None` if the URL is requested for itself.
    fn requested_by_search(&mut self, item: &ScheduledUrl, answer: &Answer) -> Option<PageResult> {
        let searches = self.rules.searches.clone()?;
        if searches.is_answer(item.url.as_str()) {
            return Some(self.named_answer(item, answer, &searches));
        }
        Some(match searches.own_request(item)? {
            OwnRequest::Description => self.description(item, answer),
            OwnRequest::Query(own) => self.own_answer(item, answer, own.as_ref(), &searches),
        })
    }

    /// Processes the answer of a search that a user named: its results are links that may lead to other sites.
    fn named_answer(&mut self, item: &ScheduledUrl, answer: &Answer, searches: &Searches) -> PageResult {
        let rules = Arc::clone(&self.rules);
        let (body, content_type) = (decoded(answer, &rules).bytes, answer.content_type());
        let found = search_answer::structured(&body, item.url.as_str(), content_type, rules.reading.sitemaps)
            .unwrap_or_else(|| {
                let page = self.parser.parse(&body, content_type);
                search_answer::page(&page, &item.url, &rules.urls.canonicaliser)
            });
        let mut filter = LinkFilter::new(&rules, rules.snapshot(), &mut self.memory, item);
        filter.searching(item.url.as_str().into(), Reach::FoundSite);
        searches.take_in(&found.urls, |url| rules.urls.scope.check(url).is_ok(), |url| takes(&mut filter, url));
        let count = found.urls.len();
        answered(filter, found.answer(count))
    }

    /// Processes the answer of a site's own search: its results are links of the site that are not known.
    fn own_answer(&mut self, item: &ScheduledUrl, answer: &Answer, own: &OwnSearch, searches: &Searches) -> PageResult {
        let rules = Arc::clone(&self.rules);
        let (body, content_type) = (decoded(answer, &rules).bytes, answer.content_type());
        let structured = search_answer::structured(&body, item.url.as_str(), content_type, rules.reading.sitemaps);
        let hits = structured.as_ref().and_then(|found| found.hits);
        let mut urls: Vec<CanonicalUrl> = match structured {
            Some(found) => found.urls.iter().filter_map(|url| rules.urls.canonicaliser.parse(url).ok()).collect(),
            None => {
                let page = self.parser.parse(&body, content_type);
                own_searches::results(&page, &item.url, own, &rules.urls.canonicaliser)
            }
        };
        urls.retain(|url| rules.urls.scope.check(url.as_str()).is_ok());
        let mut filter = LinkFilter::new(&rules, rules.snapshot(), &mut self.memory, item);
        filter.searching(item.url.as_str().into(), Reach::OwnSearch);
        searches.take_in_own(&urls, |url| takes(&mut filter, url));
        answered(filter, SearchAnswer { hits, results: u32::try_from(urls.len()).unwrap_or(u32::MAX) })
    }

    /// Processes the description of a site's own search.
    fn description(&self, item: &ScheduledUrl, answer: &Answer) -> PageResult {
        let rules = &self.rules;
        let url = item.url.as_str();
        let template = if answer.truncated.is_some() {
            Err("it is too long or was cut off".to_owned())
        } else {
            let body = decoded(answer, rules).bytes;
            own_searches::described(&item.url, &body, answer.content_type(), &rules.urls.canonicaliser)
        };
        let usable = template.and_then(|template| match template.url("q", &rules.urls.canonicaliser) {
            Ok(sample) if rules.urls.scope.check(sample.as_str()).is_ok() => Ok(template.text()),
            _ => Err(format!("the crawl does not include {}", template.text())),
        });
        if let Err(why) = &usable {
            tracing::warn!(url, %why, "the description of the site's own search cannot be used");
        }
        let reply = SearchReply::Description(usable.ok().map(Into::into));
        PageResult { policy: PolicyFindings { facts: None, reply: Some(reply) }, ..PageResult::of(Fate::Fetched) }
    }

    /// Returns what a seed's page says about a search of its site; `None` if the page is not looked at for that.
    pub(super) fn search_of_site(
        &self,
        item: &ScheduledUrl,
        Document { body, content_type }: Document<'_>,
        parsed: &ParsedPage,
    ) -> Option<Box<PageSearch>> {
        let rules = &self.rules;
        rules.searches.as_ref()?.own.as_ref()?.looks_at(item).then_some(())?;
        let page = SeedPage { url: &item.url, body, content_type, parsed };
        let found = page.search(&rules.urls.canonicaliser, |url| rules.urls.scope.check(url).is_ok());
        if found.description.is_none() && found.form.is_none() {
            tracing::warn!(
                url = item.url.as_str(),
                "no search of the site was found: within the crawl, the page names no OpenSearch description and has no form \
                 for GET with exactly one field for text"
            );
        }
        Some(Box::new(found))
    }

    /// Returns whether the policy waits for a fetch before it goes on with its searches.
    pub(crate) fn awaits(&self, item: &ScheduledUrl, result: &PageResult) -> bool {
        let Some(searches) = &self.rules.searches else { return false };
        // Its words may become a query.
        let is_wanted = result.policy.facts.as_ref().is_some_and(|facts| facts.accepted == Some(true));
        searches.awaits(item) || (searches.own.is_some() && (is_wanted || is_seed(item)))
    }

    /// Returns the result of a URL that was refused. A site's own search that robots.txt forbids is logged.
    pub(crate) fn refused(&self, item: &ScheduledUrl, fate: Fate) -> PageResult {
        let is_search = self.rules.searches.as_ref().is_some_and(|searches| searches.own_request(item).is_some());
        if !is_search || fate != Searches::FORBIDDEN {
            return PageResult::of(fate);
        }
        tracing::warn!(url = item.url.as_str(), "robots.txt forbids the site's own search");
        let policy = PolicyFindings { facts: None, reply: Some(SearchReply::Forbidden) };
        PageResult { policy, ..PageResult::of(fate) }
    }
}

/// Takes in a result. Returns whether it is fetched.
fn takes(filter: &mut LinkFilter<'_>, url: &str) -> bool {
    let before = filter.found();
    filter.link(url, LinkClass::unclassified(Apath::SEED));
    filter.found() > before
}

fn answered(filter: LinkFilter<'_>, answer: SearchAnswer) -> PageResult {
    PageResult {
        links: filter.findings(),
        notes: PageNotes { links: Some(answer.results), ..PageNotes::default() },
        policy: PolicyFindings { facts: None, reply: Some(SearchReply::Answer(answer)) },
        ..PageResult::of(Fate::Fetched)
    }
}
