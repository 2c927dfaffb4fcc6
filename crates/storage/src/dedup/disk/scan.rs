//! Reads a run sequentially.

use std::path::PathBuf;

use xxhash_rust::xxh3::Xxh3;

use super::DiskError;
use super::header::FINGERPRINT_BYTES;
use super::run::Run;

/// A reader of a whole run that verifies the checksum at the end.
pub(super) struct Scan<'a> {
    run: &'a Run,
    block: Vec<u8>,
    block_max: usize,
    /// Offset of the next fingerprint in the block.
    at: usize,
    /// Number of fingerprints read into blocks.
    read: u64,
    hash: Xxh3,
}

impl<'a> Scan<'a> {
    /// Creates a scan that starts at the first fingerprint and reads about `block` bytes at a time.
    pub fn new(run: &'a Run, block: usize) -> Self {
        let block_max = (block / FINGERPRINT_BYTES).max(1);
        Self { run, block: Vec::new(), block_max, at: 0, read: 0, hash: Xxh3::new() }
    }

    /// Returns the next fingerprint, or `None` at the end.
    ///
    /// # Errors
    /// Fails at the end if the checksum does not match.
    pub fn next(&mut self) -> Result<Option<u128>, DiskError> {
        if self.at == self.block.len() && !self.read_block()? {
            return Ok(None);
        }
        let Some(bytes) = self.block[self.at..].first_chunk::<FINGERPRINT_BYTES>() else { return Ok(None) };
        self.at += FINGERPRINT_BYTES;
        Ok(Some(u128::from_le_bytes(*bytes)))
    }

    /// Reads the next block. Returns `false` if there is none.
    fn read_block(&mut self) -> Result<bool, DiskError> {
        let fingerprints = (self.run.count() - self.read).min(self.block_max as u64);
        if fingerprints == 0 {
            let sound = self.hash.digest() == self.run.header.checksum;
            return if sound {
                Ok(false)
            } else {
                Err(DiskError::damaged(&self.run.path, "does not match its checksum"))
            };
        }
        self.block.resize(fingerprints as usize * FINGERPRINT_BYTES, 0);
        self.at = self.block.len();
        self.run.read(self.read, &mut self.block)?;
        self.hash.update(&self.block);
        self.read += fingerprints;
        self.at = 0;
        Ok(true)
    }
}

/// Opens the run in a file and reads all of it to detect damage. `page_of` returns the number of fingerprints per page
/// for a given total.
pub(super) fn open_run(path: PathBuf, page_of: impl FnOnce(u64) -> usize, block: usize) -> Result<Run, DiskError> {
    let run = Run::without_index(path, page_of)?;
    let firsts = checked_firsts(&run, block)?;
    Ok(run.with_index(firsts))
}

/// Reads all fingerprints and returns the first one of each page.
fn checked_firsts(run: &Run, block: usize) -> Result<Vec<u128>, DiskError> {
    let mut firsts = Vec::with_capacity(run.count().div_ceil(run.page() as u64) as usize);
    let (mut scan, mut before, mut left) = (Scan::new(run, block), None, 0);
    while let Some(fingerprint) = scan.next()? {
        if before.replace(fingerprint).is_some_and(|before| before >= fingerprint) {
            return Err(DiskError::damaged(&run.path, "is not in order"));
        }
        if left == 0 {
            firsts.push(fingerprint);
            left = run.page();
        }
        left -= 1;
    }
    Ok(firsts)
}
