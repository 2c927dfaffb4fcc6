//! Writes a run sequentially.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::DiskError;
use super::header::{FINGERPRINT_BYTES, HEADER_BYTES, RunHeader, Span};

/// The I/O operations of a run file. This is a trait so that a test can inject failures at any byte.
pub(super) trait RunMedium: Write + Seek {
    /// Syncs the written data to disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl RunMedium for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// The layout of a run: fingerprints per page, and bytes per write.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunLayout {
    pub page: usize,
    pub block: usize,
}

/// A writer of ascending fingerprints. It writes the header last, so that an unfinished file has none.
pub(super) struct RunWriter<'a, M> {
    path: &'a Path,
    medium: M,
    cut: RunLayout,
    block: Vec<u8>,
    hash: Xxh3,
    count: u64,
    /// Number of fingerprints that fit into the last page.
    left: usize,
    firsts: Vec<u128>,
}

impl<'a, M: RunMedium> RunWriter<'a, M> {
    /// Creates a writer to an empty `medium`. `path` names it in errors.
    pub fn new(path: &'a Path, medium: M, cut: RunLayout) -> Result<Self, DiskError> {
        let (block, firsts) = (Vec::with_capacity(cut.block + FINGERPRINT_BYTES), Vec::new());
        let mut writer = Self { path, medium, cut, block, hash: Xxh3::new(), count: 0, left: 0, firsts };
        writer.try_to(|medium| medium.write_all(&[0; HEADER_BYTES]))?;
        Ok(writer)
    }

    /// Writes a fingerprint, which must be greater than the previous one.
    pub fn push(&mut self, fingerprint: u128) -> Result<(), DiskError> {
        if self.left == 0 {
            self.firsts.push(fingerprint);
            self.left = self.cut.page;
        }
        self.left -= 1;
        self.count += 1;
        self.block.extend_from_slice(&fingerprint.to_le_bytes());
        if self.block.len() >= self.cut.block { self.write_block() } else { Ok(()) }
    }

    /// Writes the remaining fingerprints and the header, and syncs the file to disk.
    pub fn finish(mut self, span: Span) -> Result<(M, RunHeader, Vec<u128>), DiskError> {
        self.write_block()?;
        let header = RunHeader { span, count: self.count, checksum: self.hash.digest() };
        self.try_to(|medium| {
            medium.seek(SeekFrom::Start(0))?;
            medium.write_all(&header.to_bytes())?;
            medium.sync()
        })?;
        self.firsts.shrink_to_fit();
        Ok((self.medium, header, self.firsts))
    }

    fn write_block(&mut self) -> Result<(), DiskError> {
        let block = std::mem::take(&mut self.block);
        self.hash.update(&block);
        let written = self.try_to(|medium| medium.write_all(&block));
        self.block = block;
        self.block.clear();
        written
    }

    fn try_to(&mut self, write: impl FnOnce(&mut M) -> io::Result<()>) -> Result<(), DiskError> {
        write(&mut self.medium).map_err(|source| DiskError::file("write", self.path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for `room` bytes.
    struct SmallDisk {
        bytes: io::Cursor<Vec<u8>>,
        room: usize,
    }

    impl Write for SmallDisk {
        fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
            let taken = piece.len().min(self.room - self.bytes.position() as usize);
            if taken == 0 && !piece.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.bytes.write(&piece[..taken])
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for SmallDisk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.bytes.seek(to)
        }
    }

    impl RunMedium for SmallDisk {
        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn write(room: usize, block: usize) -> Result<Vec<u8>, DiskError> {
        let disk = SmallDisk { bytes: io::Cursor::default(), room };
        let mut writer = RunWriter::new(Path::new("some.run"), disk, RunLayout { page: 4, block })?;
        (0..10).try_for_each(|n| writer.push(n * n))?;
        let (disk, header, firsts) = writer.finish(Span { first: 3, last: 5 })?;
        assert_eq!((header.count, firsts), (10, vec![0, 16, 64]));
        Ok(disk.bytes.into_inner())
    }

    #[test]
    fn a_run_consists_of_header_and_fingerprints_for_any_block_size() {
        let whole = write(usize::MAX, 1).unwrap();
        assert_eq!(whole.len(), HEADER_BYTES + 160);
        let header = RunHeader::of_bytes(whole.first_chunk().unwrap()).unwrap();
        assert_eq!((header.span, header.count), (Span { first: 3, last: 5 }, 10));
        assert_eq!(header.checksum, xxhash_rust::xxh3::xxh3_64(&whole[HEADER_BYTES..]));
        for block in 2..200 {
            assert_eq!(write(usize::MAX, block).unwrap(), whole, "blocks of {block} bytes");
        }
    }

    #[test]
    fn a_disk_full_at_any_byte_is_an_error_that_names_the_file() {
        for room in 0..HEADER_BYTES + 160 {
            let error = write(room, 40).unwrap_err();
            assert!(matches!(&error, DiskError::DiskFull { .. }) && error.to_string().contains("some.run"), "{room}");
        }
        assert!(write(HEADER_BYTES + 160, 40).is_ok());
    }
}
