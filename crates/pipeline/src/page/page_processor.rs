//! Processes a fetched page: determines its fate and its new links.

use std::sync::Arc;

use harvestman_core::clock::{Instant, Stopwatch};
use harvestman_core::model::path_hash::step;
use harvestman_core::model::{
    Answer, Apath, Exchange, Failure, Fate, LinkClass, MediaType, PageCluster, PageDigests, ParsedPage,
    RobotsDirectives, ScheduledUrl, Truncation, Unread,
};
use harvestman_core::url::CanonicalUrl;
use harvestman_policy::{Needs, PolicySnapshot, Proposal, ProposalKind};
use harvestman_render::RenderedPage;
use harvestman_render::replay::{Sample, predicted_page};
use harvestman_stages::fetch::{self, Decoded};
use harvestman_stages::frontier::DiscoveredLinks;
use harvestman_structure::parse::Parser;
use harvestman_structure::substitutes::Judgement;

use crate::page::link_filter::LinkFilter;
use crate::page::link_judge::Memory;
use crate::page::reach::Reach;
use crate::page::rules::Rules;
use crate::page::substitutes::{Asked, Substitutes};
use crate::rendering::{Gained, LinkScope, RenderClass, Renders, Shown};
use crate::search::searches::visible_text;

mod feeds;
mod html;
mod redirects;
mod result;
mod searches;
mod sitemaps;
mod source;

pub(crate) use result::{PageResult, observation};
pub(crate) use sitemaps::SitemapContents;
use source::Source;

/// The type of a document that scripts left.
const RENDERED_TYPE: &str = "text/html; charset=utf-8";

/// The page processor of one worker.
pub(crate) struct PageProcessor {
    rules: Arc<Rules>,
    parser: Parser,
    new_parser: Box<dyn Fn() -> Parser + Send>,
    memory: Memory,
    /// The generation of the snapshot whose class names the parser was last set to.
    generation: Option<u64>,
    /// When the page that is processed was asked for.
    asked_at: Instant,
    /// Whether it was perhaps a substitute, and has waited for others.
    pub(crate) has_waited: bool,
}

impl PageProcessor {
    pub(crate) fn new(rules: Arc<Rules>, new_parser: impl Fn() -> Parser + Send + 'static) -> Self {
        let agent = rules.agent.clone();
        let new_parser = move || new_parser().with_agent(&agent);
        Self {
            rules,
            parser: new_parser(),
            new_parser: Box::new(new_parser),
            memory: Memory::default(),
            generation: None,
            asked_at: Instant::EPOCH,
            has_waited: false,
        }
    }

