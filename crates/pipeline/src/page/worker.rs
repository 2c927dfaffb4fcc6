//! The CPU workers: named threads on one bounded channel. Each leads fetched pages past their stations, and reports the
//! outcome to the frontier once it is written.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::Receiver;
use tokio::sync::OwnedSemaphorePermit;

use crate::handles::Writing;
use crate::handles::job::{Job, Sitemap};
use crate::page::page_in_work::{Arrival, Completion, PageInWork};
use crate::page::page_processor::SitemapContents;
use crate::page::page_result::PageResult;
use crate::page::stations::{Stations, Stop};
use crate::page::worker_tools::WorkerTools;
use crate::rendering::{PageToRender, RenderOutcome, RenderProgress};
use harvestman_core::model::{Exchange, Failure, Fate, FetchedPage, ProgressRecord, ScheduledUrl};
use harvestman_login::Verdict;
use harvestman_stages::frontier::{OwnRequestEnded, SitemapLinks};

/// One worker.
pub(crate) struct Worker {
    pub(crate) tools: WorkerTools,
    pub(crate) stations: Arc<Stations>,
}

impl Worker {
    /// Starts the worker's thread; it ends at [`Job::End`].
    pub(crate) fn spawn(mut self, number: usize, jobs: Receiver<Job>) -> std::io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
            while let Ok(job) = jobs.recv() {
                self.tools.context.metrics.worker.queue_length.set(jobs.len() as u64);
                if !self.step(job) {
                    break;
                }
            }
        })
    }

    /// Does one job. Returns false if it is the last.
    pub(crate) fn step(&mut self, job: Job) -> bool {
        match job {
            Job::Page(page) => self.page(page, Arrival::Host),
            Job::JudgedAgain(page) => self.page(page, Arrival::Suspects),
            Job::Judged { page, verdict: Verdict::Member } => self.page(page, Arrival::Session),
            Job::Judged { page, verdict } => self.tools.end_guest_view(page, verdict),
            Job::Rendered { page, outcome } => self.rendered(*page, outcome),
            Job::Refused { lease, fate } => self.tools.end_refused(lease, fate, None),
            Job::Errand { exchange, announced, is_archived, permit } => {
                let ended = OwnRequestEnded { announced, ..OwnRequestEnded::default() };
                if is_archived { self.errand(&exchange, ended, permit) } else { self.report_errand(&exchange, ended) }
            }
            Job::Sitemap { sitemap, permit } => self.sitemap(&sitemap, permit),
            Job::End => return false,
        }
        true
    }

    fn rendered(&mut self, page: PageToRender, outcome: RenderOutcome) {
        let PageToRender { fetched, class, progress, .. } = page;
        let is_begun = progress != RenderProgress::Waiting;
        self.page(fetched, Arrival::Browsers(Completion { class, is_begun, outcome }));
    }

    /// Leads a page past its stations.
    fn page(&mut self, fetched: FetchedPage, arrival: Arrival) {
        let stations = Arc::clone(&self.stations);
        let mut page = PageInWork::new(fetched, arrival, self.tools.context.clock.now());
        match stations.admit(&mut self.tools.processor, &mut page) {
            Stop::Nowhere => {}
            Stop::Held(gate) => match gate.hold(&mut self.tools, page) {
                Some(returned) => page = returned,
                None => return,
            },
            Stop::PutBack => return self.tools.put_back(page.fetched, Duration::ZERO),
        }
        let stop = self.read(&stations, &mut page);
        if page.arrival.may_be_held() && !matches!(stop, Stop::PutBack) {
            stations.was_read(&page);
        }
        match stop {
            Stop::Nowhere => self.record(page),
            Stop::Held(gate) => {
                self.end_work(&page);
                if let Some(mut page) = gate.hold(&mut self.tools, page) {
                    self.read(&stations, &mut page);
                    self.record(page);
                }
            }
            Stop::PutBack => {
                self.end_work(&page);
                self.tools.put_back(page.fetched, Duration::ZERO);
            }
        }
    }

    /// Reads a page. If the parser panics, only the page's links are lost.
    fn read<'s>(&mut self, stations: &'s Stations, page: &mut PageInWork) -> Stop<'s> {
        let WorkerTools { context, processor, .. } = &mut self.tools;
        let readings = &context.followers.live.readings;
        let reading = readings.begin(page.item().url.as_str(), context.clock.now());
        let read = catch_unwind(AssertUnwindSafe(|| stations.read(processor, page)));
        readings.end(reading);
        read.unwrap_or_else(|_| {
            tracing::error!(url = page.item().url.as_str(), "the parser panicked; the page's links are lost");
            context.metrics.parse.stage.dropped.by("panic").inc();
            processor.reset();
            page.settle(PageResult::of(Fate::Failed(Failure::Internal)));
            Stop::Nowhere
        })
    }

    /// Counts the time that a page took that is not recorded now.
    fn end_work(&self, page: &PageInWork) {
        let context = &self.tools.context;
        context.metrics.worker.busy_seconds.add(context.clock.now().since(page.started));
    }

    /// Records the outcome of a page.
    fn record(&mut self, page: PageInWork) {
        if self.tools.context.followers.errors.is_broken() {
            // Its links were not judged as they should be.
            return self.tools.put_back(page.fetched, Duration::ZERO);
        }
        Stations::record(&mut self.tools, page);
    }

    fn sitemap(&mut self, sitemap: &Sitemap, permit: OwnedSemaphorePermit) {
        let context = Arc::clone(&self.tools.context);
        let handles = &context.handles;
        let SitemapContents { links, sitemaps, moved_to } = self.tools.processor.sitemap(sitemap, |links| {
            let credit = handles.sitemap_credit.take(links.accepted.len() + links.foreign.len());
            handles.frontier.send(SitemapLinks { links, credit });
        });
        if context.followers.errors.is_broken() {
            // Its links were not judged as they should be: another run reads it again.
            let ended = OwnRequestEnded { announced: true, ..OwnRequestEnded::default() };
            return self.errand(&sitemap.exchange, ended, permit);
        }
        // A redirect is no index: its target is as deep as it is. That each address is read once, and a limited number
        // of them, bounds both.
        let nesting = sitemap.nesting + u32::from(moved_to.is_none());
        let sitemaps: Vec<String> = sitemaps.into_iter().chain(moved_to).collect();
        let mut progress: Vec<ProgressRecord> =
            sitemaps.iter().map(|url| ProgressRecord::SitemapFound(url.clone(), nesting)).collect();
        if is_answer(&sitemap.exchange) {
            progress.push(ProgressRecord::SitemapRead(sitemap.url.as_str().to_owned()));
        }
        handles.hosts.sitemaps_found(sitemaps, nesting);
        let ended = OwnRequestEnded { announced: true, links, progress, ..OwnRequestEnded::default() };
        self.errand(&sitemap.exchange, ended, permit);
    }

    /// Archives the response of an auxiliary request, then reports it to the frontier.
    fn errand(&mut self, exchange: &Exchange, ended: OwnRequestEnded, permit: OwnedSemaphorePermit) {
        let bytes = exchange.body_bytes();
        let item = ScheduledUrl::errand(exchange.url.clone());
        let WorkerTools { context, encoder, .. } = &mut self.tools;
        // The announced ones without sitemaps are parts of pages, which have the statements of their answers.
        let mut part = PageResult::of(Fate::Fetched);
        if ended.announced && ended.progress.is_empty() {
            context.consent.apply_to_part(exchange, &mut part);
        }
        let page = encoder.as_mut().and_then(|encoder| encoder.encode(exchange, &item, &part.archived_facts()));
        let frontier = context.handles.frontier.clone();
        context.hand_to_writer(Writing { page, record: None, links: None }, move |_| {
            frontier.send(OwnRequestEnded { bytes, ..ended });
            drop(permit);
        });
    }

    /// Reports an auxiliary request that is not archived.
    fn report_errand(&self, exchange: &Exchange, ended: OwnRequestEnded) {
        let bytes = exchange.body_bytes();
        self.tools.context.handles.frontier.send(OwnRequestEnded { bytes, ..ended });
    }
}

/// Returns whether the answer is final, so that another run need not request it again.
fn is_answer(exchange: &Exchange) -> bool {
    exchange
        .result
        .as_ref()
        .is_ok_and(|answer| answer.truncated.is_none() && !Failure::Http(answer.status).is_transient())
}
