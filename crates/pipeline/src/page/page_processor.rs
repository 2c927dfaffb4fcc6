//! Reads fetched pages: determines their fate and their new links. The stations of a page (`stations.rs`) say in which
//! order.

use std::sync::Arc;

use harvestman_core::clock::Stopwatch;
use harvestman_core::model::path_hash::step;
use harvestman_core::model::{
    Answer, Apath, Failure, Fate, FetchedPage, LinkClass, MediaType, PageCluster, PageDigests, ParsedPage,
    RobotsDirectives, ScheduledUrl, Truncation, Unread,
};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::{Needs, PolicySnapshot, Proposal, ProposalKind};
use harvestman_stages::fetch::{self, Decoded};
use harvestman_stages::frontier::DiscoveredLinks;
use harvestman_structure::parse::{PageWords, Parser};

use crate::page::document::Document;
use crate::page::link_filter::LinkFilter;
use crate::page::link_judge::Memory;
use crate::page::page_in_work::{Body, Content, PageInWork, Verdict};
use crate::page::page_result::PageResult;
use crate::page::rules::Rules;
use crate::rendering::{LinkScope, Shown};
use crate::search::reach::Reach;
use crate::search::searches::visible_text;

mod feeds;
mod html;
mod redirects;
mod searches;
mod sitemaps;

pub(crate) use sitemaps::SitemapContents;

/// The page processor of one worker.
pub(crate) struct PageProcessor {
    rules: Arc<Rules>,
    parser: Parser,
    new_parser: Box<dyn Fn() -> Parser + Send>,
    memory: Memory,
}

impl PageProcessor {
    pub(crate) fn new(rules: Arc<Rules>, new_parser: impl Fn() -> Parser + Send + 'static) -> Self {
        let agent = rules.reading.agent.clone();
        let new_parser = move || new_parser().with_agent(&agent);
        Self { rules, parser: new_parser(), new_parser: Box::new(new_parser), memory: Memory::default() }
    }

    /// Returns the rules of the crawl.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Resets the processor after a panic, which may have left the parser in any state.
    pub(crate) fn reset(&mut self) {
        self.parser = (self.new_parser)();
        self.memory = Memory::default();
    }

    /// Looks at the status of an answer: an error of the network has a fate already, and of answers with a body that of
    /// pages is read.
    pub(crate) fn answer(&mut self, page: &mut PageInWork) -> Verdict {
        let FetchedPage { lease, exchange } = &page.fetched;
        let result = match &exchange.result {
            Ok(answer) => match answer.status {
                200..=299 if answer.truncated == Some(Truncation::UnwantedType) => {
                    self.unparsed(&lease.item, answer, Fate::UnwantedType)
                }
                200..=299 => return page.contains(Content::Document),
                // Nobody asked whether the page had changed, and the answer has no page.
                304 => PageResult::of(Fate::Failed(Failure::Http(304))),
                300..=399 => match self.location(&lease.item, answer) {
                    Ok(location) => return page.contains(Content::Redirect(location)),
                    Err(failure) => PageResult::of(Fate::Failed(failure)),
                },
                402 => PageResult::of(Fate::PaymentRequired),
                status => return page.contains(Content::Error(status)),
            },
            Err(failure) => PageResult::of(Fate::Failed(*failure)),
        };
        page.settle(result)
    }

    /// Removes the content coding of a document that may be a page or a feed.
    pub(crate) fn decode(&mut self, page: &mut PageInWork) -> Verdict {
        let FetchedPage { lease, exchange } = &page.fetched;
        let (Content::Document, Ok(answer)) = (&page.content, &exchange.result) else { return Verdict::Pass };
        let item = &lease.item;
        let is_read =
            |media| !matches!(media, MediaType::Json | MediaType::Other) || Self::may_be_feed(media, item, answer);
        if !is_read(MediaType::of(answer.content_type())) {
            let result = self.of_another_type(item, answer);
            return page.settle(result);
        }
        let metrics = &self.rules.metrics.parse;
        metrics.stage.received.inc();
        let mut watch = metrics.busy_seconds.is_on().then(Stopwatch::start);
        let decoded = decoded(answer, &self.rules);
        watch.iter_mut().for_each(|watch| metrics.busy_seconds.add(watch.lap()));
        if decoded.is_unreadable() {
            metrics.stage.dropped.by("coding").inc();
            let result = self.unparsed(item, answer, Fate::Failed(Failure::ContentCoding));
            return page.settle(result);
        }
        let unread = unread(&decoded);
        let media = MediaType::of_body(answer.content_type(), &decoded.bytes);
        metrics.parsed_bytes.add(decoded.bytes.len() as u64);
        page.contains(Content::Body(Body { bytes: decoded.bytes, media, unread }))
    }

    /// Completes the result of a page that was read.
    pub(crate) fn end_reading(&self, page: &mut PageInWork) {
        if let Some(body) = page.content.body() {
            let (notes, metrics) = (&mut page.result.notes, &self.rules.metrics.parse);
            metrics.stage.sent.inc();
            notes.unread = notes.unread.or(body.unread);
        }
        if page.arrival.may_be_held() && page.result.fate != Fate::NotModified {
            let PageResult { fate, policy, links, .. } = &page.result;
            // A redirect and a page are no feed, whatever they lead to.
            let is_feed = *fate == Fate::Fetched && policy.facts.is_none();
            let new = links.found.accepted.len() + links.found.foreign.len();
            self.rules.feeds.ended(page.item(), if is_feed { new } else { 0 });
        }
    }

