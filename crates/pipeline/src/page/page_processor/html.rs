//! Reads HTML pages: parses them, determines their cluster, and filters their links.

use std::sync::Arc;

use bytes::Bytes;
use harvestman_core::clock::Stopwatch;
use harvestman_core::model::{Answer, Apath, Failure, Fate, FetchedPage, LinkClass, PageText, ScheduledUrl};
use harvestman_policy::{Needs, PageFacts, PolicySnapshot};
use harvestman_stages::revisit::rows;

use super::{PageProcessor, digests};
use crate::page::document::Document;
use crate::page::link_filter::LinkFilter;
use crate::page::page_in_work::{Arrival, Body, Content, PageInWork, PageNeeds, ParsedBody, Verdict};
use crate::page::page_result::{PageNotes, PageResult, PolicyFindings, RevisitFindings, StatementFindings};
use crate::page::rules::{Acceptance, Rules};

impl PageProcessor {
    /// Parses a decoded page.
    pub(crate) fn parse(&mut self, page: &mut PageInWork) -> Verdict {
        let PageInWork { fetched: FetchedPage { lease, exchange }, arrival, content, .. } = page;
        let (Content::Body(_), Ok(answer)) = (&*content, &exchange.result) else { return Verdict::Pass };
        let Content::Body(body) = std::mem::replace(content, Content::Unread) else { return Verdict::Pass };
        *content = Content::Page(Box::new(self.parsed(&lease.item, answer, body, arrival)));
        Verdict::Pass
    }

    fn parsed(&mut self, item: &ScheduledUrl, answer: &Answer, body: Body, arrival: &Arrival) -> ParsedBody {
        let is_completed = arrival.completed().is_some();
        let rules = Arc::clone(&self.rules);
        let snapshot = rules.snapshot();
        let needs = page_needs(&rules, &*snapshot, item);
        let judges = rules.reading.compares_words && !is_completed;
        self.parser.set_words_on_request(needs.around_links || judges && !needs.text);
        let reads_words = needs.text && rules.policy.reads_posts.is_none();
        self.follow_policy(&*snapshot, item.url.as_str(), Needs { words: reads_words, ..needs.of_policy });
        let metrics = &rules.metrics.parse;
        let mut watch = metrics.busy_seconds.is_on().then(Stopwatch::start);
        let document = body.shown(arrival, answer);
        let mut parsed = self.parser.parse(document.body, document.content_type);
        if is_completed {
            // Scripts can remove what the answer states.
            parsed.stated.extend(self.parser.parse(&body.bytes, answer.content_type()).stated);
        }
        watch.iter_mut().for_each(|watch| metrics.busy_seconds.add(watch.lap()));
        if let Some(target) = rules.refresh_target(item, answer) {
            parsed.add_refresh(&target);
        }
        ParsedBody { body, needs, snapshot, parsed, acceptance: Acceptance::default(), to_render: None }
    }

    /// Determines the cluster of a page.
    pub(crate) fn classify(&mut self, page: &mut PageInWork) -> Verdict {
        if let Content::Page(parsed) = &page.content {
            page.result.notes.cluster =
                self.rules.classified(&*parsed.snapshot, &page.fetched.lease.item, &parsed.parsed);
        }
        Verdict::Pass
    }

    /// Filters the links of a page that all gates let pass, or the target of a redirect, and takes the facts of the
    /// page.
    pub(crate) fn filter_links(&mut self, page: &mut PageInWork) -> Verdict {
        let PageInWork { fetched: FetchedPage { lease, exchange }, arrival, content, result, .. } = page;
        let Ok(answer) = &exchange.result else { return Verdict::Pass };
        let item = &lease.item;
        let judgement = result.judgement;
        let new = match content {
            Content::Redirect(location) => self.redirect(item, answer, location),
            Content::Error(status) => PageResult::of(Fate::Failed(Failure::Http(*status))),
            Content::Page(parsed) => {
                let notes = std::mem::take(&mut result.notes);
                self.with_links(item, answer, arrival, parsed, notes)
            }
            Content::Unread | Content::Document | Content::Body(_) => return Verdict::Pass,
        };
        page.settle(PageResult { judgement, ..new })
    }

