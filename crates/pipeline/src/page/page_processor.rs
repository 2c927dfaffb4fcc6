//! Processes a fetched page: determines its fate and its new links.

use std::sync::Arc;

use bytes::Bytes;
use harvestman_core::clock::{Instant, Stopwatch};
use harvestman_core::model::path_hash::step;
use harvestman_core::model::{
    Answer, Apath, Exchange, Failure, Fate, LinkClass, MediaType, PageCluster, PageDigests, PageText, ParsedPage,
    RobotsDirectives, ScheduledUrl, Truncation, Unread,
};
use harvestman_core::url::{CanonicalUrl, origin_of};
use harvestman_policy::{Needs, PageFacts, PolicySnapshot, Proposal, ProposalKind};
use harvestman_render::replay::{Sample, predicted_page};
use harvestman_render::{RenderedPage, Suspicion, has_hints, script_form};
use harvestman_stages::fetch::{self, Decoded};
use harvestman_stages::frontier::DiscoveredLinks;
use harvestman_stages::revisit::rows;
use harvestman_structure::parse::Parser;
use harvestman_structure::substitutes::{AnswerContent, Judgement, PathSet};

use crate::page::link_filter::LinkFilter;
use crate::page::link_judge::Memory;
use crate::page::reach::Reach;
use crate::page::rules::{Acceptance, Rules};
use crate::page::substitutes::{Asked, Substitutes};
use crate::rendering::{Gained, LinkScope, RenderClass, Renders, Shown, ToRender};
use crate::search::searches::visible_text;

mod feeds;
mod redirects;
mod result;
mod searches;
mod sitemaps;

pub(crate) use result::{PageResult, observation};
pub(crate) use sitemaps::SitemapContents;

/// The type of a document that scripts left.
const RENDERED_TYPE: &str = "text/html; charset=utf-8";

