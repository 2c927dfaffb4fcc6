//! The policy's log: a line for each snapshot that was published, so that any decision can be explained afterwards.

use std::path::Path;

use crate::policy_thread::known_classes::KnownClasses;
use harvestman_core::clock::Instant;
use harvestman_core::config::archive::LineCompression;
use harvestman_core::model::{ModelUpdateRecord, PolicyRecord};
use harvestman_policy::{Observation, PolicySnapshot};
use harvestman_storage::archive::{ArchiveLimits, Error, LineLog};

/// The policy log, in the crawl directory.
const POLICY_LOG: &str = "policy.jsonl";

/// Writes the policy log. After an error nothing more is written, and the crawl continues.
pub(crate) struct Journal {
    log: Option<LineLog>,
    classes: KnownClasses,
    observations: u64,
    generation: Option<u64>,
}

impl Journal {
    /// Opens the log in the crawl directory.
    pub(crate) fn open(directory: &Path) -> Result<Self, Error> {
        let log = LineLog::open(directory, POLICY_LOG, LineCompression::None, ArchiveLimits::default())?;
        Ok(Self { log: Some(log), classes: KnownClasses::default(), observations: 0, generation: None })
    }

    /// Records an observation.
    pub(crate) fn see(&mut self, seen: &Observation) {
        self.observations += 1;
        self.classes.see(seen);
    }

    /// Writes the line of a snapshot.
    pub(crate) fn publish(&mut self, snapshot: &dyn PolicySnapshot, now: Instant) {
        let relearned = self.generation != Some(snapshot.generation());
        if relearned {
            self.classes.reclassify(snapshot);
            self.generation = Some(snapshot.generation());
        }
        let changes = self.classes.changes(snapshot);
        let model_update = relearned
            .then(|| ModelUpdateRecord { site: snapshot.describe(), patterns: self.classes.patterns(snapshot) });
        let record = PolicyRecord {
            snapshot: snapshot.version(),
            time: now.timestamp().to_string(),
            generation: snapshot.generation(),
            observations: self.observations,
            model_update,
            classes: changes.classes,
            left_out: changes.left_out,
        };
        self.write(now, &record);
    }

    fn write(&mut self, now: Instant, record: &PolicyRecord) {
        let Some(log) = &mut self.log else { return };
        let written = log.append(now, |out| {
            serde_json::to_writer(&mut *out, record).expect("a record of plain values is always JSON");
            out.push(b'\n');
        });
        if let Err(error) = written {
            tracing::error!(%error, "the policy's log cannot be written; the crawl continues without it");
            self.log = None;
        }
    }

    /// Writes the lines that still wait.
    pub(crate) fn finish(self) {
        if let Some(Err(error)) = self.log.map(LineLog::finish) {
            tracing::error!(%error, "the end of the policy's log could not be written");
        }
    }
}
