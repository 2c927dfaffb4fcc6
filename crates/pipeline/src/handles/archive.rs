//! The handle to the archive.

use std::sync::Arc;

use harvestman_core::clock::Clock;
use harvestman_core::model::PageRecord;
use harvestman_metrics::Metrics;
use harvestman_storage::archive::{ArchiveEntry, ArchiveSink, EncodedPage, Error};

/// What is written for one outcome.
pub(crate) struct Writing {
    pub(crate) page: Option<EncodedPage>,
    pub(crate) record: Option<PageRecord>,
    pub(crate) links: Option<Vec<u8>>,
}

/// The archive's queue, with what is counted around it.
#[derive(Clone)]
pub(crate) struct ArchiveHandle {
    sink: ArchiveSink,
    clock: Clock,
    metrics: Metrics,
}

impl ArchiveHandle {
    pub(crate) const fn new(sink: ArchiveSink, clock: Clock, metrics: Metrics) -> Self {
        Self { sink, clock, metrics }
    }

    /// Sends an outcome to the writer; blocks while its queue is full. `done` is called with true once it is written,
    /// or with false if it cannot be.
    pub(crate) fn write(&self, writing: Writing, done: impl FnOnce(bool) + Send + 'static) {
        let metrics = &self.metrics.archive;
        metrics.stage.received.inc();
        let counted = Arc::clone(metrics);
        let done = Box::new(move |result: Result<_, _>| {
            if result.is_ok() {
                counted.stage.sent.inc();
            } else {
                counted.stage.dropped.by("write_error").inc();
            }
            done(result.is_ok());
        });
        let waiting_since = self.clock.now();
        let entry = ArchiveEntry { page: writing.page, record: writing.record, links: writing.links, done };
        if let Err(entry) = self.sink.write(entry) {
            (entry.done)(Err(Arc::new(Error::Stopped("the archive thread is gone".to_owned()))));
        }
        metrics.queue_length.set(self.sink.queue_length() as u64);
        metrics.queue_bytes.set(self.sink.queue_bytes() as u64);
        self.metrics.worker.waiting_seconds.add(self.clock.now().since(waiting_since));
    }
}
