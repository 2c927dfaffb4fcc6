//! Recovery of a journal whose last group is damaged.
//!
//! A group is synced to disk before the next one is written, so a power failure damages at most the last group. The
//! database discards a truncated last group by itself, but rejects a journal whose last group lost a page in its
//! middle. Without its last byte, such a group counts as truncated too. If the damage is further up, the database still
//! rejects the journal.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use harvestman_core::crawl_file;

const PIECE: u64 = 64 << 10;

/// The removed byte.
pub(super) struct TruncatedByte {
    journal: File,
    at: u64,
    byte: u8,
}

impl TruncatedByte {
    /// Restores the byte, because the damage is elsewhere.
    pub(super) fn give_back(self) {
        if let Err(error) = self.journal.write_all_at(&[self.byte], self.at) {
            tracing::error!(%error, "cannot restore the last byte of the state's journal");
        }
    }
}

/// Removes the last byte of the last group of the newest journal in `path`. Returns `None` if there is none.
pub(super) fn truncate_last_group(path: &Path) -> Option<TruncatedByte> {
    let entries = fs::read_dir(path).ok()?.flatten().map(|entry| entry.path());
    // Journals are numbered.
    let number = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
    let journals = entries.filter(|path| path.extension().is_some_and(|extension| extension == "jnl"));
    let newest = journals.max_by_key(|path| number(path))?;
    let journal = crawl_file::open_with(&newest, OpenOptions::new().read(true).write(true)).ok()?;
    let (at, byte) = last_written(&journal).ok()??;
    journal.write_all_at(&[0], at).and_then(|()| journal.sync_all()).ok()?;
    Some(TruncatedByte { journal, at, byte })
}

/// Returns the last non-zero byte with its offset: journals are preallocated.
fn last_written(journal: &File) -> io::Result<Option<(u64, u8)>> {
    let mut end = journal.metadata()?.len();
    let mut piece = vec![0; PIECE as usize];
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        let piece = &mut piece[..(end - start) as usize];
        journal.read_exact_at(piece, start)?;
        if let Some(at) = piece.iter().rposition(|byte| *byte != 0) {
            return Ok(Some((start + at as u64, piece[at])));
        }
        end = start;
    }
    Ok(None)
}
