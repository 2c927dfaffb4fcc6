//! The CPU workers: named threads on one bounded channel. Each takes a fetched page through decoding, parser, filter, dedup and
//! archive, in this order, and tells the frontier what became of it once it is written.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::Receiver;
use tokio::sync::OwnedSemaphorePermit;

use super::job::{Job, Sitemap};
use super::learning::{ObservationSender, Seen};
use super::page_processor::{PageProcessor, PageResult, observation};
use super::page_record::{note_visit, page_record};
use super::recrawl::{links_of, sighting};
use super::switchboard::Lines;
use super::visits::earlier;
use harvestman_core::clock::Clock;
use harvestman_core::model::{Exchange, Failure, Fate, Lease, Note, PageRecord, ScheduledUrl};
use harvestman_stages::frontier::{Control, LeaseEnded, LinksFound, Outcome};
use harvestman_storage::archive::{ArchiveSink, Entry, RecordEncoder};

/// What all workers share.
pub(super) struct Desk {
    pub(super) lines: Lines,
    pub(super) arbiter: actix::ArbiterHandle,
    pub(super) sink: ArchiveSink,
    pub(super) clock: Clock,
    /// Set with the first outcome that could not be written.
    pub(super) write_failed: AtomicBool,
}

/// One worker.
pub(super) struct Worker {
    pub(super) desk: Arc<Desk>,
    pub(super) processor: PageProcessor,
    /// None where the archive is off.
    pub(super) encoder: Option<RecordEncoder>,
    /// None where the policy does not learn.
    pub(super) observer: Option<ObservationSender>,
}

