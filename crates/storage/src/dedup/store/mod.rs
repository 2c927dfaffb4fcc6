//! The set of URLs seen, as a crawl uses it: a Bloom filter, an exact set, or a Bloom filter in front of an exact set.
//!
//! **Both** (the default). The exact set decides, under the lock of the fingerprint's shard. The filter is queried and
//! updated under the same lock, so that its answer and the exact set are consistent (invariant DED-1). A fingerprint
//! that the filter reports as new is added without reading the disk. One that it reports as known is looked up: either
//! it is known, or it is a false positive, which is counted and not lost. While everything is in memory the filter
//! saves nothing; on disk it saves each new URL a read of every run.
//!
//! **The filter alone** loses the new URLs that it reports as known. Their number is estimated from the filter's fill,
//! and measured with an exact sample.
//!
//! **Disk errors** lose nothing either. Fingerprints that cannot be written stay in memory, and the write is retried
//! from time to time; at twice the memory budget the set requests the end of the crawl. If a run cannot be read, it is
//! unknown whether a URL is in it. The URL is then reported as new, which costs at most one more request, stays in
//! memory, and the set requests the end of the crawl immediately.

mod exact;
mod fingerprints;
mod stats;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{BloomOptions, BloomSet, DiskError};
use exact::ExactSet;
use harvestman_core::config::{DedupOptions, DedupStore};
use harvestman_core::seed::Seed;
use harvestman_core::url::Fingerprint;
use stats::{Audit, HELD_MAX};

pub use stats::{BloomStats, DedupStats, Estimate, FalsePositives};

/// Maximum number of locks of the filter; enough that workers rarely contend for the same lock. A small filter has
/// fewer.
const BLOOM_SHARDS_MAX: u64 = 64;
/// Minimum number of planned URLs per lock, so that the filter is not larger than necessary.
const URLS_A_LOCK: u64 = 1_000;

/// A concurrent set of the URLs seen.
pub struct SeenUrls(Store);

enum Store {
    Both {
        bloom: BloomSet,
        exact: ExactSet,
        /// Number of new URLs that the filter reported as known.
        confirmed: AtomicU64,
    },
    Bloom {
        bloom: BloomSet,
        audit: Audit,
    },
    Exact(ExactSet),
}

impl SeenUrls {
    /// Creates an empty set. The exact set stores fingerprints that exceed its memory in `directory`, which is created
    /// when it is needed. Without a directory everything stays in memory.
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

    /// Adds a URL. Returns `true` if it was new. Of several callers with the same new URL exactly one gets `true`
    /// (invariant DED-1); with `bloom-only` it may be none.
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

    /// Adds the URLs of a page in order. Clears `new` and fills it with whether each URL was new. With `bloom-only`
    /// this is slightly faster than single inserts because the filter overlaps the cache misses of the batch; otherwise
    /// it takes about the same time.
    pub fn insert_all(&self, urls: &[Fingerprint], new: &mut Vec<bool>) {
        match &self.0 {
            Store::Both { bloom, exact, confirmed } if exact.is_on_disk() => {
                bloom.contains_all(urls, new);
                for (url, answer) in urls.iter().zip(new) {
                    // The filter never forgets a fingerprint, but one that was missing may have been added meanwhile.
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

    /// Returns whether a URL is present.
    pub fn contains(&self, url: Fingerprint) -> bool {
        match &self.0 {
            Store::Both { bloom, exact, .. } => exact.contains(url, |url| bloom.contains(url)),
            Store::Bloom { bloom, audit } => {
                let mut sample = audit.sample_of(&[url]);
                let known = bloom.contains(url);
                if let Some(sample) = &mut sample
                    && known
                {
                    // If it was never offered, it is lost from now on.
                    audit.note(sample, url, false);
                }
                known
            }
            Store::Exact(exact) => exact.contains(url, |_| true),
        }
    }

    /// Returns the number of new URLs.
    pub fn len(&self) -> u64 {
        match &self.0 {
            Store::Both { exact, .. } | Store::Exact(exact) => exact.len(),
            Store::Bloom { bloom, .. } => bloom.len(),
        }
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the current statistics. Takes about a millisecond and does not access the disk.
    pub fn stats(&self) -> DedupStats {
        let (store, memory_bytes, false_positives, wrongly_dropped) = match &self.0 {
            Store::Both { bloom, confirmed, .. } => {
                let measured = Estimate::exact(confirmed.load(Ordering::Relaxed));
                let positives = FalsePositives { expected: bloom.expected_false_positives(), measured };
                (DedupStore::BloomExact, bloom.memory_bytes(), Some(positives), FalsePositives::default())
            }
            Store::Bloom { bloom, audit } => {
                let positives = FalsePositives { expected: bloom.expected_false_positives(), measured: audit.lost() };
                (DedupStore::BloomOnly, bloom.memory_bytes() + audit.memory_bytes(), Some(positives), positives)
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

    /// Returns the first disk error. It loses no URLs.
    pub fn error(&self) -> Option<&DiskError> {
        self.exact()?.error()
    }

    /// Returns whether the crawl must end because the disk fails and memory is exhausted, or because the disk cannot be
    /// read. URLs that are offered until the crawl has ended are still stored.
    pub fn must_end(&self) -> bool {
        self.exact().is_some_and(ExactSet::must_end)
    }

    /// Closes the set and removes its files, which are useless without the fingerprints in memory.
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

/// Adds a URL to the exact set behind a filter. `offer` adds a URL to the filter and returns whether it is certainly
/// new. New URLs that the filter reports as known are counted in `confirmed`.
fn confirm(url: Fingerprint, exact: &ExactSet, confirmed: &AtomicU64, offer: &dyn Fn(Fingerprint) -> bool) -> bool {
    let (mut false_positives, mut sure) = (0, true);
    let new = exact.insert(url, &mut |any| {
        let certain = offer(any);
        if any == url {
            sure = certain;
        } else {
            // It is being moved to disk, where it is new.
            false_positives += u64::from(!certain);
        }
        certain
    });
    false_positives += u64::from(new && !sure);
    if false_positives > 0 {
        confirmed.fetch_add(false_positives, Ordering::Relaxed);
    }
    new
}
