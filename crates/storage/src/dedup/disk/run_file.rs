//! The run files: the directory of a set with its lock, and the header and name of each file.
//!
//! A file consists of a header of 4 KiB and the fingerprints in ascending order, 16 bytes each. All numbers, including
//! the fingerprints, are little-endian. The header:
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | magic |
//! | 8..12 | version |
//! | 12..16 | zero |
//! | 16..24, 24..32 | first and last of the span |
//! | 32..40 | count of fingerprints |
//! | 40..48 | xxh3-64 of the bytes of the fingerprints |
//! | 48..56 | xxh3-64 of the preceding bytes |
//! | 56..4096 | zero |

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::DiskError;
use harvestman_core::crawl_file;

/// Bytes before the first fingerprint: one system page, so that the pages of the run are aligned with system pages.
pub(super) const HEADER_BYTES: usize = 4096;
/// Bytes per fingerprint in a file.
pub(super) const FINGERPRINT_BYTES: usize = 16;
const MAGIC: &[u8; 8] = b"HvstSeen";
const VERSION: u32 = 1;
const FIELDS: usize = 48;

/// The range of writes that a run covers: the numbers of the first and the last write. Merging consecutive runs joins
/// their spans, so a run whose span is within the span of another was merged into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub first: u64,
    pub last: u64,
}

impl Span {
    pub fn is_within(self, other: Self) -> bool {
        other.first <= self.first && self.last <= other.last
    }

    /// Returns the file name of the run.
    pub fn name(self) -> String {
        format!("{:010}-{:010}.run", self.first, self.last)
    }

    /// Parses the span from the file name of a run. Returns `None` if it is not the name of a run, or if no span could
    /// follow it.
    pub fn of_name(name: &str) -> Option<Self> {
        let (first, last) = name.strip_suffix(".run")?.split_once('-')?;
        let span = Self { first: first.parse().ok()?, last: last.parse().ok()? };
        (span.first <= span.last && span.last < u64::MAX && span.name() == name).then_some(span)
    }
}

/// The contents of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunHeader {
    pub span: Span,
    pub count: u64,
    pub checksum: u64,
}

impl RunHeader {
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([0; 4]);
        for field in [self.span.first, self.span.last, self.count, self.checksum] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes.resize(HEADER_BYTES, 0);
        bytes
    }

    /// Parses a header.
    ///
    /// # Errors
    /// Returns what is wrong with the file.
    pub fn of_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Self, &'static str> {
        if !bytes.starts_with(MAGIC) {
            return Err("is not a run of fingerprints");
        }
        if bytes[8..12] != VERSION.to_le_bytes() {
            return Err("was written by another version of this program");
        }
        if number(bytes, FIELDS) != xxh3_64(&bytes[..FIELDS]) {
            return Err("has a damaged header");
        }
        let span = Span { first: number(bytes, 16), last: number(bytes, 24) };
        Ok(Self { span, count: number(bytes, 32), checksum: number(bytes, 40) })
    }

    /// Returns the size of the whole file in bytes, or `None` if it overflows.
    pub fn file_bytes(self) -> Option<u64> {
        self.count.checked_mul(FINGERPRINT_BYTES as u64)?.checked_add(HEADER_BYTES as u64)
    }
}

