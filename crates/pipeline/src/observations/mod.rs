//! The observations of a policy, in the crawl directory, so that a resumed crawl can replay them: a policy depends on
//! nothing but its observations, so a replay restores it exactly.
//!
//! Observations are written in blocks, each with its length and a checksum, to segments: files of a few thousand. Each
//! run begins a segment of its own, so that nothing is written behind a torn end. The first observations are retained
//! permanently, since templates and patterns are learned from them and clusters get their names from them; of the
//! others the latest are retained.

mod block;
mod segments;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use block::{BlockBuilder, Head, MAGIC};
use segments::{KEPT_FIRST, KEPT_MAX, Segment, to_drop};

use harvestman_core::clock::Instant;
use harvestman_core::config::{Config, PolicyKind};
use harvestman_core::crawl_file;
use harvestman_core::model::ClusterId;
use harvestman_policy::Observation;

/// The segments, in the crawl directory.
pub(super) const OBSERVATIONS_DIRECTORY: &str = "observations";
/// The number of observations per segment.
const SEGMENT: u64 = 4_096;
/// The maximum number of observations that are written together.
const BLOCK: u64 = 64;
/// The interval at which the log is synced to disk.
const SYNC_EVERY: Duration = Duration::from_secs(2);

/// What the knowledge of a policy depends on besides its observations: with other settings it learns from scratch.
pub(super) fn key(config: &Config) -> u64 {
    let policy = &config.policy;
    // Earlier versions named the variant of the policy here and how page types are told apart; their crawls go on.
    // Their `cluster-graph` kept other observations than are needed now.
    let form = if config.crawl.policy == PolicyKind::ClusterGraph { "Learned" } else { "Default Url" };
    let text = format!(
        "{:?} {form} {:?} {:?} {:?} {:?} {:?} {} {}",
        config.crawl.policy,
        policy.example.0,
        policy.want,
        policy.worth,
        policy.topic,
        policy.model,
        config.crawl.seed,
        config.filter.trap_guard
    );
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

/// What was restored.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Recalled {
    /// The number of observations.
    pub(super) observations: u64,
    /// The number of segments that were removed: with other settings, another format, or a torn head.
    pub(super) spoilt: u64,
}

/// What the log of an earlier run holds.
#[derive(Debug)]
pub(super) enum ObservationEvent {
    /// An observation, with the cluster of its page.
    Observed(Box<Observation>, ClusterId),
    /// A run ended here, and another began: a policy may decide something then, such as not to wait any longer.
    RunEnded,
}

/// The log of observations.
pub(super) struct ObservationLog {
    directory: PathBuf,
    key: u64,
    segments: Vec<Segment>,
    /// The file of the last segment, while it is written.
    file: Option<File>,
    /// Observations that are not written yet.
    pending: BlockBuilder,
    synced: Instant,
}

impl ObservationLog {
    /// Opens the log of a crawl directory. What earlier runs left is read first: each observation, and each beginning
    /// of another run, is passed to `show` in order. Unreadable observations are skipped.
    pub(super) fn open(
        directory: &Path,
        key: u64,
        mut show: impl FnMut(ObservationEvent),
    ) -> io::Result<(Self, Recalled)> {
        let directory = directory.join(OBSERVATIONS_DIRECTORY);
        fs::create_dir_all(&directory)?;
        let (mut recalled, mut segments) = (Recalled::default(), Vec::<Segment>::new());
        for number in segments::numbers(&directory)? {
            let bytes = crawl_file::read(&directory.join(segments::name(number)))?;
            // Within a run, a segment follows only one that is full.
            if segments.last().is_some_and(|last| last.count < SEGMENT) {
                show(ObservationEvent::RunEnded);
            }
            match block::read(&bytes, key, &mut |seen, cluster| {
                show(ObservationEvent::Observed(Box::new(seen), cluster))
            }) {
                Some(count) => {
                    segments.push(Segment { number, count });
                    recalled.observations += count;
                }
                None => {
                    fs::remove_file(directory.join(segments::name(number)))?;
                    recalled.spoilt += 1;
                }
            }
        }
        let (pending, synced) = (BlockBuilder::new()?, Instant::EPOCH);
        Ok((Self { directory, key, segments, file: None, pending, synced }, recalled))
    }

    /// Encodes an observation with the cluster of its page. It is not part of the log before
    /// [`ObservationLog::add_draft`]: one that makes the policy panic is not to be replayed.
    pub(super) fn draft(&mut self, seen: &Observation, cluster: ClusterId) {
        self.pending.draft(seen, cluster);
    }

    /// Adds the observation that was drafted last.
    pub(super) fn add_draft(&mut self) -> io::Result<()> {
        self.pending.add_draft();
        if self.pending.count() < BLOCK { Ok(()) } else { self.write() }
    }

    /// Writes pending observations; syncs them to disk at intervals, or `at_once`.
    pub(super) fn flush(&mut self, now: Instant, at_once: bool) -> io::Result<()> {
        self.write()?;
        if let Some(file) = &self.file
            && (at_once || now.since(self.synced) >= SYNC_EVERY)
        {
            file.sync_data()?;
            self.synced = now;
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        if self.pending.count() == 0 {
            return Ok(());
        }
        if self.file.is_none() || self.segments.last().is_none_or(|last| last.count >= SEGMENT) {
            self.begin()?;
        }
        if let (Some(file), Some(segment)) = (&mut self.file, self.segments.last_mut()) {
            let block = self.pending.finish()?;
            file.write_all(&block.head)?;
            file.write_all(block.packed)?;
            segment.count += block.count;
        }
        while let Some(at) = to_drop(&self.segments, KEPT_FIRST, KEPT_MAX) {
            let dropped = self.segments.remove(at);
            fs::remove_file(self.directory.join(segments::name(dropped.number)))?;
        }
        Ok(())
    }

    /// Begins a segment.
    fn begin(&mut self) -> io::Result<()> {
        let number = self.segments.last().map_or(0, |last| last.number + 1);
        let mut file = crawl_file::create(&self.directory.join(segments::name(number)))?;
        file.write_all(&Head { magic: MAGIC, key: self.key }.bytes())?;
        self.file = Some(file);
        self.segments.push(Segment { number, count: 0 });
        Ok(())
    }
}

/// Reads the log of a crawl directory and leaves it as it is; otherwise like [`ObservationLog::open`]. Segments that
/// cannot be read count as spoilt.
pub(super) fn replay(directory: &Path, key: u64, mut show: impl FnMut(Observation, ClusterId)) -> io::Result<Recalled> {
    let directory = directory.join(OBSERVATIONS_DIRECTORY);
    let mut recalled = Recalled::default();
    let numbers = match segments::numbers(&directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(recalled),
        numbers => numbers?,
    };
    for number in numbers {
        match block::read(&crawl_file::read(&directory.join(segments::name(number)))?, key, &mut show) {
            Some(count) => recalled.observations += count,
            None => recalled.spoilt += 1,
        }
    }
    Ok(recalled)
}
