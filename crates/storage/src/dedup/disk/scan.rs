//! Reading a run from its first fingerprint to its last.

use xxhash_rust::xxh3::Xxh3;

use super::DiskError;
use super::header::FINGERPRINT_BYTES;
use super::run::Run;

/// A reader of a whole run, which finds at its end whether all was as it was written.
pub(super) struct Scan<'a> {
    run: &'a Run,
    block: Vec<u8>,
    block_max: usize,
    /// Where in the block the next fingerprint is.
    at: usize,
    /// How many fingerprints were read into blocks.
    read: u64,
    hash: Xxh3,
}

impl<'a> Scan<'a> {
    /// Starts before the first; reads about `block` bytes at a time.
    pub fn new(run: &'a Run, block: usize) -> Self {
        let block_max = (block / FINGERPRINT_BYTES).max(1);
        Self { run, block: Vec::new(), block_max, at: 0, read: 0, hash: Xxh3::new() }
    }

    /// The next fingerprint; none behind the last, an error there if any was not as it was written.
    pub fn next(&mut self) -> Result<Option<u128>, DiskError> {
        if self.at == self.block.len() && !self.read_on()? {
            return Ok(None);
        }
        let Some(bytes) = self.block[self.at..].first_chunk::<FINGERPRINT_BYTES>() else { return Ok(None) };
        self.at += FINGERPRINT_BYTES;
        Ok(Some(u128::from_le_bytes(*bytes)))
    }

    /// Reads the next block; false if there is none.
    fn read_on(&mut self) -> Result<bool, DiskError> {
        let fingerprints = (self.run.count() - self.read).min(self.block_max as u64);
        if fingerprints == 0 {
            let sound = self.hash.digest() == self.run.header.checksum;
            return if sound { Ok(false) } else { Err(DiskError::damaged(&self.run.path, "is not as it was written")) };
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
