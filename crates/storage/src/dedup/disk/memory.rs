//! Who gets how much of the memory that a set may use.

use super::header::FINGERPRINT_BYTES;

/// Bytes of a page, unless the index would outgrow its share: less would not be read sooner.
const PAGE_BYTES: usize = 1024;
/// Bytes that are read or written at a time.
const BLOCK_BYTES: std::ops::RangeInclusive<usize> = 4096..=1 << 20;

/// How a set of runs is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskOptions {
    /// Bytes of memory, whatever the number of fingerprints: 11/16 for those that wait for being written, 2/16 for
    /// reading and writing runs, 3/16 for the index. Below 1 MiB it is somewhat more.
    pub memory: usize,
    /// A run is merged with the younger ones when it has at most so many times as many fingerprints as they. A greater
    /// ratio means fewer runs to look through and more rewriting; `u64::MAX` keeps one run, as DRUM does. At least 1.
    pub ratio: u64,
}

impl Default for DiskOptions {
    fn default() -> Self {
        Self { memory: 64 << 20, ratio: 4 }
    }
}

impl DiskOptions {
    /// Bytes for fingerprints that wait.
    pub(super) fn waiting(&self) -> usize {
        self.memory / 16 * 11
    }

    /// Bytes of a block where so many files are read or written side by side.
    pub(super) fn block(&self, files: usize) -> usize {
        (self.memory / 8 / files.max(1)).clamp(*BLOCK_BYTES.start(), *BLOCK_BYTES.end())
    }

    /// Fingerprints of a page in a run of `count`: 1 KiB of them, doubled until the run's index fits into a sixteenth
    /// of the memory. (There are two such indexes during a merge, and younger runs together are smaller than the
    /// oldest.)
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
    fn pages_are_of_1_kib_until_the_index_would_outgrow_its_share() {
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