    /// Filters the links of a page, and takes its facts from it.
    fn with_links(
        &mut self,
        item: &ScheduledUrl,
        answer: &Answer,
        arrival: &Arrival,
        page: &mut ParsedBody,
        PageNotes { cluster, render_class, .. }: PageNotes,
    ) -> PageResult {
        let rules = Arc::clone(&self.rules);
        let document = page.body.shown(arrival, answer);
        let needs = page.needs.of_policy;
        let parser = &self.parser;
        let read_words = || parser.words(document.body, document.content_type);
        let parsed = &page.parsed;
        let directives = parsed.robots.and(rules.header_directives(answer));
        let mut filter = LinkFilter::new(&rules, Arc::clone(&page.snapshot), &mut self.memory, item);
        filter.placed = needs.links.then(|| Vec::with_capacity(parsed.link_count()));
        filter.rows = rules.reading.digests.then(Vec::new);
        filter.wants_contexts = needs.contexts;
        if let Some(avoided) = &rules.links.avoided {
            filter.avoided = avoided.on_page(&item.url, document, &rules.urls.canonicaliser);
        }
        filter.read_words = page.needs.around_links.then_some(&read_words);
        filter.page(parsed, cluster, directives);
        rules.feeds.page(item.url.as_str());
        filter.feeds(parsed, directives);
        if let Some(completed) = arrival.completed() {
            let class = LinkClass::unclassified(Apath::DERIVED);
            completed.navigations.iter().for_each(|url| drop(filter.link(url, class)));
        }
        let placed = filter.placed.take().unwrap_or_default();
        let rows = filter.rows.take().map_or_else(Vec::new, |links| rows::rows(&links, &parsed.texts));
        let links = filter.findings();
        let revisit = RevisitFindings { digests: rules.reading.digests.then(|| digests(parsed)), rows };
        let count = Some(parsed.link_count() as u32);
        let facts = PageFacts { links: placed, ..self.facts(item, answer, arrival, page) };
        let is_given_up = page.acceptance.is_given_up;
        if is_given_up {
            let url = item.url.as_str();
            tracing::warn!(url, "the posts of the page are given up: it takes too long to find them");
            rules.metrics.parse.cut.by("effort").inc();
        }
        let parsed = &mut page.parsed;
        let (title, reading) = (parsed.title.take(), std::mem::take(&mut parsed.reading));
        PageResult {
            links,
            notes: PageNotes {
                title,
                links: count,
                cluster,
                render_class,
                is_given_up,
                reading,
                ..PageNotes::default()
            },
            policy: PolicyFindings { facts: Some(facts), reply: None },
            revisit,
            statements: StatementFindings {
                stated: std::mem::take(&mut parsed.stated),
                ..StatementFindings::default()
            },
            // Posts are those of the answer, which the archive has.
            tree: parsed.tree.take().filter(|_| arrival.completed().is_none()),
            ..PageResult::of(Fate::Fetched)
        }
    }

    /// The facts for the policy, without the links.
    fn facts(&self, item: &ScheduledUrl, answer: &Answer, arrival: &Arrival, page: &mut ParsedBody) -> PageFacts {
        let ParsedBody { body, needs, parsed, acceptance, .. } = page;
        let document = body.shown(arrival, answer);
        let search = self.search_of_site(item, document, parsed);
        let text = needs.text.then(|| match &self.rules.policy.reads_posts {
            Some(reads) => reads(item.url.as_str(), document.body, document.content_type).unwrap_or_else(|| {
                acceptance.is_given_up = true;
                PageText::default()
            }),
            None => std::mem::take(&mut parsed.text),
        });
        let Document { body, content_type } = document;
        PageFacts {
            bag: std::mem::take(&mut parsed.leaf_paths),
            units: std::mem::take(&mut parsed.units),
            text,
            gist: std::mem::take(&mut parsed.gist),
            forms: parsed.forms,
            links: Vec::new(),
            accepted: acceptance.accepted,
            body: needs.of_policy.body.then(|| (Bytes::copy_from_slice(body), content_type.map(Into::into))),
            search,
        }
    }
}

fn page_needs(rules: &Rules, snapshot: &dyn PolicySnapshot, item: &ScheduledUrl) -> PageNeeds {
    let needs = rules.policy.needs.now();
    let text = needs.words && snapshot.reads_text(item.class);
    let around_links = needs.words && needs.contexts && !text;
    PageNeeds { of_policy: Needs { gist: needs.gist || rules.reading.digests, ..needs }, text, around_links }
}
