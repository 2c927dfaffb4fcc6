//! The stores of seen URLs over which orders are compared.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use harvestman_core::clock::Stopwatch;
use harvestman_core::url::Fingerprint;
use harvestman_storage::dedup::{BloomOptions, BloomSet, DiskError, DiskOptions, DiskSet};

/// The kind of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreKind {
    /// A Bloom filter in memory with one false positive per thousand new URLs.
    Bloom,
    /// The same, with an exact set on disk that is consulted wherever the filter reports a known URL.
    BloomExact,
    /// An exact set on disk that is consulted for every URL, as in the paper.
    ExactDisk,
}

impl StoreKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Bloom, Self::BloomExact, Self::ExactDisk];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bloom => "bloom",
            Self::BloomExact => "bloom+exact",
            Self::ExactDisk => "exact-disk",
        }
    }
}

impl fmt::Display for StoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for StoreKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| format!("unknown store {name}; expected one of {names}"))
    }
}

/// A store filled with earlier URLs.
pub struct Store {
    bloom: Option<BloomSet>,
    exact: Option<DiskSet>,
    /// Fingerprints to look up in the exact set, and the results.
    unsure: (Vec<usize>, Vec<Fingerprint>, Vec<bool>),
    /// Average time to add a new URL, including writing and merging, over the URLs that it was filled with.
    written: Duration,
    _directory: TempDir,
}

/// Memory of the exact set in bytes.
pub const EXACT_MEMORY: usize = 64 << 20;
/// The false positive rate of the Bloom filter.
const FALSE_POSITIVES: f64 = 0.001;
/// Batch size of the initial fill.
const BATCH: u64 = 4_096;

impl Store {
    /// Creates a store that holds `seen` made-up URLs. Its exact set may use `memory` bytes and is in a temporary
    /// directory, which is removed with the store.
    ///
    /// # Errors
    /// The disk cannot be written to.
    pub fn filled(kind: StoreKind, seen: u64, memory: usize) -> Result<Self, DiskError> {
        let made = |source| DiskError::File { action: "make a folder in", path: std::env::temp_dir(), source };
        let directory = tempfile::tempdir().map_err(made)?;
        // Room for the crawl too, so that no new layer is created during it.
        let planned = 2 * seen.max(1 << 20);
        let bloom = BloomOptions { planned, false_positives: FALSE_POSITIVES, shards: 16, seed: 1 };
        let options = DiskOptions { memory, ..DiskOptions::default() };
        let exact = || DiskSet::create(&directory.path().join("seen"), &options);
        let mut store = Self {
            bloom: (kind != StoreKind::ExactDisk).then(|| BloomSet::new(&bloom)),
            exact: if kind == StoreKind::Bloom { None } else { Some(exact()?) },
            unsure: Default::default(),
            written: Duration::ZERO,
            _directory: directory,
        };
        let mut watch = Stopwatch::start();
        store.fill(seen)?;
        store.written = watch.lap() / u32::try_from(seen.max(1)).unwrap_or(u32::MAX);
        Ok(store)
    }

    /// Returns the average time in which the exact set writes a new URL to disk. It writes hundreds of thousands at
    /// once, so charging the whole time to the URL that triggers the write, and none to the others, would be wrong.
    pub fn written(&self) -> Duration {
        if self.exact.is_some() { self.written } else { Duration::ZERO }
    }

    fn fill(&mut self, seen: u64) -> Result<(), DiskError> {
        let mut new = Vec::new();
        for from in (0..seen).step_by(BATCH as usize) {
            let numbers = from..(from + BATCH).min(seen);
            let batch: Vec<_> = numbers.map(|n| Fingerprint(xxh3_128_with_seed(&n.to_le_bytes(), 7))).collect();
            if let Some(bloom) = &self.bloom {
                bloom.insert_all(&batch, &mut new);
            }
            if let Some(exact) = &mut self.exact {
                batch.iter().try_for_each(|fingerprint| exact.add(*fingerprint))?;
            }
        }
        // The table begins empty, and the crawl of a recording does not fill it.
        self.exact.as_mut().map_or(Ok(()), DiskSet::flush)
    }

    /// Determines whether each fingerprint is present.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn contains_all(&self, fingerprints: &[Fingerprint], known: &mut Vec<bool>) -> Result<(), DiskError> {
        known.clear();
        for fingerprint in fingerprints {
            let perhaps = self.bloom.as_ref().is_none_or(|bloom| bloom.contains(*fingerprint));
            known.push(match &self.exact {
                Some(exact) if perhaps => exact.contains(*fingerprint)?,
                _ => perhaps,
            });
        }
        Ok(())
    }

    /// Adds fingerprints and determines whether each was new.
    ///
    /// # Errors
    /// The disk cannot be read or written.
    pub fn insert_all(&mut self, fingerprints: &[Fingerprint], new: &mut Vec<bool>) -> Result<(), DiskError> {
        match (&self.bloom, &mut self.exact) {
            (Some(bloom), None) => {
                bloom.insert_all(fingerprints, new);
                Ok(())
            }
            (None, Some(exact)) => exact.insert_all(fingerprints, new),
            (Some(bloom), Some(exact)) => {
                bloom.insert_all(fingerprints, new);
                let (places, asked, answers) = &mut self.unsure;
                places.clear();
                asked.clear();
                for (at, fingerprint) in fingerprints.iter().enumerate() {
                    if new[at] {
                        exact.add(*fingerprint)?;
                    } else {
                        places.push(at);
                        asked.push(*fingerprint);
                    }
                }
                exact.insert_all(asked, answers)?;
                places.iter().zip(answers).for_each(|(at, answer)| new[*at] = *answer);
                Ok(())
            }
            (None, None) => {
                new.clear();
                new.resize(fingerprints.len(), true);
                Ok(())
            }
        }
    }

    /// Returns the bytes in memory.
    pub fn memory_bytes(&self) -> u64 {
        let exact = self.exact.as_ref().map_or(0, DiskSet::memory_bytes) as u64;
        self.bloom.as_ref().map_or(0, BloomSet::memory_bytes) + exact
    }

    /// Returns the bytes on disk.
    pub fn disk_bytes(&self) -> u64 {
        self.exact.as_ref().map_or(0, DiskSet::disk_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(numbers: &[u32]) -> Vec<Fingerprint> {
        numbers.iter().map(|n| Fingerprint::of(&format!("http://h.test/{n}"))).collect()
    }

    #[test]
    fn every_store_answers_as_a_set_does() {
        for kind in StoreKind::ALL {
            let mut store = Store::filled(kind, 1_000, 1 << 20).unwrap();
            let (mut new, mut known) = (Vec::new(), Vec::new());
            store.insert_all(&urls(&[1, 2, 1]), &mut new).unwrap();
            assert_eq!(new, [true, true, false], "{kind}");
            store.insert_all(&urls(&[2, 3]), &mut new).unwrap();
            assert_eq!(new, [false, true], "{kind}");
            store.contains_all(&urls(&[3, 4, 1]), &mut known).unwrap();
            assert_eq!(known, [true, false, true], "{kind}");
            assert_eq!(
                (store.disk_bytes() > 0, store.written() > Duration::ZERO),
                (kind != StoreKind::Bloom, kind != StoreKind::Bloom)
            );
            assert!(store.memory_bytes() > 0);
        }
    }

    #[test]
    fn stores_are_read_as_they_are_written() {
        for kind in StoreKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!(
            "tape".parse::<StoreKind>().unwrap_err(),
            "unknown store tape; expected one of bloom, bloom+exact, exact-disk"
        );
    }
}