impl Worker {
    /// Starts the worker's thread; it ends at [`Job::End`].
    pub(super) fn spawn(mut self, number: usize, jobs: Receiver<Job>) -> std::io::Result<JoinHandle<()>> {
        std::thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
            while let Ok(job) = jobs.recv() {
                self.desk.lines.0.metrics.worker.queue_length.set(jobs.len() as u64);
                if !self.take(job) {
                    break;
                }
            }
        })
    }

    /// Does one piece of work. False where there is no more.
    pub(super) fn take(&mut self, job: Job) -> bool {
        match job {
            Job::Page { lease, exchange } => self.page(lease, exchange),
            Job::Refused { lease, fate } => self.refused(lease, fate),
            Job::Errand { exchange, permit } => self.errand(&exchange, LinksFound::default(), permit),
            Job::Sitemap { sitemap, permit } => self.sitemap(&sitemap, permit),
            Job::End => return false,
        }
        true
    }

    fn page(&mut self, lease: Lease, exchange: Exchange) {
        let started = self.desk.clock.now();
        let before = self.desk.lines.0.visits.before(&lease.item.url);
        let mut harvest = match &exchange.result {
            Ok(answer) if answer.status == 304 && before.is_some() => PageResult::of(Fate::NotModified),
            _ => self.harvest_contained(&lease.item, &exchange),
        };
        let mut record = page_record(&lease, Some(&exchange), harvest.fate, Some(&harvest));
        let received = exchange.result.as_ref().map_or(0, |answer| answer.body.len() as u64);
        let held = before.as_ref().and_then(earlier);
        let page = self
            .encoder
            .as_mut()
            .and_then(|encoder| encoder.encode_again(&exchange, &lease.item, &harvest.notes(), held.as_ref()));
        let of_both = (before.as_ref(), page.as_ref());
        harvest.found.visit = self.desk.lines.0.visits.after(&lease.item, &exchange, &harvest, of_both);
        note_visit(&mut record, harvest.found.visit.as_deref(), self.desk.lines.0.recrawl.get());
        if let Some(recrawl) = self.desk.lines.0.recrawl.get() {
            let links = links_of(before.as_ref(), &harvest.rows);
            harvest.found.sighting = harvest.found.visit.as_deref().map(|visit| Box::new(sighting(visit, &links)));
            recrawl.tell_links(lease.item.url.fingerprint(), links);
        }
        let spent = self.desk.clock.now().since(started);
        self.desk.lines.0.metrics.worker.busy_seconds.add(spent);
        if let Some(observer) = self.observer.as_ref().filter(|_| harvest.fate != Fate::NotModified) {
            // Before the lease ends, so that no more wait here than there are leases.
            let generation = harvest.found.generation;
            observer.show(Seen { observation: observation(&lease.item, &mut harvest), generation });
        }
        let PageResult { fate, found, exported, .. } = harvest;
        self.write(lease, Some(received), (fate, found), Writing { page, record: Some(record), links: exported });
    }

    /// A page that makes the parser panic costs only its links.
    fn harvest_contained(&mut self, item: &ScheduledUrl, exchange: &Exchange) -> PageResult {
        let processor = &mut self.processor;
        catch_unwind(AssertUnwindSafe(|| processor.page(item, exchange))).unwrap_or_else(|_| {
            tracing::error!(url = item.url.as_str(), "the parser panicked; the page's links are lost");
            self.desk.lines.0.metrics.parse.stage.dropped.by("panic").inc();
            self.processor.reset();
            PageResult::of(Fate::Failed(Failure::Internal))
        })
    }

    fn refused(&mut self, lease: Lease, fate: Fate) {
        let record = page_record(&lease, None, fate, None);
        let found = LinksFound::default();
        self.write(lease, None, (fate, found), Writing { page: None, record: Some(record), links: None });
    }

    /// Hands an outcome to the writer, and from there to the frontier.
    fn write(&self, lease: Lease, received: Option<u64>, (fate, found): (Fate, LinksFound), writing: Writing) {
        let desk = Arc::clone(&self.desk);
        self.hand_to_writer(writing, move |written| {
            if written {
                let outcome = Outcome::Final(fate);
                desk.lines.0.to_frontier(LeaseEnded { lease, outcome, received, found });
            } else {
                // What could not be written was not done: the URL waits again, and what it led to is kept.
                let outcome = Outcome::Retry(desk.clock.now());
                if !desk.write_failed.swap(true, Ordering::Relaxed) {
                    tracing::error!("the output cannot be written: the crawl stops");
                }
                desk.lines.0.to_frontier(Control::Stop);
                // What was learnt of the page goes with it.
                desk.lines.0.to_frontier(LinksFound { visit: None, sighting: None, ..found });
                desk.lines.0.to_frontier(LeaseEnded { lease, outcome, received, found: LinksFound::default() });
            }
        });
    }

    fn sitemap(&mut self, sitemap: &Sitemap, permit: OwnedSemaphorePermit) {
        let (mut found, sitemaps) = self.processor.sitemap(sitemap);
        let nesting = sitemap.nesting + 1;
        found.notes = sitemaps.iter().map(|url| Note::SitemapFound(url.clone(), nesting)).collect();
        if is_answer(&sitemap.exchange) {
            found.notes.push(Note::SitemapRead(sitemap.url.as_str().to_owned()));
        }
        self.desk.lines.sitemaps_found(&self.desk.arbiter, sitemaps, nesting);
        found.errands_done = 1;
        self.errand(&sitemap.exchange, found, permit);
    }

    /// Archives what an errand brought, then tells the frontier.
    fn errand(&mut self, exchange: &Exchange, mut found: LinksFound, permit: OwnedSemaphorePermit) {
        found.own_requests = 1;
        found.own_bytes = exchange.result.as_ref().map_or(0, |answer| answer.body.len() as u64);
        let item = ScheduledUrl::errand(exchange.url.clone());
        let page = self.encoder.as_mut().and_then(|encoder| encoder.encode(exchange, &item, &PageResult::NO_NOTES));
        let desk = Arc::clone(&self.desk);
        self.hand_to_writer(Writing { page, record: None, links: None }, move |_| {
            desk.lines.0.to_frontier(found);
            drop(permit);
        });
    }

    fn hand_to_writer(&self, writing: Writing, done: impl FnOnce(bool) + Send + 'static) {
        let metrics = &self.desk.lines.0.metrics.archive;
        if let Some(record) = &writing.record {
            self.desk.lines.0.live.see(record);
        }
        metrics.stage.received.inc();
        let desk = Arc::clone(&self.desk);
        let done = Box::new(move |result: Result<_, _>| {
            if result.is_ok() {
                desk.lines.0.metrics.archive.stage.sent.inc();
            } else {
                desk.lines.0.metrics.archive.stage.dropped.by("write_error").inc();
            }
            done(result.is_ok());
        });
        let waiting_since = self.desk.clock.now();
        let entry = Entry { page: writing.page, record: writing.record, links: writing.links, done };
        if let Err(entry) = self.desk.sink.write(entry) {
            (entry.done)(Err(Arc::new(harvestman_storage::archive::Error::Stopped(
                "the archive thread is gone".to_owned(),
            ))));
        }
        metrics.queue_length.set(self.desk.sink.queue_length() as u64);
        metrics.queue_bytes.set(self.desk.sink.queue_bytes() as u64);
        self.desk.lines.0.metrics.worker.waiting_seconds.add(self.desk.clock.now().since(waiting_since));
    }
}

/// Whether a server has said what there is, so that another run need not ask again.
fn is_answer(exchange: &Exchange) -> bool {
    exchange
        .result
        .as_ref()
        .is_ok_and(|answer| answer.truncated.is_none() && !Failure::Http(answer.status).is_transient())
}

/// What goes to the files.
struct Writing {
    page: Option<harvestman_storage::archive::EncodedPage>,
    record: Option<PageRecord>,
    links: Option<Vec<u8>>,
}
