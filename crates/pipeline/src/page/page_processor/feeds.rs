//! Processes feeds, and sitemaps that are met as pages.

use std::sync::Arc;

use super::{PageProcessor, digests, refresh};
use crate::page::document::RENDERED_TYPE;
use crate::page::feeds::{FeedDocument, as_page};
use crate::page::link_filter::LinkFilter;
use crate::page::page_in_work::{Content, PageInWork, Verdict};
use crate::page::page_result::PageResult;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Answer, Apath, ContentType, Fate, FetchedPage, LinkClass, MediaType, ScheduledUrl};
use harvestman_policy::Needs;
use harvestman_stages::revisit::rows;

/// The maximum number of entries that are compared with those of another visit, and whose titles are read.
const COMPARED_MAX: usize = 10_000;

impl PageProcessor {
    /// Returns whether an answer of this type may be a feed. JSON is read only where a feed is expected: other JSON can
    /// be long.
    pub(super) fn may_be_feed(media: MediaType, item: &ScheduledUrl, answer: &Answer) -> bool {
        let is_expected = matches!(item.class.apath, Apath::FEED | Apath::REDIRECT | Apath::REVISIT);
        let is_declared =
            || answer.content_type().and_then(ContentType::of).is_some_and(|stated| stated.is("application/feed+json"));
        media == MediaType::Xml || media == MediaType::Json && (is_expected || is_declared())
    }

    /// Processes a decoded document that is a feed, or neither a feed nor a page.
    pub(crate) fn feed(&mut self, page: &mut PageInWork) -> Verdict {
        let FetchedPage { lease, exchange } = &page.fetched;
        let (Content::Body(body), Ok(answer)) = (&page.content, &exchange.result) else { return Verdict::Pass };
        let (item, media) = (&lease.item, body.media);
        let may_be_feed = Self::may_be_feed(media, item, answer);
        let asked_at = exchange.timings.started;
        let feed = if may_be_feed { self.entries(item, answer, &body.bytes, asked_at) } else { None };
        let is_page = matches!(media, MediaType::Html | MediaType::Xml);
        match feed.or_else(|| (!is_page).then(|| self.of_another_type(item, answer))) {
            Some(result) => page.settle(result),
            None => Verdict::Pass,
        }
    }

    /// Processes the entries of a feed; `None` if the document is not a feed.
    fn entries(&mut self, item: &ScheduledUrl, answer: &Answer, body: &[u8], asked_at: Instant) -> Option<PageResult> {
        let rules = Arc::clone(&self.rules);
        let needs = rules.policy.needs.now();
        let wants_contexts = needs.contexts && needs.words;
        let (url, content_type) = (item.url.as_str(), answer.content_type());
        let document = FeedDocument { url, body, content_type, fetched: asked_at };
        let entries = document.entries(rules.reading.sitemaps, wants_contexts)?;
        let target = rules.refresh_target(item, answer);
        let snapshot = rules.snapshot();
        let page = (entries.len() <= COMPARED_MAX && (wants_contexts || rules.reading.digests)).then(|| {
            let wants = Needs { words: wants_contexts, units: false, gist: rules.reading.digests, ..needs };
            self.parser.set_words_on_request(false);
            self.follow_policy(&*snapshot, url, wants);
            self.parser.parse(as_page(&entries).as_bytes(), Some(RENDERED_TYPE))
        });
        let mut filter = LinkFilter::new(&rules, snapshot, &mut self.memory, item);
        filter.wants_contexts = wants_contexts;
        if let Some(target) = &target {
            refresh(&mut filter, target, rules.header_directives(answer));
        }
        let mut result = PageResult::of(Fate::Fetched);
        match &page {
            Some(page) => {
                filter.rows = rules.reading.digests.then(Vec::new);
                filter.entries(page);
                result.revisit.digests = rules.reading.digests.then(|| digests(page));
                result.revisit.rows = filter.rows.take().map_or_else(Vec::new, |links| rows::rows(&links, &page.texts));
            }
            None => entries.iter().for_each(|entry| {
                filter.link(&entry.url, LinkClass::unclassified(Apath::SITEMAP));
            }),
        }
        result.notes.links = Some((entries.len() + usize::from(target.is_some())) as u32);
        result.links = filter.findings();
        Some(result)
    }
}
