//! The set of URLs seen, as a crawl uses it: a Bloom filter, an exact set, or the one in front of the other.
//!
//! **Both** (the default). The exact set decides, under the lock of the fingerprint's shard; the filter is asked and filled under the same
//! lock, so that what it says and what the exact set holds belong together (invariant DED-1). What it calls new is added without
//! reading the disk; what it calls known is looked up: then it is known, or it is a false positive, which is counted and lost to
//! nobody. While all is in memory the filter saves nothing; on disk it saves each new URL a read of every run.
//!
//! **The filter alone** loses the new URLs that it takes for known ones. How many, is expected by how full it is, and measured by a
//! sample that is kept exactly.
//!
//! **Disk errors** lose nothing either. What cannot be written stays in memory and is tried again now and then; at twice the budget the
//! set asks the crawl to end. Where a run cannot be read nobody knows whether a URL is in it: it is called new, which at worst costs
//! one more request, is kept in memory, and the crawl is asked to end at once.

mod audit;
mod exact;
mod fingerprints;
mod shard;
mod stats;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use audit::{Audit, HELD_MAX};
use exact::ExactSet;
pub use stats::{BloomStats, DedupStats, Estimate, FalsePositives};

use super::{BloomOptions, BloomSet, DiskError};
use harvestman_core::config::{DedupOptions, DedupStore};
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;

/// Locks of the filter at most: more than any number of workers that would meet in one. A small filter has fewer.
const BLOOM_SHARDS_MAX: u64 = 64;
/// URLs planned for a lock at least, so that a filter need not be larger than it must be.
const URLS_A_LOCK: u64 = 1_000;

/// A concurrent set of the URLs seen.
pub struct SeenUrls(Store);

enum Store {
    Both {
        bloom: BloomSet,
        exact: ExactSet,
        /// New URLs that the filter took for known ones.
        confirmed: AtomicU64,
    },
    Bloom {
        bloom: BloomSet,
        audit: Audit,
    },
    Exact(ExactSet),
}

impl SeenUrls {
    /// An empty set. `directory` is where the exact set may keep what is too much for its memory; it is made when that is so. Without
    /// one, all stays in memory.
    pub fn new(options: &DedupOptions, directory: Option<PathBuf>, seed: Seed) -> Self {
        let bloom = || {
            BloomSet::new(&BloomOptions {
                planned: options.planned,
                false_positives: options.false_positives,
                shards: (options.planned / URLS_A_LOCK).clamp(1, BLOOM_SHARDS_MAX) as usize,
                seed: seed.child("bloom").0,
            })
        };
        let exact = || ExactSet::new(options.memory.as_usize(), directory, seed.child("exact"));
        Self(match options.store {
            DedupStore::BloomExact => Store::Both { bloom: bloom(), exact: exact(), confirmed: AtomicU64::new(0) },
            DedupStore::BloomOnly => Store::Bloom { bloom: bloom(), audit: Audit::new(HELD_MAX, seed.child("audit")) },
            DedupStore::ExactOnly => Store::Exact(exact()),
        })
    }

    /// Adds a URL; true if it was new. Of several callers with the same new URL exactly one is told so (invariant DED-1); with
    /// `bloom-only` it may be none.
    pub fn insert(&self, url: Fingerprint) -> bool {
        match &self.0 {
            Store::Both { bloom, exact, confirmed } => confirm(url, exact, confirmed, &|url| bloom.insert(url)),
            Store::Bloom { bloom, audit } => {
                let mut sample = audit.sample_of(&[url]);
                let new = bloom.insert(url);
                if let Some(sample) = &mut sample {
                    audit.note(sample, url, new);
                }
                new
            }
            Store::Exact(exact) => exact.insert(url, &mut |_| false),
        }
    }

    /// Adds the URLs of a page in their order; says into `new`, which is emptied first, which ones were new. For
    /// `bloom-only` a little quicker than one by one, as the filter waits for memory once for all of them; else about the same.
    pub fn insert_all(&self, urls: &[Fingerprint], new: &mut Vec<bool>) {
        match &self.0 {
            Store::Both { bloom, exact, confirmed } if exact.is_on_disk() => {
                bloom.contains_all(urls, new);
                for (url, answer) in urls.iter().zip(new) {
                    // What the filter holds it will hold; what it did not hold may have come meanwhile.
                    let held = *answer;
                    let asked = |any| !(held && any == *url) && bloom.insert(any);
                    *answer = confirm(*url, exact, confirmed, &asked);
                }
            }
            Store::Both { .. } => {
                new.clear();
                new.extend(urls.iter().map(|url| self.insert(*url)));
            }
            Store::Bloom { bloom, audit } => {
                let mut sample = audit.sample_of(urls);
                bloom.insert_all(urls, new);
                if let Some(sample) = &mut sample {
                    urls.iter().zip(new).for_each(|(url, new)| audit.note(sample, *url, *new));
                }
            }
            Store::Exact(exact) => {
                new.clear();
                new.extend(urls.iter().map(|url| exact.insert(*url, &mut |_| false)));
            }
        }
    }

