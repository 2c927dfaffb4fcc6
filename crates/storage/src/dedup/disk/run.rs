//! One sorted run of fingerprints on disk.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::DiskError;
use super::run_file::{FINGERPRINT_BYTES, HEADER_BYTES, RunHeader};
use harvestman_core::crawl_file;

/// A file of ascending fingerprints, with the first fingerprint of each page in memory.
pub(super) struct Run {
    pub path: PathBuf,
    pub header: RunHeader,
    file: File,
    page: usize,
    firsts: Vec<u128>,
}

impl Run {
    /// Creates a run from a file whose header and index are known. `page` is the number of fingerprints per page.
    pub fn new(path: PathBuf, file: File, header: RunHeader, page: usize, firsts: Vec<u128>) -> Self {
        Self { path, header, file, page, firsts }
    }

    /// Returns the same run after its file was renamed.
    pub fn renamed(self, path: PathBuf) -> Self {
        Self { path, ..self }
    }

    /// Opens the run in a file, without its index. `page_of` returns the number of fingerprints per page for a given
    /// total.
    pub fn without_index(path: PathBuf, page_of: impl FnOnce(u64) -> usize) -> Result<Self, DiskError> {
        let opened = crawl_file::open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = opened.map_err(|source| DiskError::file("open", &path, source))?;
        if length < HEADER_BYTES as u64 {
            return Err(DiskError::damaged(&path, "is truncated"));
        }
        let mut bytes = [0; HEADER_BYTES];
        file.read_exact_at(&mut bytes, 0).map_err(|source| DiskError::file("read", &path, source))?;
        let header = RunHeader::of_bytes(&bytes).map_err(|what| DiskError::damaged(&path, what))?;
        if header.file_bytes() != Some(length) {
            return Err(DiskError::damaged(&path, "does not have the length stated in its header"));
        }
        Ok(Self::new(path, file, header, page_of(header.count), Vec::new()))
    }

    /// Returns the same run with the first fingerprint of each page as its index.
    pub fn with_index(self, firsts: Vec<u128>) -> Self {
        Self { firsts, ..self }
    }

    /// Returns the number of fingerprints per page.
    pub fn page(&self) -> usize {
        self.page
    }

    pub fn count(&self) -> u64 {
        self.header.count
    }

    pub fn file_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.count() * FINGERPRINT_BYTES as u64
    }

    pub fn memory_bytes(&self) -> usize {
        self.firsts.capacity() * size_of::<u128>()
    }

    /// Fills `bytes` with fingerprints, starting at index `from`.
    pub fn read(&self, from: u64, bytes: &mut [u8]) -> Result<(), DiskError> {
        let offset = HEADER_BYTES as u64 + from * FINGERPRINT_BYTES as u64;
        self.file.read_exact_at(bytes, offset).map_err(|source| DiskError::file("read", &self.path, source))
    }

    /// Returns the only page that can contain `fingerprint`.
    fn page_with(&self, fingerprint: u128) -> Option<usize> {
        let (from, to) = around(&self.firsts, fingerprint);
        (from + self.firsts[from..to].partition_point(|first| *first <= fingerprint)).checked_sub(1)
    }

    /// Returns whether the run contains `fingerprint`, with at most one read.
    pub fn contains(&self, fingerprint: u128, page: &mut Page) -> Result<bool, DiskError> {
        match self.page_with(fingerprint) {
            Some(number) => self.load(number, page).map(|()| page.contains(fingerprint)),
            None => Ok(false),
        }
    }

    /// Like [`Run::contains`], for ascending fingerprints and a `page` that is not used for anything else meanwhile.
    /// Reads each page at most once.
    pub fn contains_next(&self, fingerprint: u128, page: &mut Page) -> Result<bool, DiskError> {
        match self.page_with(fingerprint) {
            Some(number) if page.number == Some(number) => Ok(page.contains(fingerprint)),
            _ => self.contains(fingerprint, page),
        }
    }

    fn load(&self, number: usize, page: &mut Page) -> Result<(), DiskError> {
        let from = number as u64 * self.page as u64;
        let fingerprints = (self.count() - from).min(self.page as u64) as usize;
        page.number = None;
        page.bytes.resize(fingerprints * FINGERPRINT_BYTES, 0);
        self.read(from, &mut page.bytes)?;
        page.number = Some(number);
        Ok(())
    }
}

/// Returns the range of indices in which the first hash greater than `fingerprint` is. Hashes are evenly distributed,
/// so it is near its expected position (interpolation search: Perl, Itai, Avni 1978). The search starts there with
/// growing steps: a binary search over the whole index would have a cache miss at each step.
fn around(firsts: &[u128], fingerprint: u128) -> (usize, usize) {
    let guess = (((fingerprint >> 64) * firsts.len() as u128) >> 64) as usize;
    let mut step = STEP;
    if firsts.get(guess).is_some_and(|first| *first <= fingerprint) {
        let mut from = guess;
        while let Some(to) = from.checked_add(step).filter(|to| *to < firsts.len()) {
            if firsts[to] > fingerprint {
                return (from, to);
            }
            (from, step) = (to, step * 2);
        }
        return (from, firsts.len());
    }
    let mut to = guess;
    while let Some(from) = to.checked_sub(step) {
        if firsts[from] <= fingerprint {
            return (from, to);
        }
        (to, step) = (from, step * 2);
    }
    (0, to)
}

/// The first step from the expected position of a hash.
const STEP: usize = 4;

/// A buffer with the most recently read page of a run.
#[derive(Debug, Default)]
pub(super) struct Page {
    number: Option<usize>,
    bytes: Vec<u8>,
}

impl Page {
    fn contains(&self, fingerprint: u128) -> bool {
        let (fingerprints, _) = self.bytes.as_chunks::<FINGERPRINT_BYTES>();
        fingerprints.binary_search_by_key(&fingerprint, |bytes| u128::from_le_bytes(*bytes)).is_ok()
    }

    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hash() -> impl Strategy<Value = u128> {
        prop_oneof![4 => any::<u128>(), 1 => 0..4_u128, 1 => (0..4_u128).prop_map(|n| u128::MAX - n), 1 => 1_u128 << 90..1 << 91]
    }

    proptest! {
        #[test]
        fn the_successor_of_a_hash_is_within_the_returned_range(mut firsts in prop::collection::vec(hash(), 0..200), sought in hash()) {
            firsts.sort_unstable();
            let (from, to) = around(&firsts, sought);
            let place = firsts.partition_point(|first| *first <= sought);
            prop_assert!(from <= place && place <= to && to <= firsts.len(), "{} of {}..{}", place, from, to);
        }
    }
}