/// What an HTML page is read from.
#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    /// The answer of the server; the page may be rendered.
    Answer,
    /// The same of a page that is not rendered.
    OnlyAnswer,
    /// The document that its scripts left.
    Rendered(&'a RenderedPage),
}

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

    fn html(&mut self, item: &ScheduledUrl, answer: &Answer, body: &[u8], source: Source<'_>) -> PageResult {
        let plain = body;
        let (body, content_type) = match source {
            Source::Rendered(page) => (page.html.as_bytes(), Some(RENDERED_TYPE)),
            Source::Answer | Source::OnlyAnswer => (body, answer.content_type()),
        };
        let rules = Arc::clone(&self.rules);
        let needs = rules.needs.now();
        let needs = Needs { gist: needs.gist || rules.digests, ..needs };
        // One snapshot for the whole page: its bag is parsed with the class names by which its cluster is determined.
        let snapshot = rules.snapshot();
        let observes_text = needs.words && snapshot.reads_text(item.class);
        // What stands around links consists of words too, but few pages have new links.
        let around_links = needs.words && needs.contexts && !observes_text;
        let substitutes = rules.substitutes.as_ref().filter(|_| !matches!(source, Source::Rendered(_)));
        self.parser.set_words_on_request(around_links || substitutes.is_some() && !(needs.words && observes_text));
        let reads_posts = rules.reads_posts.as_ref().filter(|_| observes_text);
        self.follow_policy(&*snapshot, Needs { words: observes_text && reads_posts.is_none(), ..needs });
        let parse = &rules.metrics.parse;
        let mut watch = parse.busy_seconds.is_on().then(Stopwatch::start);
        let mut page = self.parser.parse(body, content_type);
        if matches!(source, Source::Rendered(_)) {
            // Scripts can remove what the answer states.
            page.stated.extend(self.parser.parse(plain, answer.content_type()).stated);
        }
        watch.iter_mut().for_each(|watch| parse.busy_seconds.add(watch.lap()));
        parse.pages.by(page.charset).inc();
        let directives = page.robots.and(rules.header_directives(answer));
        if let Some(target) = rules.refresh_target(item, answer) {
            page.add_refresh(&target);
        }
        if !matches!(source, Source::Rendered(_))
            && let Some(result) = self.refreshed(item, answer, &page)
        {
            return result;
        }
        let parser = &self.parser;
        let read_words = || parser.words(body, content_type);
        let mut judgement = Judgement::Own;
        let asked = self.asked(item);
        if let Some(substitutes) = substitutes {
            let paths = || PathSet::of(&page.leaf_paths);
            // Few pages are a surprise: only of these the content is collected.
            let content = || {
                let words = page.text.is_empty().then(read_words);
                let text = words.as_ref().map_or(&page.text, |words| &words.text);
                let links = page.groups.iter().flat_map(|group| &group.links).map(|link| page.href(link));
                AnswerContent::of(answer.status, paths(), text).map(|content| content.leading_to(links))
            };
            judgement = substitutes.page(asked, paths(), content);
            if !matches!(judgement, Judgement::Own | Judgement::Lifted) {
                return PageResult { title: page.title, ..PageResult::substitute(judgement, Fate::Fetched) };
            }
        }
        let mut filter = LinkFilter::new(&rules, snapshot, &mut self.memory, item);
        let cluster = filter.classified(&page);
        let mut render_class = None;
        if let Some(renders) = rules.renders.as_ref().filter(|_| matches!(source, Source::Answer)) {
            let suspicion = Suspicion::of(body, page.link_count(), || word_count(body, content_type));
            let form = if suspicion == Suspicion::None { 0 } else { script_form(body) };
            let class = RenderClass::of(&item.url, form);
            let has_hints = || has_hints(body, origin_of(item.url.as_str()));
            let to_render = ToRender { class, suspicion: renders.suspicion(class, suspicion, has_hints) };
            if let Some(place) = renders.place(item, to_render) {
                return PageResult { to_render: Some((to_render, place)), ..PageResult::of(Fate::Fetched) };
            }
            render_class = (suspicion != Suspicion::None).then_some(to_render.class);
        }
        let accepts = rules.validator.as_ref();
        let Acceptance { accepted, mut is_given_up } =
            accepts.map_or_else(Acceptance::default, |accepts| accepts(item.url.as_str(), body, content_type));
        if accepted == Some(true) && rules.searches.as_ref().is_some_and(|searches| searches.is_named_result(item)) {
            // Before its links are checked: they belong to the crawl from now on.
            rules.scope.add_found_site(item.url.as_str());
        }
        filter.placed = needs.links.then(|| Vec::with_capacity(page.link_count()));
        filter.rows = rules.digests.then(Vec::new);
        filter.wants_contexts = needs.contexts;
        if let Some(avoided) = &rules.avoided {
            filter.avoided = avoided.on_page(&item.url, (body, content_type), &rules.canonicaliser);
        }
        filter.read_words = around_links.then_some(&read_words);
        filter.page(&page, cluster, directives);
        rules.feeds.page(item.url.as_str());
        filter.feeds(&page, directives);
        if let Source::Rendered(rendered) = source {
            let class = LinkClass::unclassified(Apath::DERIVED);
            rendered.navigations.iter().for_each(|url| drop(filter.link(url, class)));
        }
        let links = Some(page.link_count() as u32);
        let digests = rules.digests.then(|| digests(&page));
        let placed = filter.placed.take().unwrap_or_default();
        let contexts = filter.take_contexts();
        let rows = filter.rows.take().map_or_else(Vec::new, |links| rows::rows(&links, &page.texts));
        let (found, judged) = filter.finish();
        let search = self.search_of_site(item, (body, content_type), &page);
        let facts = PageFacts {
            bag: std::mem::take(&mut page.leaf_paths),
            units: std::mem::take(&mut page.units),
            text: observes_text.then(|| match reads_posts {
                Some(reads) => reads(item.url.as_str(), body, content_type).unwrap_or_else(|| {
                    is_given_up = true;
                    PageText::default()
                }),
                None => std::mem::take(&mut page.text),
            }),
            gist: std::mem::take(&mut page.gist),
            forms: page.forms,
            links: placed,
            accepted,
            body: needs.body.then(|| (Bytes::copy_from_slice(body), content_type.map(Into::into))),
            search,
        };
        if is_given_up {
            tracing::warn!(
                url = item.url.as_str(),
                "the posts of the page are given up: it takes too long to find them"
            );
            rules.metrics.parse.cut.by("effort").inc();
        }
        let (title, tree, reading) = (page.title, page.tree, page.reading);
        PageResult {
            is_given_up,
            found,
            links,
            title,
            judged,
            facts: Some(facts),
            digests,
            rows,
            contexts,
            cluster,
            render_class,
            reading,
            judgement,
            // Posts are those of the answer, which the archive has.
            tree: tree.filter(|_| !matches!(source, Source::Rendered(_))),
            stated: page.stated,
            ..PageResult::of(Fate::Fetched)
        }
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

/// Returns the number of words that a page shows.
fn word_count(body: &[u8], content_type: Option<&str>) -> usize {
    visible_text(body, content_type).map_or(0, |text| text.split_whitespace().count())
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
