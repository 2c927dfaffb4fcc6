//! An append-only file with atomic appends: a failed append does not damage earlier ones.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::Error;
use harvestman_core::crawl_file;

/// The I/O operations of an append-only file. This is a trait so that a test can inject failures at any byte.
pub(super) trait AppendMedium: Write {
    /// Truncates the file to `length` and continues writing there.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// Syncs the written data to disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl AppendMedium for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(drop)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// An append-only file with atomic appends.
#[derive(Debug)]
pub(super) struct AppendFile<M> {
    path: PathBuf,
    medium: M,
    length: u64,
    synced: u64,
}

impl AppendFile<File> {
    /// Creates a file that must not exist yet.
    pub fn create(path: PathBuf) -> Result<Self, Error> {
        match crawl_file::open_with(&path, OpenOptions::new().write(true).create_new(true)) {
            Ok(file) => Ok(Self::new(path, file, 0)),
            Err(source) => Err(Error::file("create", &path, source)),
        }
    }

    /// Opens a file to continue after its first `length` bytes. Creates it if it does not exist.
    pub fn resume(path: PathBuf, length: u64) -> Result<Self, Error> {
        let opened = crawl_file::open_with(&path, OpenOptions::new().write(true).create(true).truncate(false));
        match opened.and_then(|mut file| file.cut(length).map(|()| file)) {
            Ok(file) => Ok(Self::new(path, file, length)),
            Err(source) => Err(Error::file("open", &path, source)),
        }
    }
}

impl<M: AppendMedium> AppendFile<M> {
    pub fn new(path: PathBuf, medium: M, length: u64) -> Self {
        Self { path, medium, length, synced: length }
    }

    /// Appends `piece` atomically and returns its offset. An error leaves the file unchanged.
    pub fn append(&mut self, piece: &[u8]) -> Result<u64, Error> {
        let start = self.length;
        if let Err(source) = self.medium.write_all(piece) {
            return Err(match self.medium.cut(start) {
                Ok(()) => Error::file("write", &self.path, source),
                Err(source) => Error::NotCut { path: self.path.clone(), source },
            });
        }
        self.length += piece.len() as u64;
        Ok(start)
    }

    /// Syncs appended data to disk if necessary.
    pub fn sync(&mut self) -> Result<(), Error> {
        if self.synced < self.length {
            self.medium.sync().map_err(|source| Error::file("sync", &self.path, source))?;
            self.synced = self.length;
        }
        Ok(())
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Renames `from` to `to` within one directory and syncs the directory.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::rename(from, to).map_err(|source| Error::file("rename", from, source))?;
    match to.parent() {
        Some(directory) => sync_directory(directory),
        None => Ok(()),
    }
}

/// Syncs the entries of `directory` to disk.
pub(super) fn sync_directory(directory: &Path) -> Result<(), Error> {
    File::open(directory).and_then(|opened| opened.sync_all()).map_err(|source| Error::file("sync", directory, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for `room` bytes.
    struct SmallDisk {
        bytes: Vec<u8>,
        room: usize,
    }

    impl Write for SmallDisk {
        fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
            let taken = piece.len().min(self.room - self.bytes.len());
            if taken == 0 && !piece.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.bytes.extend_from_slice(&piece[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl AppendMedium for &mut SmallDisk {
        fn cut(&mut self, length: u64) -> io::Result<()> {
            self.bytes.truncate(usize::try_from(length).unwrap());
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_disk_full_at_any_byte_leaves_exactly_the_complete_pieces() {
        let pieces: [&[u8]; 4] = [b"first", b"", b"second one", b"third"];
        let whole_at: Vec<usize> = pieces
            .iter()
            .scan(0, |end, piece| {
                *end += piece.len();
                Some(*end)
            })
            .collect();
        for room in 0..=20 {
            let mut disk = SmallDisk { bytes: Vec::new(), room };
            let mut file = AppendFile::new("pieces".into(), &mut disk, 0);
            let failed = pieces.iter().find_map(|piece| file.append(piece).err());
            let length = file.length();
            assert_eq!(failed.is_some(), room < 20, "room for {room}");
            assert!(failed.is_none_or(|e| matches!(e, Error::DiskFull { .. }) && e.to_string().contains("pieces")));
            let whole = whole_at.iter().rev().find(|end| **end <= room).copied().unwrap_or(0);
            assert_eq!((disk.bytes.len(), length), (whole, whole as u64), "room for {room}");
            assert!(b"firstsecond onethird".starts_with(disk.bytes.as_slice()));
        }
    }

    #[test]
    fn a_medium_that_cannot_be_truncated_is_a_separate_error() {
        struct Broken;
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::Other.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        impl AppendMedium for Broken {
            fn cut(&mut self, _: u64) -> io::Result<()> {
                Err(io::ErrorKind::Other.into())
            }
            fn sync(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = AppendFile::new("x".into(), Broken, 0).append(b"a").unwrap_err();
        assert!(matches!(error, Error::NotCut { .. }));
    }
}
