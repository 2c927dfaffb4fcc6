//! Settings of dedup.

use serde::{Deserialize, Serialize};

use super::ByteSize;

/// The most URLs that may be planned for: they take 22 GB.
pub(super) const PLANNED_MAX: u64 = 10_000_000_000;
/// The rates that a Bloom filter can be made for.
pub(super) const RATES: (f64, f64) = (1e-7, 0.5);
/// The least memory of the exact set that is worth a file.
pub(super) const BYTES_MIN: ByteSize = ByteSize::mib(1);

crate::options! {
    /// The set of URLs seen: which links lead to URLs that are known already.
    pub struct DedupOptions in "dedup" {
        /// What keeps the URLs: `bloom-exact` is an exact set, before whose disk, once it has outgrown its memory, stands a Bloom filter: nothing
        /// is lost and few look-ups read the disk; `exact-only` is the exact set alone; `bloom-only` keeps about 3 bytes a URL
        /// instead of 22 and wrongly drops a few new URLs, which the report counts.
        store: DedupStore = DedupStore::BloomExact,
        /// URLs that the Bloom filter is planned for; it grows when more come. Raising it takes 2.2 bytes of memory for each
        /// URL at once; too low a number makes look-ups slower, by one more cache miss each time that the number doubles.
        planned: u64 = 1_000_000,
        /// The share of new URLs that the Bloom filter may take for known ones, however many come. With `bloom-only` it is the
        /// share that is lost. Lowering it to a tenth takes about 0.9 bytes more for a URL.
        false_positives: f64 = 0.001,
        /// Memory of the exact set: 20 to 25 bytes a URL. Beyond it the URLs go to disk, 16 bytes each, below the crawl
        /// directory. Raising it puts off that moment; afterwards it means fewer and longer strokes of the disk. It is taken only
        /// as URLs come.
        memory: ByteSize = ByteSize::mib(512),
    }
}

/// What keeps the URLs seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DedupStore {
    /// A Bloom filter, whose positives an exact set confirms.
    #[default]
    BloomExact,
    /// A Bloom filter alone.
    BloomOnly,
    /// An exact set alone.
    ExactOnly,
}

impl DedupStore {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::BloomExact, Self::BloomOnly, Self::ExactOnly];

    /// Its name in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BloomExact => "bloom-exact",
            Self::BloomOnly => "bloom-only",
            Self::ExactOnly => "exact-only",
        }
    }
}
