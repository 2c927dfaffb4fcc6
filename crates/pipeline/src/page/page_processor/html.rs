//! Processes an HTML page. [`STATIONS`] is the order in which it is looked at before its links are filtered.

use std::sync::Arc;

use bytes::Bytes;
use harvestman_core::clock::Stopwatch;
use harvestman_core::model::{Answer, Apath, Fate, LinkClass, PageCluster, PageText, ParsedPage, ScheduledUrl};
use harvestman_core::url::origin_of;
use harvestman_policy::{Needs, PageFacts, PolicySnapshot};
use harvestman_render::{Suspicion, has_hints, script_form};
use harvestman_stages::revisit::rows;
use harvestman_structure::substitutes::{AnswerContent, Judgement, PathSet};

use super::source::Source;
use super::{PageProcessor, PageResult, RENDERED_TYPE, digests};
use crate::page::link_filter::LinkFilter;
use crate::page::rules::{Acceptance, Rules};
use crate::rendering::{RenderClass, ToRender};
use crate::search::searches::visible_text;

/// A page in work.
pub(super) struct HtmlPage<'a> {
    pub(super) item: &'a ScheduledUrl,
    pub(super) answer: &'a Answer,
    /// Its document, and the type of that.
    document: (&'a [u8], Option<&'a str>),
    source: Source<'a>,
    needs: PageNeeds,
    /// One for the whole page: its bag is parsed with the class names by which its cluster is determined.
    snapshot: Arc<dyn PolicySnapshot>,
    pub(super) parsed: ParsedPage,
    /// What the stations found out.
    found: Findings,
}

/// What is read of a page besides its links.
struct PageNeeds {
    of_policy: Needs,
    /// Whether the policy reads its text.
    text: bool,
    /// Whether it reads what stands around links. That consists of words too, but few pages have new links.
    around_links: bool,
}

/// What the stations found out about a page.
struct Findings {
    judgement: Judgement,
    cluster: PageCluster,
    render_class: Option<RenderClass>,
    acceptance: Acceptance,
}

