//! What a worker works with, and what all its stations do with it.

use std::sync::Arc;
use std::time::Duration;

use crate::extensions::{DeliveredLink, DeliveredPage};
use crate::handles::Writing;
use crate::page::lease_end::LeaseEnd;
use crate::page::page_processor::PageProcessor;
use crate::page::page_record::page_record;
use crate::page::page_result::observation;
use crate::page::worker_context::WorkerContext;
use crate::policy_thread::learning::{ObservationSender, Seen};
use harvestman_core::held_pages::PutBackReason;
use harvestman_core::model::{Answer, Exchange, Fate, FetchedPage, Lease, PageRecord, ScheduledUrl};
use harvestman_stages::frontier::{LeaseEnded, Outcome};
use harvestman_storage::archive::{PageFacts, RecordEncoder};

/// What a worker works with.
pub(crate) struct WorkerTools {
    pub(crate) context: Arc<WorkerContext>,
    pub(crate) processor: PageProcessor,
    /// `None` if the archive is off.
    pub(crate) encoder: Option<RecordEncoder>,
    /// `None` if the policy does not learn.
    pub(crate) observer: Option<ObservationSender>,
}

impl WorkerTools {
    /// Returns a page to the frontier as if it had not been fetched; it waits this long at least.
    pub(crate) fn put_back(&self, FetchedPage { mut lease, exchange }: FetchedPage, pause: Duration) {
        // It was answered: this request takes none of the page's retries.
        lease.item.attempts = lease.item.attempts.saturating_sub(1);
        let received = Some(exchange.body_bytes());
        let outcome = Outcome::Retry(self.context.clock.now() + pause);
        self.context.handles.frontier.send(LeaseEnded { lease, outcome, received });
    }

    /// Archives an answer without a line in the page log.
    pub(crate) fn archive_alone(&mut self, exchange: &Exchange, item: &ScheduledUrl, facts: &PageFacts<'_>) {
        let records = self.encoder.as_mut().and_then(|encoder| encoder.encode(exchange, item, facts));
        if records.is_some() {
            self.context.hand_to_writer(Writing { page: records, record: None, links: None }, |_| {});
        }
    }

    /// Records that a URL is not fetched, or that its answer, of so many bytes, is not taken.
    pub(crate) fn end_refused(&mut self, lease: Lease, fate: Fate, received: Option<u64>) {
        let context = Arc::clone(&self.context);
        let mut record = page_record(&lease, None, fate, None);
        let reasons = [PutBackReason::BlockPage, PutBackReason::GuestView];
        let put_back = context.put_backs.end(&reasons, lease.item.url.fingerprint());
        record.attempts = record.attempts.saturating_add(put_back);
        record.signals = context.consent.refused(&lease);
        let mut result = self.processor.refused(&lease.item, fate);
        if let Some(observer) = self.observer.as_ref().filter(|_| self.processor.awaits(&lease.item, &result)) {
            let hold = Some(context.handles.frontier.hold());
            let observation = observation(&lease.item, &mut result);
            observer.show(Seen { observation, generation: 0, hold });
        }
        let ended = LeaseEnd { lease, received, fate, findings: Box::default() };
        let delivered = self.delivered(&record, None, Vec::new());
        self.deliver(delivered, ended, Writing { page: None, record: Some(record), links: None });
    }

    /// Returns a processed URL for the program that embeds the crawl, if it receives pages.
    pub(crate) fn delivered(
        &self,
        record: &PageRecord,
        exchange: Option<Exchange>,
        links: Vec<DeliveredLink>,
    ) -> Option<DeliveredPage> {
        self.context.followers.receiver.as_ref()?;
        let requested = exchange.as_ref().map(|exchange| exchange.timings.started);
        // The reservation bounds the memory of the crawl, not that of what receives its pages.
        let answer = exchange.and_then(|exchange| exchange.result.ok()).map(|it| Answer { reservation: None, ..it });
        let links = if answer.is_some() { links } else { Vec::new() };
        let decode = self.processor.rules().reading.decode;
        Some(DeliveredPage { record: record.clone(), requested, answer, decode, links })
    }

    /// Delivers a page, if it is to be delivered, and then sends its outcome to the writer.
    pub(crate) fn deliver(&self, page: Option<DeliveredPage>, ended: LeaseEnd, writing: Writing) {
        let context = Arc::clone(&self.context);
        let Some((receiver, page)) = self.context.followers.receiver.as_ref().zip(page) else {
            return ended.write(&context, writing);
        };
        let waiting_since = context.clock.now();
        let then = move |taken| {
            if taken { ended.write(&context, writing) } else { ended.put_back(&context) }
        };
        receiver.receive(page, Box::new(then));
        self.context.metrics.worker.waiting_seconds.add(self.context.clock.now().since(waiting_since));
    }
}
