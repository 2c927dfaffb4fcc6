//! The CPU workers: named threads on one bounded channel. Each takes a fetched page through decoding, parser, filter,
//! dedup and archive, in this order, and reports the outcome to the frontier once it is written.

mod judged;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::Receiver;
use tokio::sync::OwnedSemaphorePermit;

use crate::handles::Writing;
use crate::page::consent;
use crate::page::job::{Job, Sitemap};
use crate::page::lease_end::LeaseEnd;
use crate::page::page_processor::{PageProcessor, PageResult, SitemapContents, observation};
use crate::page::page_record::{note_visit, page_record};
use crate::page::substitutes::{substitute_label, waits};
use crate::page::visits::{earlier, is_conditional};
use crate::page::worker_context::WorkerContext;
use crate::policy_thread::learning::{ObservationSender, Seen};
use crate::recrawl::{links_of, sighting};
use crate::rendering::{PageToRender, RenderClass, RenderOutcome, RenderPlace, ToRender};
use crate::run::extensions::{DeliveredLink, DeliveredPage};
use harvestman_core::clock::Instant;
use harvestman_core::held_pages::PutBackReason;
use harvestman_core::model::{
    Answer, Exchange, Failure, Fate, FetchedPage, Lease, PageRecord, ProgressRecord, ScheduledUrl, Visit,
};
use harvestman_render::RenderedPage;
use harvestman_stages::frontier::{LeaseEnded, Outcome, OwnRequestEnded, PageFindings, SitemapLinks};
use harvestman_stages::host::ContentReport;
use harvestman_storage::archive::{PageFacts, RecordEncoder};
use harvestman_structure::substitutes::Judgement;

/// How long a page waits for its host to move to a node with a browser; usually that takes a second or two.
const MOVE_MAX: Duration = Duration::from_secs(10);

/// How long a URL waits whose answer was not what was asked for.
const SUSPECT_PAUSE: Duration = Duration::from_secs(2);

/// One worker.
pub(crate) struct Worker {
    pub(crate) context: Arc<WorkerContext>,
    pub(crate) processor: PageProcessor,
    /// `None` if the archive is off.
    pub(crate) encoder: Option<RecordEncoder>,
    /// `None` if the policy does not learn.
    pub(crate) observer: Option<ObservationSender>,
}

