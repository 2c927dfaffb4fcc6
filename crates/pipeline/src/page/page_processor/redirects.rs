//! Processes redirects, and pages that refresh: to other hosts of a seed's site, and to themselves with a cookie.

use std::sync::Arc;

use harvestman_core::model::{Answer, Apath, Failure, Fate, LinkClass, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Scope, SeedMove};
use harvestman_policy::search::SearchReply;
use harvestman_stages::fetch;
use harvestman_structure::substitutes::Judgement;

use super::html::HtmlPage;
use super::{PageProcessor, PageResult};
use crate::page::link_filter::LinkFilter;
use crate::page::substitutes::waits;
use crate::search::own_searches::is_seed;

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
    pub(super) fn redirect(&mut self, item: &ScheduledUrl, answer: &Answer) -> PageResult {
        let Some(location) = fetch::redirect::target(answer.status, &answer.headers) else {
            return PageResult::of(Fate::Failed(Failure::BadRedirect));
        };
        if item.redirects >= self.rules.filter.redirects_max {
            return PageResult::of(Fate::Failed(Failure::TooManyRedirects));
        }
        let substitutes = self.rules.substitutes.as_ref();
        let asked = self.asked(item);
        let judgement = substitutes.map_or(Judgement::Own, |substitutes| substitutes.redirect(asked, &location));
        if waits(judgement) {
            return PageResult::substitute(judgement, Fate::Redirected);
        }
        let next = self.rules.canonicaliser.resolver(&item.url, None).resolve(&location).ok().map(|url| url.to_url());
        let walls = self.rules.cookie_walls.as_ref().zip(next.as_ref());
        let may_repeat = walls
            .is_some_and(|(walls, next)| walls.leads_back(item.url.fingerprint(), next.fingerprint(), &answer.headers));
        PageResult { judgement, ..self.led_to(item, Target { location, next, may_repeat }) }
    }

    /// Processes the first refresh of a page that was not rendered. A page that refreshes to itself, or to what led to it, while
    /// a cookie is set is a wall like a redirect that does: its result is that of a redirect. `None` for all other pages, which
    /// are processed as such.
    pub(super) fn led_back(&mut self, HtmlPage { item, answer, parsed, .. }: &HtmlPage<'_>) -> Option<PageResult> {
        // Few pages have one: only these need a resolver.
        let target = parsed.refresh()?;
        let base = parsed.base.as_deref();
        let mut resolver = self.rules.canonicaliser.document_resolver(&item.url, base, parsed.charset);
        let next = resolver.resolve(target).ok()?.to_url();
        let is_of_search = self.rules.searches.as_ref().is_some_and(|searches| searches.led_to(item).is_some());
        if is_seed(item) && !is_of_search {
            follow_seed(&self.rules.scope, &item.url, &next);
        }
        let walls = self.rules.cookie_walls.as_ref().filter(|_| item.redirects < self.rules.filter.redirects_max)?;
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
            follow_seed(&rules.scope, &item.url, next);
        }
        let target = filter.link(&location, LinkClass::unclassified(Apath::REDIRECT));
        let (found, judged) = filter.finish();
        let own = rules.searches.as_ref().and_then(|searches| searches.own.as_ref());
        let moved = next
            .filter(|next| !found.accepted.is_empty() && own.is_some_and(|own| own.is_moved_description(item, next)));
        let answer = moved.map(|next| SearchReply::Moved(next.as_str().into()));
        PageResult { found, redirect_to: target, judged, answer, ..PageResult::of(Fate::Redirected) }
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
