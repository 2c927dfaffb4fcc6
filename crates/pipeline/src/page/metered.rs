//! Counts what the archive's thread writes and how long it takes.

use std::sync::Arc;

use harvestman_core::clock::{Clock, Instant};
use harvestman_core::config::archive::ArchiveOptions;
use harvestman_metrics::ArchiveMetrics;
use harvestman_storage::archive::{ArchiveEntry, ArchiveOutput, ArchiveTotals, Error, RecordLocation};

/// An output that counts what it passes on to another.
pub(crate) struct Metered {
    output: Box<dyn ArchiveOutput>,
    /// The file that was written to last.
    file: Option<Arc<str>>,
    options: ArchiveOptions,
    clock: Clock,
    metrics: Arc<ArchiveMetrics>,
}

impl Metered {
    pub(crate) fn new(
        output: Box<dyn ArchiveOutput>,
        options: &ArchiveOptions,
        clock: Clock,
        metrics: Arc<ArchiveMetrics>,
    ) -> Self {
        Self { output, file: None, options: options.clone(), clock, metrics }
    }

    fn count(&mut self, entry: &ArchiveEntry, position: &RecordLocation) {
        if self.file.as_deref() != Some(&*position.file) {
            self.file = Some(Arc::clone(&position.file));
            self.metrics.files.inc();
            self.metrics.records.by("warcinfo").inc();
        }
        let Some(page) = &entry.page else { return };
        let records = &self.metrics.records;
        if !page.is_unkept {
            records.by(if page.revisit { "revisit" } else { "response" }).inc();
            records.by("request").add(u64::from(self.options.request_records));
        }
        records.by("metadata").add(u64::from(self.options.metadata_records));
        self.metrics.written_bytes.add(page.bytes.len() as u64);
    }
}

impl ArchiveOutput for Metered {
    fn write(&mut self, entry: &mut ArchiveEntry, now: Instant) -> Result<Option<RecordLocation>, Error> {
        let began = self.clock.now();
        let position = self.output.write(entry, now)?;
        self.metrics.busy_seconds.add(self.clock.now().since(began));
        if let Some(position) = &position {
            self.count(entry, position);
        }
        Ok(position)
    }

    fn sync(&mut self) -> Result<(), Error> {
        let began = self.clock.now();
        self.output.sync()?;
        let spent = self.clock.now().since(began);
        self.metrics.busy_seconds.add(spent);
        self.metrics.sync_seconds.observe(spent);
        Ok(())
    }

    fn housekeep(&mut self, now: Instant) -> Result<(), Error> {
        self.output.housekeep(now)
    }

    fn release_reserve(&mut self) {
        self.output.release_reserve();
    }

    fn finish(self: Box<Self>) -> Result<ArchiveTotals, Error> {
        self.output.finish()
    }
}