impl Worker {
    /// Starts the worker's thread; it ends at [`Job::End`].
    pub(crate) fn spawn(mut self, number: usize, jobs: Receiver<Job>) -> std::io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
            while let Ok(job) = jobs.recv() {
                self.context.metrics.worker.queue_length.set(jobs.len() as u64);
                if !self.step(job) {
                    break;
                }
            }
        })
    }

    /// Does one job. Returns false if it is the last.
    pub(crate) fn step(&mut self, job: Job) -> bool {
        match job {
            Job::Page(page) => self.answered(page),
            Job::JudgedAgain(page) => self.page(page, false),
            Job::Judged { page, verdict } => self.judged(page, verdict),
            Job::Rendered { page, outcome } => self.rendered(page, &outcome),
            Job::Refused { lease, fate } => self.refused(lease, fate, None),
            Job::Errand { exchange, announced, is_archived, permit } => {
                let ended = OwnRequestEnded { announced, ..OwnRequestEnded::default() };
                if is_archived { self.errand(&exchange, ended, permit) } else { self.report_errand(&exchange, ended) }
            }
            Job::Sitemap { sitemap, permit } => self.sitemap(&sitemap, permit),
            Job::End => return false,
        }
        true
    }

    fn page(&mut self, mut page: FetchedPage, may_wait: bool) {
        let context = Arc::clone(&self.context);
        let started = context.clock.now();
        let before = context.visits.before(&page.lease.item.url);
        self.processor.has_waited = !may_wait;
        let FetchedPage { lease, exchange } = &page;
        let mut result = match &exchange.result {
            Ok(answer) if answer.status == 304 && before.is_some() && is_conditional(&exchange.request_headers) => {
                PageResult::of(Fate::NotModified)
            }
            _ => self.process_contained(&lease.item, |processor| processor.page(&lease.item, exchange)),
        };
        if let Some((_, RenderPlace::Elsewhere)) = result.to_render {
            context.metrics.worker.busy_seconds.add(context.clock.now().since(started));
            return self.put_back(page, MOVE_MAX);
        }
        if waits(result.judgement) {
            context.metrics.worker.busy_seconds.add(context.clock.now().since(started));
            return self.judge_later(page, &result, may_wait);
        }
        if self.processor.substitutes().is_some() {
            self.tell_suspects(&page.lease, result.judgement);
        }
        let to_render = result.to_render.map(|(to_render, _)| to_render);
        if let Some((ToRender { class, suspicion }, renders)) = to_render.zip(context.renders.as_ref()) {
            let is_retest = context.render_rules.as_ref().is_some_and(|rules| rules.is_retested(class));
            let (is_check, is_begun, is_apart) = (false, false, false);
            let waiting = PageToRender { fetched: page, class, suspicion, is_retest, is_check, is_begun, is_apart };
            match renders.send(Box::new(waiting)) {
                Ok(()) => return context.metrics.worker.busy_seconds.add(context.clock.now().since(started)),
                // The browsers are gone.
                Err(waiting) => page = waiting.fetched,
            }
            let FetchedPage { lease, exchange } = &page;
            result = self.process_contained(&lease.item, |processor| processor.unrendered(&lease.item, exchange));
            result.render_class = Some(class);
        }
        self.finish(page, (before, started), result, None);
    }

    /// Goes on with a page that was to be rendered.
    fn rendered(&mut self, page: Box<PageToRender>, outcome: &RenderOutcome) {
        let PageToRender { fetched: page, class, suspicion, is_begun, .. } = *page;
        let FetchedPage { lease, exchange } = &page;
        // A host that leaves this node gets no requests any more: its page is incomplete.
        let leaves = |page: &RenderedPage| page.is_incomplete() && !self.processor.holds(&lease.item);
        if outcome.page().is_some_and(|page| page.is_cut_short() || leaves(page)) {
            return self.cut_short(page, class);
        }
        let started = self.context.clock.now();
        let before = self.context.visits.before(&lease.item.url);
        if let Some(rules) = self.context.render_rules.as_ref().filter(|_| is_begun) {
            rules.ended(class, outcome);
        }
        if let RenderOutcome::Failed(why) = outcome {
            tracing::debug!(url = lease.item.url.as_str(), %why, "the page is not rendered");
        }
        let rules = self.context.render_rules.as_ref();
        if rules.is_some_and(|rules| rules.leaves_unrendered(&lease.item, ToRender { class, suspicion }, outcome)) {
            return self.put_back(page, MOVE_MAX);
        }
        let mut result = match outcome {
            RenderOutcome::Rendered(page) => self
                .process_contained(&lease.item, |processor| processor.rendered(&lease.item, exchange, (class, page))),
            RenderOutcome::Replayed(page) => {
                self.process_contained(&lease.item, |processor| processor.replayed(&lease.item, exchange, page))
            }
            RenderOutcome::Unneeded | RenderOutcome::Failed(_) => {
                self.process_contained(&lease.item, |processor| processor.unrendered(&lease.item, exchange))
            }
        };
        result.render_class = Some(class);
        self.finish(page, (before, started), result, Some(outcome));
    }

    /// Returns a page to the frontier whose content may be missing because the crawl ends, or because its host goes to another node:
    /// the next run or that node fetches it again.
    fn cut_short(&self, page: FetchedPage, class: RenderClass) {
        if let Some(rules) = &self.context.render_rules {
            rules.withdraw(class);
        }
        self.put_back(page, Duration::ZERO);
    }

    /// Has an answer wait that may be a substitute, until other pages of its host show what it is. If it is one, or cannot wait, its
    /// URL is requested again.
    fn judge_later(&mut self, page: FetchedPage, result: &PageResult, may_wait: bool) {
        let context = Arc::clone(&self.context);
        self.tell_suspects(&page.lease, result.judgement);
        if !may_wait || result.judgement != Judgement::Suspect {
            return self.ask_again(page, result);
        }
        match context.suspects.hold(Box::new(page), context.clock.now()) {
            Ok(()) => {
                let kind = substitute_label(result.judgement).unwrap_or_default();
                context.metrics.parse.substitutes.by(kind).inc();
            }
            Err(refused) => self.ask_again(*refused, result),
        }
    }

    /// Tells the answers of the same host that wait what this one is.
    fn tell_suspects(&self, lease: &Lease, judgement: Judgement) {
        let origin = lease.item.url.origin();
        match judgement {
            Judgement::Absent | Judgement::Blocked => self.context.suspects.decided(origin),
            Judgement::Own | Judgement::Lifted | Judgement::Suspect => self.context.suspects.page(origin),
        }
    }

    /// Archives an answer that is not taken for what was asked for, and returns its URL to the frontier. If the host blocks the crawl, it
    /// is paused.
    fn ask_again(&mut self, page: FetchedPage, result: &PageResult) {
        let FetchedPage { lease, exchange } = &page;
        let context = Arc::clone(&self.context);
        let kind = substitute_label(result.judgement).unwrap_or_default();
        context.metrics.parse.substitutes.by(kind).inc();
        tracing::debug!(url = lease.item.url.as_str(), kind, "the answer is not taken for the page");
        context.put_backs.count(PutBackReason::BlockPage, lease.item.url.fingerprint(), u8::MAX);
        if result.judgement == Judgement::Blocked {
            context.hosts.report_content(lease.item.url.host_key(), ContentReport::BlockPage);
        }
        let encoder = self.encoder.as_mut();
        if let Some(records) = encoder.and_then(|encoder| encoder.encode(exchange, &lease.item, &result.notes())) {
            self.hand_to_writer(Writing { page: Some(records), record: None, links: None }, |_| {});
        }
        self.put_back(page, SUSPECT_PAUSE);
    }

    /// Returns a page to the frontier as if it had not been fetched; it waits this long at least.
    fn put_back(&self, FetchedPage { mut lease, exchange }: FetchedPage, pause: Duration) {
        // It was answered: this request takes none of the page's retries.
        lease.item.attempts = lease.item.attempts.saturating_sub(1);
        let received = Some(exchange.body_bytes());
        let outcome = Outcome::Retry(self.context.clock.now() + pause);
        self.context.frontier.send(LeaseEnded { lease, outcome, received });
    }

    /// Records the outcome of a page.
    fn finish(
        &mut self,
        page: FetchedPage,
        (before, started): (Option<Visit>, Instant),
        mut result: PageResult,
        rendered: Option<&RenderOutcome>,
    ) {
        let context = Arc::clone(&self.context);
        if context.extension_errors.is_broken() {
            // Its links were not judged as they should be.
            return self.put_back(page, Duration::ZERO);
        }
        let FetchedPage { lease, exchange } = page;
        consent::apply(&self.processor, &lease, &exchange, &mut result);
        let mut record = page_record(&lease, Some(&exchange), result.fate, Some(&result));
        record.signals = result.statements.clone();
        record.rendered = rendered.and_then(RenderOutcome::label).map(str::to_owned);
        let reasons = [PutBackReason::NoBrowser, PutBackReason::BlockPage, PutBackReason::GuestView];
        let put_back = context.put_backs.end(&reasons, lease.item.url.fingerprint());
        record.attempts = record.attempts.saturating_add(put_back);
        if result.judgement == Judgement::Lifted {
            context.hosts.report_content(lease.item.url.host_key(), ContentReport::AsAsked);
        }
        if let Some(kind) = substitute_label(result.judgement) {
            context.metrics.parse.substitutes.by(kind).inc();
        }
        let received = exchange.body_bytes();
        // A 304 that nobody asked for is no capture of the page.
        let is_unasked = result.fate == Fate::Failed(Failure::Http(304));
        let held = before.as_ref().filter(|_| !is_unasked).and_then(earlier);
        let rendered = rendered.and_then(RenderOutcome::document);
        let facts = PageFacts { rendered, ..result.notes() };
        let page = self
            .encoder
            .as_mut()
            .and_then(|encoder| encoder.encode_again(&exchange, &lease.item, &facts, held.as_ref()));
        let visit = context.visits.after(&lease.item, &exchange, &result, (before.as_ref(), page.as_ref()));
        note_visit(&mut record, visit.as_deref(), context.recrawl.as_ref());
        let recrawl_visit = context.recrawl.as_ref().and_then(|recrawl| {
            let links = links_of(before.as_ref(), &result.rows);
            let seen = visit.as_deref().map(|visit| Box::new(sighting(visit, &links)));
            recrawl.report_links(lease.item.url.fingerprint(), links);
            seen
        });
        context.metrics.worker.busy_seconds.add(context.clock.now().since(started));
        if let Some(observer) = self.observer.as_ref().filter(|_| result.fate != Fate::NotModified) {
            // Before the lease ends, so that at most as many wait here as there are leases.
            let generation = result.found.generation;
            let hold = self.processor.awaits(&lease.item, &result).then(|| context.frontier.hold());
            observer.show(Seen { observation: observation(&lease.item, &mut result), generation, hold });
        }
        // Before the page log names it.
        if let Some(tree) = result.tree.take() {
            context.trees.put(lease.item.url.as_str(), exchange.timings.started, tree);
        }
        let PageResult { fate, found: links, judged, not_kept, .. } = result;
        let findings = Box::new(PageFindings { links, visit, recrawl_visit });
        let delivered = self.delivered(&record, Some(exchange).filter(|_| not_kept.is_none()), judged.all);
        let writing = Writing { page, record: Some(record), links: judged.line };
        self.deliver(delivered, LeaseEnd { lease, received: Some(received), fate, findings }, writing);
    }

    /// Processes a page. If the parser panics, only the page's links are lost.
    fn process_contained(
        &mut self,
        item: &ScheduledUrl,
        process: impl FnOnce(&mut PageProcessor) -> PageResult,
    ) -> PageResult {
        let readings = &self.context.live.readings;
        let reading = readings.begin(item.url.as_str(), self.context.clock.now());
        let processor = &mut self.processor;
        let processed = catch_unwind(AssertUnwindSafe(|| process(processor)));
        readings.end(reading);
        processed.unwrap_or_else(|_| {
            tracing::error!(url = item.url.as_str(), "the parser panicked; the page's links are lost");
            self.context.metrics.parse.stage.dropped.by("panic").inc();
            self.processor.reset();
            PageResult::of(Fate::Failed(Failure::Internal))
        })
    }

    /// Records that a URL is not fetched, or that its answer, of so many bytes, is not taken.
    fn refused(&mut self, lease: Lease, fate: Fate, received: Option<u64>) {
        let mut record = page_record(&lease, None, fate, None);
        let reasons = [PutBackReason::BlockPage, PutBackReason::GuestView];
        let put_back = self.context.put_backs.end(&reasons, lease.item.url.fingerprint());
        record.attempts = record.attempts.saturating_add(put_back);
        record.signals = consent::refused(&self.processor, &lease);
        let mut result = self.processor.refused(&lease.item, fate);
        if let Some(observer) = self.observer.as_ref().filter(|_| self.processor.awaits(&lease.item, &result)) {
            let hold = Some(self.context.frontier.hold());
            let observation = observation(&lease.item, &mut result);
            observer.show(Seen { observation, generation: 0, hold });
        }
        let ended = LeaseEnd { lease, received, fate, findings: Box::default() };
        let delivered = self.delivered(&record, None, Vec::new());
        self.deliver(delivered, ended, Writing { page: None, record: Some(record), links: None });
    }

    /// Returns a processed URL for the program that embeds the crawl, if it receives pages.
    fn delivered(
        &self,
        record: &PageRecord,
        exchange: Option<Exchange>,
        links: Vec<DeliveredLink>,
    ) -> Option<DeliveredPage> {
        self.context.receiver.as_ref()?;
        let requested = exchange.as_ref().map(|exchange| exchange.timings.started);
        // The reservation bounds the memory of the crawl, not that of what receives its pages.
        let answer = exchange.and_then(|exchange| exchange.result.ok()).map(|it| Answer { reservation: None, ..it });
        let links = if answer.is_some() { links } else { Vec::new() };
        let decode = self.processor.rules().decode;
        Some(DeliveredPage { record: record.clone(), requested, answer, decode, links })
    }

    /// Delivers a page, if it is to be delivered, and then sends its outcome to the writer.
    fn deliver(&self, page: Option<DeliveredPage>, ended: LeaseEnd, writing: Writing) {
        let context = Arc::clone(&self.context);
        let Some((receiver, page)) = self.context.receiver.as_ref().zip(page) else {
            return ended.write(&context, writing);
        };
        let waiting_since = context.clock.now();
        let then = move |taken| {
            if taken { ended.write(&context, writing) } else { ended.put_back(&context) }
        };
        receiver.receive(page, Box::new(then));
        self.context.metrics.worker.waiting_seconds.add(self.context.clock.now().since(waiting_since));
    }

    fn sitemap(&mut self, sitemap: &Sitemap, permit: OwnedSemaphorePermit) {
        let context = Arc::clone(&self.context);
        let SitemapContents { links, sitemaps, moved_to } = self.processor.sitemap(sitemap, |links| {
            let credit = context.sitemap_credit.take(links.accepted.len() + links.foreign.len());
            context.frontier.send(SitemapLinks { links, credit });
        });
        if context.extension_errors.is_broken() {
            // Its links were not judged as they should be: another run reads it again.
            let ended = OwnRequestEnded { announced: true, ..OwnRequestEnded::default() };
            return self.errand(&sitemap.exchange, ended, permit);
        }
        // A redirect is no index: its target is as deep as it is. That each address is read once, and a limited number of
        // them, bounds both.
        let nesting = sitemap.nesting + u32::from(moved_to.is_none());
        let sitemaps: Vec<String> = sitemaps.into_iter().chain(moved_to).collect();
        let mut progress: Vec<ProgressRecord> =
            sitemaps.iter().map(|url| ProgressRecord::SitemapFound(url.clone(), nesting)).collect();
        if is_answer(&sitemap.exchange) {
            progress.push(ProgressRecord::SitemapRead(sitemap.url.as_str().to_owned()));
        }
        context.hosts.sitemaps_found(sitemaps, nesting);
        let ended = OwnRequestEnded { announced: true, links, progress, ..OwnRequestEnded::default() };
        self.errand(&sitemap.exchange, ended, permit);
    }

    /// Archives the response of an auxiliary request, then reports it to the frontier.
    fn errand(&mut self, exchange: &Exchange, ended: OwnRequestEnded, permit: OwnedSemaphorePermit) {
        let bytes = exchange.body_bytes();
        let item = ScheduledUrl::errand(exchange.url.clone());
        // The announced ones without sitemaps are parts of pages, which have the statements of their answers.
        let mut part = PageResult::of(Fate::Fetched);
        if ended.announced && ended.progress.is_empty() {
            consent::apply_to_part(&self.processor, exchange, &mut part);
        }
        let page = self.encoder.as_mut().and_then(|encoder| encoder.encode(exchange, &item, &part.notes()));
        let frontier = self.context.frontier.clone();
        self.hand_to_writer(Writing { page, record: None, links: None }, move |_| {
            frontier.send(OwnRequestEnded { bytes, ..ended });
            drop(permit);
        });
    }

    /// Reports an auxiliary request that is not archived.
    fn report_errand(&self, exchange: &Exchange, ended: OwnRequestEnded) {
        let bytes = exchange.body_bytes();
        self.context.frontier.send(OwnRequestEnded { bytes, ..ended });
    }

    fn hand_to_writer(&self, writing: Writing, done: impl FnOnce(bool) + Send + 'static) {
        self.context.hand_to_writer(writing, done);
    }
}

/// Returns whether the answer is final, so that another run need not request it again.
fn is_answer(exchange: &Exchange) -> bool {
    exchange
        .result
        .as_ref()
        .is_ok_and(|answer| answer.truncated.is_none() && !Failure::Http(answer.status).is_transient())
}