/// Looks at a page. Its result, if it has one, is that of the page, which goes no further.
type Station = fn(&mut PageProcessor, &mut HtmlPage<'_>) -> Option<PageResult>;

/// The stations between the parser and the link filter, in their order.
const STATIONS: [Station; 5] = [
    PageProcessor::refreshed,
    PageProcessor::substituted,
    PageProcessor::classified,
    PageProcessor::sent_to_browser,
    PageProcessor::accepted,
];

impl PageProcessor {
    pub(super) fn html(&mut self, item: &ScheduledUrl, answer: &Answer, body: &[u8], source: Source<'_>) -> PageResult {
        let mut page = self.parsed(item, answer, body, source);
        let stopped = STATIONS.into_iter().find_map(|station| station(self, &mut page));
        stopped.unwrap_or_else(|| self.with_links(page))
    }

    fn parsed<'a>(
        &mut self,
        item: &'a ScheduledUrl,
        answer: &'a Answer,
        body: &'a [u8],
        source: Source<'a>,
    ) -> HtmlPage<'a> {
        let document = match source {
            Source::Rendered(page) => (page.html.as_bytes(), Some(RENDERED_TYPE)),
            Source::Answer | Source::OnlyAnswer => (body, answer.content_type()),
        };
        let rules = Arc::clone(&self.rules);
        let snapshot = rules.snapshot();
        let needs = PageNeeds::of(&rules, &*snapshot, item);
        let of_policy = needs.of_policy;
        let judges = rules.substitutes.is_some() && !source.is_rendered();
        self.parser.set_words_on_request(needs.around_links || judges && !needs.text);
        let reads_words = needs.text && rules.reads_posts.is_none();
        self.follow_policy(&*snapshot, Needs { words: reads_words, ..of_policy });
        let metrics = &rules.metrics.parse;
        let mut watch = metrics.busy_seconds.is_on().then(Stopwatch::start);
        let mut parsed = self.parser.parse(document.0, document.1);
        if source.is_rendered() {
            // Scripts can remove what the answer states.
            parsed.stated.extend(self.parser.parse(body, answer.content_type()).stated);
        }
        watch.iter_mut().for_each(|watch| metrics.busy_seconds.add(watch.lap()));
        metrics.pages.by(parsed.charset).inc();
        if let Some(target) = rules.refresh_target(item, answer) {
            parsed.add_refresh(&target);
        }
        HtmlPage { item, answer, document, source, needs, snapshot, parsed, found: Findings::new() }
    }

    fn refreshed(&mut self, page: &mut HtmlPage<'_>) -> Option<PageResult> {
        if page.source.is_rendered() { None } else { self.led_back(page) }
    }

    /// Stops a page that the server sends in place of what was asked for.
    fn substituted(&mut self, page: &mut HtmlPage<'_>) -> Option<PageResult> {
        let substitutes = self.rules.substitutes.as_ref().filter(|_| !page.source.is_rendered())?;
        let parsed = &page.parsed;
        let paths = || PathSet::of(&parsed.leaf_paths);
        // Few pages are a surprise: only of these the content is collected.
        let content = || {
            let words = parsed.text.is_empty().then(|| self.parser.words(page.document.0, page.document.1));
            let text = words.as_ref().map_or(&parsed.text, |words| &words.text);
            let links = parsed.groups.iter().flat_map(|group| &group.links).map(|link| parsed.href(link));
            AnswerContent::of(page.answer.status, paths(), text).map(|content| content.leading_to(links))
        };
        let judgement = substitutes.page(self.asked(page.item), paths(), content);
        page.found.judgement = judgement;
        if matches!(judgement, Judgement::Own | Judgement::Lifted) {
            return None;
        }
        let title = page.parsed.title.take();
        Some(PageResult { title, ..PageResult::substitute(judgement, Fate::Fetched) })
    }

    fn classified(&mut self, page: &mut HtmlPage<'_>) -> Option<PageResult> {
        page.found.cluster = self.rules.classified(&*page.snapshot, page.item, &page.parsed);
        None
    }

    /// Stops a page that is to be rendered.
    fn sent_to_browser(&mut self, page: &mut HtmlPage<'_>) -> Option<PageResult> {
        let renders = self.rules.renders.as_ref().filter(|_| matches!(page.source, Source::Answer))?;
        let (body, content_type) = page.document;
        let suspicion = Suspicion::of(body, page.parsed.link_count(), || word_count(body, content_type));
        let form = if suspicion == Suspicion::None { 0 } else { script_form(body) };
        let class = RenderClass::of(&page.item.url, form);
        let has_hints = || has_hints(body, origin_of(page.item.url.as_str()));
        let to_render = ToRender { class, suspicion: renders.suspicion(class, suspicion, has_hints) };
        if let Some(place) = renders.place(page.item, to_render) {
            return Some(PageResult { to_render: Some((to_render, place)), ..PageResult::of(Fate::Fetched) });
        }
        page.found.render_class = (suspicion != Suspicion::None).then_some(to_render.class);
        None
    }

    fn accepted(&mut self, page: &mut HtmlPage<'_>) -> Option<PageResult> {
        let rules = &self.rules;
        let (body, content_type) = page.document;
        let url = page.item.url.as_str();
        page.found.acceptance = rules.validator.as_ref().map(|accepts| accepts(url, body, content_type))?;
        let is_wanted = page.found.acceptance.accepted == Some(true);
        if is_wanted && rules.searches.as_ref().is_some_and(|searches| searches.is_named_result(page.item)) {
            // Before its links are checked: they belong to the crawl from now on.
            rules.scope.add_found_site(url);
        }
        None
    }

    /// Filters the links of a page that all stations let pass, and takes its facts from it.
    fn with_links(&mut self, mut page: HtmlPage<'_>) -> PageResult {
        let rules = Arc::clone(&self.rules);
        let (body, content_type) = page.document;
        let (needs, cluster) = (page.needs.of_policy, page.found.cluster);
        let parser = &self.parser;
        let read_words = || parser.words(body, content_type);
        let parsed = &page.parsed;
        let directives = parsed.robots.and(rules.header_directives(page.answer));
        let mut filter = LinkFilter::new(&rules, Arc::clone(&page.snapshot), &mut self.memory, page.item);
        filter.placed = needs.links.then(|| Vec::with_capacity(parsed.link_count()));
        filter.rows = rules.digests.then(Vec::new);
        filter.wants_contexts = needs.contexts;
        if let Some(avoided) = &rules.avoided {
            filter.avoided = avoided.on_page(&page.item.url, page.document, &rules.canonicaliser);
        }
        filter.read_words = page.needs.around_links.then_some(&read_words);
        filter.page(parsed, cluster, directives);
        rules.feeds.page(page.item.url.as_str());
        filter.feeds(parsed, directives);
        if let Source::Rendered(rendered) = page.source {
            let class = LinkClass::unclassified(Apath::DERIVED);
            rendered.navigations.iter().for_each(|url| drop(filter.link(url, class)));
        }
        let links = filter.placed.take().unwrap_or_default();
        let contexts = filter.take_contexts();
        let rows = filter.rows.take().map_or_else(Vec::new, |links| rows::rows(&links, &parsed.texts));
        let (found, judged) = filter.finish();
        let result = PageResult {
            found,
            links: Some(parsed.link_count() as u32),
            judged,
            digests: rules.digests.then(|| digests(parsed)),
            rows,
            contexts,
            cluster,
            render_class: page.found.render_class,
            judgement: page.found.judgement,
            ..PageResult::of(Fate::Fetched)
        };
        let facts = PageFacts { links, ..self.facts(&mut page) };
        let is_given_up = page.found.acceptance.is_given_up;
        if is_given_up {
            let url = page.item.url.as_str();
            tracing::warn!(url, "the posts of the page are given up: it takes too long to find them");
            rules.metrics.parse.cut.by("effort").inc();
        }
        let parsed = page.parsed;
        // Posts are those of the answer, which the archive has.
        let tree = parsed.tree.filter(|_| !page.source.is_rendered());
        let (title, reading, stated) = (parsed.title, parsed.reading, parsed.stated);
        PageResult { is_given_up, facts: Some(facts), title, reading, tree, stated, ..result }
    }

    /// The facts for the policy, without the links.
    fn facts(&self, page: &mut HtmlPage<'_>) -> PageFacts {
        let (body, content_type) = page.document;
        let search = self.search_of_site(page.item, page.document, &page.parsed);
        let text = page.needs.text.then(|| match &self.rules.reads_posts {
            Some(reads) => reads(page.item.url.as_str(), body, content_type).unwrap_or_else(|| {
                page.found.acceptance.is_given_up = true;
                PageText::default()
            }),
            None => std::mem::take(&mut page.parsed.text),
        });
        let parsed = &mut page.parsed;
        PageFacts {
            bag: std::mem::take(&mut parsed.leaf_paths),
            units: std::mem::take(&mut parsed.units),
            text,
            gist: std::mem::take(&mut parsed.gist),
            forms: parsed.forms,
            links: Vec::new(),
            accepted: page.found.acceptance.accepted,
            body: page.needs.of_policy.body.then(|| (Bytes::copy_from_slice(body), content_type.map(Into::into))),
            search,
        }
    }
}

impl PageNeeds {
    fn of(rules: &Rules, snapshot: &dyn PolicySnapshot, item: &ScheduledUrl) -> Self {
        let needs = rules.needs.now();
        let text = needs.words && snapshot.reads_text(item.class);
        let around_links = needs.words && needs.contexts && !text;
        Self { of_policy: Needs { gist: needs.gist || rules.digests, ..needs }, text, around_links }
    }
}

impl Findings {
    fn new() -> Self {
        let acceptance = Acceptance::default();
        Self { judgement: Judgement::Own, cluster: PageCluster::default(), render_class: None, acceptance }
    }
}

/// Returns the number of words that a page shows.
fn word_count(body: &[u8], content_type: Option<&str>) -> usize {
    visible_text(body, content_type).map_or(0, |text| text.split_whitespace().count())
}