    /// Whether a URL is there.
    pub fn contains(&self, url: Fingerprint) -> bool {
        match &self.0 {
            Store::Both { bloom, exact, .. } => exact.contains(url, |url| bloom.contains(url)),
            Store::Bloom { bloom, audit } => {
                let mut sample = audit.sample_of(&[url]);
                let known = bloom.contains(url);
                if let Some(sample) = &mut sample
                    && known
                {
                    // Where it never was offered, it is lost from now on.
                    audit.note(sample, url, false);
                }
                known
            }
            Store::Exact(exact) => exact.contains(url, |_| true),
        }
    }

    /// How many were new.
    pub fn len(&self) -> u64 {
        match &self.0 {
            Store::Both { exact, .. } | Store::Exact(exact) => exact.len(),
            Store::Bloom { bloom, .. } => bloom.len(),
        }
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it has cost so far, and where it was wrong. Takes about a millisecond, and waits for no disk.
    pub fn figures(&self) -> DedupStats {
        let (store, memory_bytes, false_positives, wrongly_dropped) = match &self.0 {
            Store::Both { bloom, confirmed, .. } => {
                let measured = Estimate::exact(confirmed.load(Ordering::Relaxed));
                let mistakes = FalsePositives { expected: bloom.expected_false_positives(), measured };
                (DedupStore::BloomExact, bloom.memory_bytes(), Some(mistakes), FalsePositives::default())
            }
            Store::Bloom { bloom, audit } => {
                let mistakes = FalsePositives { expected: bloom.expected_false_positives(), measured: audit.lost() };
                (DedupStore::BloomOnly, bloom.memory_bytes() + audit.memory_bytes(), Some(mistakes), mistakes)
            }
            Store::Exact(_) => (DedupStore::ExactOnly, 0, None, FalsePositives::default()),
        };
        let (exact_bytes, disk_bytes) = self.exact().map_or((0, 0), ExactSet::bytes);
        let memory_bytes = memory_bytes + exact_bytes;
        let bloom = self
            .bloom()
            .map(|bloom| BloomStats { fill: bloom.expected_fill(), error: bloom.expected_false_positive_rate() });
        DedupStats { store, urls: self.len(), memory_bytes, disk_bytes, bloom, false_positives, wrongly_dropped }
    }

    const fn bloom(&self) -> Option<&BloomSet> {
        match &self.0 {
            Store::Both { bloom, .. } | Store::Bloom { bloom, .. } => Some(bloom),
            Store::Exact(_) => None,
        }
    }

    /// The first thing that went wrong with the disk. Nothing is lost by it.
    pub fn trouble(&self) -> Option<&DiskError> {
        self.exact()?.trouble()
    }

    /// Whether the crawl has to end, because the disk fails and memory is used up, or because the disk cannot be read. What is
    /// offered until it has ended is still kept.
    pub fn must_end(&self) -> bool {
        self.exact().is_some_and(ExactSet::must_end)
    }

    /// Ends the set and removes its files, which are of no use without what was in memory.
    pub fn remove(self) -> Result<(), DiskError> {
        match self.0 {
            Store::Both { exact, .. } | Store::Exact(exact) => exact.remove(),
            Store::Bloom { .. } => Ok(()),
        }
    }

    const fn exact(&self) -> Option<&ExactSet> {
        match &self.0 {
            Store::Both { exact, .. } | Store::Exact(exact) => Some(exact),
            Store::Bloom { .. } => None,
        }
    }
}

/// Adds a URL to the exact set, before whose disk a filter stands: `offer` takes a URL into that and says whether it is new for certain. All
/// that are new and that the filter takes for known are counted.
fn confirm(url: Fingerprint, exact: &ExactSet, confirmed: &AtomicU64, offer: &dyn Fn(Fingerprint) -> bool) -> bool {
    let (mut mistaken, mut sure) = (0, true);
    let new = exact.insert(url, &mut |any| {
        let certain = offer(any);
        if any == url {
            sure = certain;
        } else {
            // It goes to the disk, where it is new.
            mistaken += u64::from(!certain);
        }
        certain
    });
    mistaken += u64::from(new && !sure);
    if mistaken > 0 {
        confirmed.fetch_add(mistaken, Ordering::Relaxed);
    }
    new
}
