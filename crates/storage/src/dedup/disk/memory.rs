//! The division of a set's memory budget.

use super::header::FINGERPRINT_BYTES;

/// Bytes per page, unless the index would outgrow its share. Smaller pages would not be read faster.
const PAGE_BYTES: usize = 1024;
/// Bytes per read or write.
const BLOCK_BYTES: std::ops::RangeInclusive<usize> = 4096..=1 << 20;

/// The options of a set on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskOptions {
    /// Bytes of memory, independent of the number of fingerprints: 11/16 for fingerprints waiting to be written, 2/16
    /// for reading and writing runs, 3/16 for the index. With less than 1 MiB, the actual use is somewhat higher.
    pub memory: usize,
    /// A run is merged with the younger runs when it has at most `ratio` times as many fingerprints as they have. A
    /// higher ratio means fewer runs to search and more rewriting; `u64::MAX` maintains a single run, as DRUM does. At
    /// least 1.
    pub ratio: u64,
}

impl Default for DiskOptions {
    fn default() -> Self {
        Self { memory: 64 << 20, ratio: 4 }
    }
}

impl DiskOptions {
    /// Returns the bytes for waiting fingerprints.
    pub(super) fn waiting(&self) -> usize {
        self.memory / 16 * 11
    }

    /// Returns the bytes per block when `files` files are read or written concurrently.
    pub(super) fn block(&self, files: usize) -> usize {
        (self.memory / 8 / files.max(1)).clamp(*BLOCK_BYTES.start(), *BLOCK_BYTES.end())
    }

    /// Returns the number of fingerprints per page in a run of `count` fingerprints: 1 KiB of them, doubled until the
    /// index of the run fits into a sixteenth of the memory. (During a merge there are two such indexes, and the
    /// younger runs together are smaller than the oldest.)
    pub(super) fn page(&self, count: u64) -> usize {
        let entries = (self.memory / 16 / size_of::<u128>()).max(1) as u64;
        let least = usize::try_from(count.div_ceil(entries)).unwrap_or(usize::MAX / 4);
        least.next_power_of_two().max(PAGE_BYTES / FINGERPRINT_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_1_kib_until_the_index_would_outgrow_its_share() {
        let options = DiskOptions::default();
        assert_eq!([0, 16_777_216].map(|count| options.page(count)), [64, 64]);
        assert_eq!(options.page(67_108_864), 256);
        assert_eq!(options.page(67_108_865), 512);
        assert_eq!(options.page(10_000_000_000), 65_536);
        assert_eq!(DiskOptions { memory: 0, ratio: 1 }.page(1_000), 1_024);
    }

    #[test]
    fn blocks_share_an_eighth_of_the_memory() {
        let options = DiskOptions { memory: 8 << 20, ratio: 4 };
        assert_eq!([0, 1, 4, 1_000].map(|files| options.block(files)), [1 << 20, 1 << 20, 256 << 10, 4_096]);
    }
}
