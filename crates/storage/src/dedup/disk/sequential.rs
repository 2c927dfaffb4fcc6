//! Reads and writes runs sequentially, and merges sorted fingerprints into one run.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::DiskError;
use super::run::Run;
use super::run_file::{FINGERPRINT_BYTES, HEADER_BYTES, RunHeader, Span};

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

/// A source of ascending fingerprints: memory or a run.
pub(super) enum MergeInput<'a> {
    Memory(&'a mut dyn Iterator<Item = u128>),
    Run(Box<Scan<'a>>),
}

impl MergeInput<'_> {
    fn next(&mut self) -> Result<Option<u128>, DiskError> {
        match self {
            Self::Memory(fingerprints) => Ok(fingerprints.next()),
            Self::Run(scan) => scan.next(),
        }
    }
}

/// Writes the fingerprints of all `sources` without duplicates. There are only as many sources as tiers, so a linear
/// search for the minimum is as fast as a heap.
pub(super) fn merge<M: RunMedium>(
    sources: &mut [MergeInput<'_>],
    writer: &mut RunWriter<'_, M>,
) -> Result<(), DiskError> {
    let mut heads = sources.iter_mut().map(MergeInput::next).collect::<Result<Vec<_>, _>>()?;
    while let Some(least) = heads.iter().flatten().min().copied() {
        writer.push(least)?;
        for (head, source) in heads.iter_mut().zip(&mut *sources) {
            if *head == Some(least) {
                *head = source.next()?;
            }
        }
    }
    Ok(())
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
