//! Settings of URL dedup.

use serde::{Deserialize, Serialize};

use super::ByteSize;

/// Maximum number of URLs that may be planned for: they take 22 GB.
pub(super) const PLANNED_MAX: u64 = 10_000_000_000;
/// The false-positive rates that a Bloom filter can be built for.
pub(super) const RATES: (f64, f64) = (1e-7, 0.5);
/// Minimum memory of the exact set that is worth a file.
pub(super) const BYTES_MIN: ByteSize = ByteSize::mib(1);

crate::options! {
    /// The set of URLs seen: which links lead to URLs that are already known.
    pub struct DedupOptions in "dedup" {
        /// The store of the URLs. `bloom-exact` is an exact set with a Bloom filter in front of its disk, once it has
        /// outgrown its memory: nothing is lost and few look-ups read the disk. `exact-only` is the exact set alone.
        /// `bloom-only` stores about 3 bytes per URL instead of 22 and wrongly drops a few new URLs, which the report
        /// counts.
        store: DedupStore = DedupStore::BloomExact,
        /// Number of URLs that the Bloom filter is sized for; it grows when there are more. Raising it takes 2.2 bytes
        /// of memory per URL at once; too low a number makes look-ups slower, by one more cache miss each time that the
        /// number of URLs doubles.
        planned: u64 = 1_000_000,
        /// The share of new URLs that the Bloom filter may take for known ones, for any number of URLs. With
        /// `bloom-only` it is the share that is lost. Lowering it to a tenth takes about 0.9 bytes more per URL.
        false_positives: f64 = 0.001,
        /// Memory of the exact set: 20 to 25 bytes per URL. Beyond it the URLs go to disk, 16 bytes each, in the crawl
        /// directory. Raising it delays that; afterwards it means fewer and longer disk writes. The memory is allocated
        /// only as URLs come.
        memory: ByteSize = ByteSize::mib(512),
    }
}

/// The store of the URLs seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DedupStore {
    /// A Bloom filter whose positives are confirmed by an exact set.
    #[default]
    BloomExact,
    /// A Bloom filter alone.
    BloomOnly,
    /// An exact set alone.
    ExactOnly,
}

impl DedupStore {
    /// All stores.
    pub const ALL: [Self; 3] = [Self::BloomExact, Self::BloomOnly, Self::ExactOnly];

    /// Returns its name in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BloomExact => "bloom-exact",
            Self::BloomOnly => "bloom-only",
            Self::ExactOnly => "exact-only",
        }
    }
}
