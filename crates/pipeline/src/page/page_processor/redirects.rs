//! Processes redirects, and pages that refresh: to other hosts of a seed's site, and to themselves with a cookie.

use std::sync::Arc;

use harvestman_core::model::{Answer, Apath, Failure, Fate, FetchedPage, LinkClass, ParsedPage, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Scope, SeedMove};
use harvestman_policy::search::SearchReply;
use harvestman_stages::fetch;

use super::PageProcessor;
use crate::page::link_filter::LinkFilter;
use crate::page::page_in_work::{Content, PageInWork, Verdict};
use crate::page::page_result::{PageNotes, PageResult, PolicyFindings};
use crate::search::own_searches::is_seed;

/// Maximum number of consecutive redirects before the chain fails: log-ins, consents and languages together take half
/// of it, browsers follow twenty.
const REDIRECTS_MAX: u8 = 10;

/// Where a redirect leads, or a page that counts as one.
struct Target {
    /// As the answer has it.
    location: String,
    /// The same as a URL, if it is one.
    next: Option<CanonicalUrl>,
    /// Whether it is worth another request.
    may_repeat: bool,
}

impl PageProcessor {
    /// Returns where a redirect leads, as the answer has it.
    pub(super) fn location(&self, item: &ScheduledUrl, answer: &Answer) -> Result<String, Failure> {
        let location = fetch::redirect::target(answer.status, &answer.headers).ok_or(Failure::BadRedirect)?;
        let is_one_too_many = item.redirects >= REDIRECTS_MAX;
        if is_one_too_many { Err(Failure::TooManyRedirects) } else { Ok(location) }
    }

    pub(super) fn redirect(&mut self, item: &ScheduledUrl, answer: &Answer, location: &str) -> PageResult {
        let next =
            self.rules.urls.canonicaliser.resolver(&item.url, None).resolve(location).ok().map(|url| url.to_url());
        let walls = self.rules.links.cookie_walls.as_ref().zip(next.as_ref());
        let may_repeat = walls
            .is_some_and(|(walls, next)| walls.leads_back(item.url.fingerprint(), next.fingerprint(), &answer.headers));
        self.led_to(item, Target { location: location.to_owned(), next, may_repeat })
    }

    /// Processes the first refresh of a page that was not rendered. A page that refreshes to itself, or to what led to
    /// it, while a cookie is set is a wall like a redirect that does: its result is that of a redirect. All other pages
    /// are processed as such.
    pub(crate) fn refresh(&mut self, page: &mut PageInWork) -> Verdict {
        let FetchedPage { lease, exchange } = &page.fetched;
        let (Content::Page(parsed), Ok(answer)) = (&page.content, &exchange.result) else { return Verdict::Pass };
        if page.arrival.completed().is_some() {
            return Verdict::Pass;
        }
        match self.led_back(&lease.item, answer, &parsed.parsed) {
            Some(result) => page.settle(result),
            None => Verdict::Pass,
        }
    }

    fn led_back(&mut self, item: &ScheduledUrl, answer: &Answer, parsed: &ParsedPage) -> Option<PageResult> {
        // Few pages have one: only these need a resolver.
        let target = parsed.refresh()?;
        let base = parsed.base.as_deref();
        let mut resolver = self.rules.urls.canonicaliser.document_resolver(&item.url, base, parsed.charset);
        let next = resolver.resolve(target).ok()?.to_url();
        let is_of_search = self.rules.searches.as_ref().is_some_and(|searches| searches.led_to(item).is_some());
        if is_seed(item) && !is_of_search {
            follow_seed(&self.rules.urls.scope, &item.url, &next);
        }
        let walls = self.rules.links.cookie_walls.as_ref().filter(|_| item.redirects < REDIRECTS_MAX)?;
        if !walls.refreshes_back(item.url.fingerprint(), next.fingerprint(), &answer.headers) {
            return None;
        }
        Some(self.led_to(item, Target { location: next.as_str().to_owned(), next: Some(next), may_repeat: true }))
    }

    fn led_to(&mut self, item: &ScheduledUrl, Target { location, next, may_repeat }: Target) -> PageResult {
        let rules = Arc::clone(&self.rules);
        let mut filter = LinkFilter::new(&rules, rules.snapshot(), &mut self.memory, item);
        filter.redirects = item.redirects + 1;
        filter.depth = item.depth;
        filter.may_repeat = may_repeat;
        if let Some((search, reach)) = rules.searches.as_ref().and_then(|searches| searches.led_to(item)) {
            filter.searching(search, reach);
        } else if let Some(next) = &next
            && is_seed(item)
        {
            follow_seed(&rules.urls.scope, &item.url, next);
        }
        let target = filter.link(&location, LinkClass::unclassified(Apath::REDIRECT));
        let links = filter.findings();
        let own = rules.searches.as_ref().and_then(|searches| searches.own.as_ref());
        let moved = next.filter(|next| {
            !links.found.accepted.is_empty() && own.is_some_and(|own| own.is_moved_description(item, next))
        });
        let reply = moved.map(|next| SearchReply::Moved(next.as_str().into()));
        PageResult {
            links,
            notes: PageNotes { redirect_to: target, ..PageNotes::default() },
            policy: PolicyFindings { facts: None, reply },
            ..PageResult::of(Fate::Redirected)
        }
    }
}

/// Has the crawl follow a seed to another host of its site, or says where the seed leads.
fn follow_seed(scope: &Scope, seed: &CanonicalUrl, target: &CanonicalUrl) {
    let (seed_url, target_url) = (seed.as_str(), target.as_str());
    match scope.follow_seed(seed_url, target_url) {
        SeedMove::Within => {}
        SeedMove::Followed => tracing::info!(
            seed = seed_url,
            target = target_url,
            "the seed redirects to another host of its site, which is crawled in its place; cookies and headers given for the \
             seed are not sent there (scope.follow_seeds = false: not followed)"
        ),
        SeedMove::Elsewhere => tracing::warn!(
            seed = seed_url,
            target = target_url,
            "the seed redirects to a host outside the scope, and is not followed: start the crawl from the target, or add its \
             host with --set 'scope.hosts=[\"HOST\"]'"
        ),
    }
}