    /// Processes an answer that is fetched but neither a page nor a feed.
    fn of_another_type(&mut self, item: &ScheduledUrl, answer: &Answer) -> PageResult {
        let mut result = self.unparsed(item, answer, Fate::Fetched);
        result.notes.unread = Some(Unread::MediaType);
        result
    }

    /// Processes the refresh of an answer whose body is not parsed.
    fn unparsed(&mut self, item: &ScheduledUrl, answer: &Answer, fate: Fate) -> PageResult {
        let rules = Arc::clone(&self.rules);
        let Some(target) = rules.refresh_target(item, answer) else { return PageResult::of(fate) };
        let mut filter = LinkFilter::new(&rules, rules.snapshot(), &mut self.memory, item);
        refresh(&mut filter, &target, rules.header_directives(answer));
        PageResult { links: filter.findings(), ..PageResult::of(fate) }
    }

    /// Returns whether the host of a page is still this node's.
    pub(crate) fn holds(&self, item: &ScheduledUrl) -> bool {
        self.rules.urls.ownership.holds(item.url.origin())
    }

    /// Returns the words of a document.
    pub(crate) fn words(&self, document: Document<'_>) -> PageWords {
        self.parser.words(document.body, document.content_type)
    }

    /// Returns what a page shows: its links to pages of the crawl, with the URLs to which its scripts wanted to
    /// navigate, and its text.
    pub(crate) fn shown(
        &mut self,
        item: &ScheduledUrl,
        Document { body, content_type }: Document<'_>,
        navigations: &[String],
    ) -> Shown {
        let rules = Arc::clone(&self.rules);
        let page = self.parser.parse(body, content_type);
        let mut links = Vec::new();
        let in_scope = LinkScope { canonicaliser: &rules.urls.canonicaliser, scope: &rules.urls.scope };
        in_scope.each_link(&item.url, &page, navigations, |link| links.push(link.fingerprint()));
        Shown::new(links, &visible_text(body, content_type).unwrap_or_default())
    }

    /// Sets the parser to what the policy's snapshot requires of the page at `url`.
    fn follow_policy(&mut self, policy: &dyn PolicySnapshot, url: &str, needs: Needs) {
        self.parser.set_texts(needs.words, needs.units, needs.gist);
        self.parser.set_class_tokens(policy.class_tokens(url));
    }

    /// Filters URLs that the policy derived.
    pub(crate) fn proposals(&mut self, proposals: &[Proposal]) -> DiscoveredLinks {
        let mut found = DiscoveredLinks::default();
        let rules = Arc::clone(&self.rules);
        for proposal in proposals {
            let item = ScheduledUrl::errand(CanonicalUrl::from_canonical(proposal.via.clone()));
            let snapshot = Arc::clone(&**rules.policy.current.load());
            let mut filter = LinkFilter::new(&rules, snapshot, &mut self.memory, &item);
            let place = if proposal.is_query() { Apath::SEED } else { Apath::DERIVED };
            filter.reach = match proposal.kind {
                ProposalKind::Derived => Reach::Scope,
                ProposalKind::Query => Reach::Anywhere,
                ProposalKind::OwnSearch => Reach::OwnSearch,
                ProposalKind::OwnSearchLast => Reach::OwnSearchLast,
            };
            filter.link(&proposal.url, LinkClass::unclassified(place));
            let (mut new, _) = filter.finish();
            if proposal.is_query() {
                let queries = new.accepted.iter_mut().chain(&mut new.foreign);
                queries.for_each(|item| (item.via, item.depth) = (None, 0));
            }
            found.settled.merge(&new.settled);
            found.accepted.extend(new.accepted);
            found.foreign.extend(new.foreign);
        }
        found
    }
}

/// Processes the refresh of an answer as the only link of a page without a cluster.
fn refresh(filter: &mut LinkFilter<'_>, target: &str, directives: RobotsDirectives) {
    let mut page = ParsedPage::default();
    page.add_refresh(target);
    filter.links(&page, PageCluster::default(), directives);
}

/// Returns the decoded body of an answer.
pub(crate) fn decoded(answer: &Answer, rules: &Rules) -> Decoded {
    let decoded = fetch::decode_answer(answer, &rules.reading.decode);
    let cut = &rules.metrics.parse.cut;
    if decoded.error.is_some() {
        cut.by("coding").inc();
    } else if decoded.cut.is_some() {
        cut.by("too_long").inc();
    }
    decoded
}

/// Returns why the rest of a body is missing in what could be decoded of it.
fn unread(decoded: &Decoded) -> Option<Unread> {
    let broken = decoded.error.as_ref().map(|_| Unread::ContentCoding);
    broken.or_else(|| decoded.cut.map(|_| Unread::TooLong))
}

/// Returns the digests of what a page shows. That of its bytes is not computed here.
fn digests(page: &ParsedPage) -> PageDigests {
    let gist = page.gist.iter().fold(0, |all, text| step(all, *text));
    let text = page.texts.iter().fold(0, |all, (_, text)| step(all, *text));
    // 0 is that of a page that was not parsed.
    PageDigests { gist: gist | 1, text: text | 1, body: 0 }
}

#[cfg(test)]
mod tests;