    const fn asked<'i>(&self, item: &'i ScheduledUrl) -> Asked<'i> {
        Asked { item, at: self.asked_at, has_waited: self.has_waited }
    }

    /// Returns the rules of the crawl.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Resets the processor after a panic, which may have left the parser in any state.
    pub(crate) fn reset(&mut self) {
        self.parser = (self.new_parser)();
        self.memory = Memory::default();
        self.generation = None;
    }

    /// Determines the fate of an exchange, and processes the links of its page.
    ///
    /// If the page is to be rendered, nothing but that is returned; [`PageProcessor::rendered`] or
    /// [`PageProcessor::unrendered`] must follow.
    pub(crate) fn page(&mut self, item: &ScheduledUrl, exchange: &Exchange) -> PageResult {
        // A browser adds nothing to a feed.
        let source = if item.class.apath == Apath::FEED { Source::OnlyAnswer } else { Source::Answer };
        let result = self.read(item, exchange, source);
        // A redirect and a page are no feed, whatever they lead to.
        let is_feed = result.fate == Fate::Fetched && result.facts.is_none();
        let new = result.found.accepted.len() + result.found.foreign.len();
        self.rules.feeds.ended(item, if is_feed { new } else { 0 });
        result
    }

    /// Processes a page that could not be rendered.
    pub(crate) fn unrendered(&mut self, item: &ScheduledUrl, exchange: &Exchange) -> PageResult {
        self.read(item, exchange, Source::OnlyAnswer)
    }

    fn read(&mut self, item: &ScheduledUrl, exchange: &Exchange, source: Source<'_>) -> PageResult {
        let answer = match &exchange.result {
            Ok(answer) => answer,
            Err(failure) => return PageResult::of(Fate::Failed(*failure)),
        };
        self.asked_at = exchange.timings.started;
        match answer.status {
            200..=299 if answer.truncated == Some(Truncation::UnwantedType) => {
                self.unparsed(item, answer, Fate::UnwantedType)
            }
            200..=299 => self.document(item, answer, source),
            // Nobody asked whether the page had changed, and the answer has no page.
            304 => PageResult::of(Fate::Failed(Failure::Http(304))),
            300..=399 => self.redirect(item, answer),
            402 => PageResult::of(Fate::PaymentRequired),
            status => {
                let substitutes = self.rules.substitutes.as_ref();
                let body = || decoded(answer, &self.rules).bytes.to_vec();
                let judgement = substitutes.map_or(Judgement::Own, |all| all.error(self.asked(item), answer, body));
                PageResult { judgement, ..PageResult::of(Fate::Failed(Failure::Http(status))) }
            }
        }
    }

    fn document(&mut self, item: &ScheduledUrl, answer: &Answer, source: Source<'_>) -> PageResult {
        if let Some(result) = self.requested_by_search(item, answer) {
            return result;
        }
        let is_read =
            |media| !matches!(media, MediaType::Json | MediaType::Other) || Self::may_be_feed(media, item, answer);
        if !is_read(MediaType::of(answer.content_type())) {
            return self.of_another_type(item, answer);
        }
        let metrics = &self.rules.metrics.parse;
        metrics.stage.received.inc();
        let mut watch = metrics.busy_seconds.is_on().then(Stopwatch::start);
        let decoded = decoded(answer, &self.rules);
        watch.iter_mut().for_each(|watch| metrics.busy_seconds.add(watch.lap()));
        if decoded.is_unreadable() {
            metrics.stage.dropped.by("coding").inc();
            return self.unparsed(item, answer, Fate::Failed(Failure::ContentCoding));
        }
        let (body, unread) = (&decoded.bytes, unread(&decoded));
        let media = MediaType::of_body(answer.content_type(), body);
        let may_be_feed = Self::may_be_feed(media, item, answer);
        metrics.parsed_bytes.add(body.len() as u64);
        let feed = if may_be_feed { self.feed(item, answer, body) } else { None };
        let result = feed.unwrap_or_else(|| match media {
            MediaType::Json | MediaType::Other => self.of_another_type(item, answer),
            MediaType::Xml => self.html(item, answer, body, Source::OnlyAnswer),
            MediaType::Html => self.html(item, answer, body, source),
        });
        self.rules.metrics.parse.stage.sent.inc();
        self.rules.metrics.parse.links.add(u64::from(result.links.unwrap_or(0)));
        PageResult { unread: result.unread.or(unread), ..result }
    }

    /// Processes an answer that is fetched but neither a page nor a feed.
    fn of_another_type(&mut self, item: &ScheduledUrl, answer: &Answer) -> PageResult {
        PageResult { unread: Some(Unread::MediaType), ..self.unparsed(item, answer, Fate::Fetched) }
    }

    /// Processes the refresh of an answer whose body is not parsed.
    fn unparsed(&mut self, item: &ScheduledUrl, answer: &Answer, fate: Fate) -> PageResult {
        let rules = Arc::clone(&self.rules);
        let Some(target) = rules.refresh_target(item, answer) else { return PageResult::of(fate) };
        let mut filter = LinkFilter::new(&rules, rules.snapshot(), &mut self.memory, item);
        refresh(&mut filter, &target, rules.header_directives(answer));
        let (found, judged) = filter.finish();
        PageResult { found, judged, ..PageResult::of(fate) }
    }

    /// Returns what tells pages that servers send in place of others, if they are told.
    pub(crate) fn substitutes(&self) -> Option<&Substitutes> {
        self.rules.substitutes.as_ref()
    }

    /// Returns whether the host of a page is still this node's.
    pub(crate) fn holds(&self, item: &ScheduledUrl) -> bool {
        self.rules.ownership.holds(item.url.origin())
    }

    /// Processes a page by the document that its scripts left.
    pub(crate) fn rendered(
        &mut self,
        item: &ScheduledUrl,
        exchange: &Exchange,
        (class, page): (RenderClass, &RenderedPage),
    ) -> PageResult {
        if let (Some(renders), Ok(answer)) = (self.rules.renders.clone(), &exchange.result) {
            let body = decoded(answer, &self.rules).bytes;
            let plain = self.shown(item, (&body, answer.content_type()), &[]);
            let shown = self.shown(item, (page.html.as_bytes(), Some(RENDERED_TYPE)), &page.navigations);
            let gained = renders.learn(class, page, &plain, &shown);
            if gained.gain().is_worth_it() {
                renders.keep(item);
            }
            if renders.learns_requests() && !page.is_incomplete() {
                self.learn_requests(&renders, (item, class), (&body, page), &gained);
            }
        }
        self.read(item, exchange, Source::Rendered(page))
    }

    /// Learns from the requests of a page's scripts.
    fn learn_requests(
        &mut self,
        renders: &Renders,
        (item, class): (&ScheduledUrl, RenderClass),
        (body, page): (&[u8], &RenderedPage),
        gained: &Gained,
    ) {
        let Some(sample) = Sample::of_page(item.url.as_str(), &String::from_utf8_lossy(body), page) else { return };
        let candidate = renders.candidate(class, &sample).map(|template| {
            let predicted = self.shown(item, (predicted_page(&template, &sample).as_bytes(), Some(RENDERED_TYPE)), &[]);
            (template, gained.held_by(&predicted))
        });
        renders.learn_requests(class, sample, candidate);
    }

    /// Processes a page that requests without a browser completed.
    pub(crate) fn replayed(&mut self, item: &ScheduledUrl, exchange: &Exchange, page: &RenderedPage) -> PageResult {
        self.read(item, exchange, Source::Rendered(page))
    }

    /// Returns what a page shows: its links to pages of the crawl, with the URLs to which its scripts wanted to navigate, and its
    /// text.
    fn shown(
        &mut self,
        item: &ScheduledUrl,
        (body, content_type): (&[u8], Option<&str>),
        navigations: &[String],
    ) -> Shown {
        let rules = Arc::clone(&self.rules);
        let page = self.parser.parse(body, content_type);
        let mut links = Vec::new();
        let in_scope = LinkScope { canonicaliser: &rules.canonicaliser, scope: &rules.scope };
        in_scope.each_link(&item.url, &page, navigations, |link| links.push(link.fingerprint()));
        Shown::new(links, &visible_text(body, content_type).unwrap_or_default())
    }

    /// Sets the parser to what the policy's snapshot requires.
    fn follow_policy(&mut self, policy: &dyn PolicySnapshot, needs: Needs) {
        self.parser.set_texts(needs.words, needs.units, needs.gist);
        let generation = Some(policy.generation());
        if self.generation != generation {
            self.parser.set_class_tokens(policy.class_tokens());
            self.generation = generation;
        }
    }

    /// Filters URLs that the policy derived.
    pub(crate) fn proposals(&mut self, proposals: &[Proposal]) -> DiscoveredLinks {
        let mut found = DiscoveredLinks::default();
        let rules = Arc::clone(&self.rules);
        for proposal in proposals {
            let item = ScheduledUrl::errand(CanonicalUrl::from_canonical(proposal.via.clone()));
            let snapshot = Arc::clone(&**rules.policy.load());
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
fn decoded(answer: &Answer, rules: &Rules) -> Decoded {
    let decoded = fetch::decode_answer(answer, &rules.decode);
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