fn number(bytes: &[u8; HEADER_BYTES], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

/// The file that is locked while the set is open.
const LOCK: &str = "lock";
const RUN: &str = "run";
const PARTIAL: &str = "partial";
const TORN: &str = "torn";

/// A directory that is locked for exclusive use during the lifetime of this value.
pub(super) struct Directory {
    path: PathBuf,
    _lock: File,
}

impl Directory {
    /// Creates the directory if it is missing, and locks it.
    pub fn make(path: &Path) -> Result<Self, DiskError> {
        fs::create_dir_all(path).map_err(|source| DiskError::file("create", path, source))?;
        let path = path.to_path_buf();
        Ok(Self { _lock: lock(&path)?, path })
    }

    /// Locks an existing directory.
    pub fn open(path: &Path) -> Result<Self, DiskError> {
        fs::read_dir(path).map_err(|source| DiskError::file("read", path, source))?;
        let path = path.to_path_buf();
        Ok(Self { _lock: lock(&path)?, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, span: Span) -> PathBuf {
        self.path.join(span.name())
    }

    /// Returns the path of the unfinished file, which is renamed to [`Directory::file`] once it is complete.
    pub fn partial(&self, span: Span) -> PathBuf {
        self.file(span).with_extension(PARTIAL)
    }

    /// Returns the spans of the runs in ascending order, with spans that contain others before them. Other files are
    /// ignored, but each file with the extension of a run must have a valid name.
    pub fn spans(&self) -> Result<Vec<Span>, DiskError> {
        let runs = self.files(RUN)?;
        let span = |path: PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.and_then(Span::of_name).ok_or_else(|| DiskError::damaged(&path, "does not have the name of a run"))
        };
        let mut spans = runs.into_iter().map(span).collect::<Result<Vec<_>, _>>()?;
        spans.sort_unstable_by_key(|span| (span.first, std::cmp::Reverse(span.last)));
        Ok(spans)
    }

    /// Renames unfinished files, so that they are neither read nor conflict with new files.
    pub fn set_aside_unfinished(&self) -> Result<(), DiskError> {
        self.files(PARTIAL)?.iter().try_for_each(|partial| {
            let torn = partial.with_extension(TORN);
            fs::rename(partial, &torn).map_err(|source| DiskError::file("rename", partial, source))
        })
    }

    /// Renames a complete file to its final name, and syncs the directory. After an error the final name does not
    /// exist.
    pub fn finish(&self, partial: &Path, whole: &Path) -> Result<(), DiskError> {
        fs::rename(partial, whole).map_err(|source| DiskError::file("rename", partial, source))?;
        let synced = File::open(&self.path).and_then(|directory| directory.sync_all());
        synced.map_err(|source| {
            remove(whole);
            DiskError::file("sync", &self.path, source)
        })
    }

    fn files(&self, extension: &str) -> Result<Vec<PathBuf>, DiskError> {
        let failed = |source| DiskError::file("read", &self.path, source);
        let entries = fs::read_dir(&self.path).map_err(failed)?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
        let mut paths = paths.map_err(failed)?;
        paths.retain(|path| path.extension().is_some_and(|it| it == extension));
        Ok(paths)
    }
}

/// Removes an obsolete file. Errors are ignored because a remaining file only takes up space.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Removes a directory of sets that are no longer in use, with its contents. A missing directory is not an error.
pub(in crate::dedup) fn remove_all(path: &Path) -> Result<(), DiskError> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(DiskError::file("remove", path, source)),
        _ => Ok(()),
    }
}

fn lock(directory: &Path) -> Result<File, DiskError> {
    let path = directory.join(LOCK);
    let opened = crawl_file::open_with(&path, OpenOptions::new().write(true).create(true).truncate(false));
    let file = opened.map_err(|source| DiskError::file("create", &path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(DiskError::InUse { path: directory.to_path_buf() }),
        Err(TryLockError::Error(source)) => Err(DiskError::file("lock", &path, source)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_vec(bytes: &[u8]) -> Result<RunHeader, &'static str> {
        RunHeader::of_bytes(bytes.try_into().unwrap())
    }

    proptest! {
        #[test]
        fn a_header_survives_a_round_trip_and_any_changed_byte_is_detected(
            fields in any::<[u64; 4]>(), at in 0..FIELDS + 8, flip in 1..=u8::MAX,
        ) {
            let span = Span { first: fields[0], last: fields[1] };
            let header = RunHeader { span, count: fields[2], checksum: fields[3] };
            let mut bytes = header.to_bytes();
            prop_assert_eq!(of_vec(&bytes), Ok(header));
            bytes[at] ^= flip;
            prop_assert!(of_vec(&bytes).is_err());
        }

        #[test]
        fn a_name_contains_its_span(first in 0..u64::MAX / 2, more in 0..u64::MAX / 2) {
            let span = Span { first, last: first + more };
            prop_assert_eq!(Span::of_name(&span.name()), Some(span));
        }
    }

    #[test]
    fn foreign_file_names_have_no_span() {
        let endless = format!("0000000000-{}.run", u64::MAX);
        let swapped = "0000000002-0000000001.run";
        for name in ["", ".run", "1-2.run", swapped, "0000000001-0000000002.run.torn", "lock", &endless] {
            assert_eq!(Span::of_name(name), None, "{name}");
        }
    }
}
