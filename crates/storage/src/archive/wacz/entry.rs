//! A file within a ZIP file, with its length and digest.

use std::io::{self, Seek, Write};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use zip::ZipWriter;

/// Returns a digest in the notation of a manifest.
pub(super) fn sha256(bytes: &[u8]) -> String {
    named(Sha256::digest(bytes).as_slice())
}

fn named(digest: &[u8]) -> String {
    format!("sha256:{}", HEXLOWER.encode(digest))
}

/// The contents of a file, as far as they are written.
pub(super) struct EntryWriter<'a, W: Write + Seek> {
    zip: &'a mut ZipWriter<W>,
    hasher: Sha256,
    bytes: u64,
}

impl<'a, W: Write + Seek> EntryWriter<'a, W> {
    /// Writes to the file that was started last.
    pub fn new(zip: &'a mut ZipWriter<W>) -> Self {
        Self { zip, hasher: Sha256::new(), bytes: 0 }
    }

    /// Returns the digest.
    pub fn digest(&self) -> String {
        named(self.hasher.clone().finalize().as_slice())
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<W: Write + Seek> Write for EntryWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.zip.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zip.flush()
    }
}
