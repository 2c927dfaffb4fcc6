//! A journal whose last group is damaged.
//!
//! A group is forced to the disk before the next one is written, so a power failure damages at most the last. The database itself leaves
//! out a last group that ends too early; one that lost a page in its middle it refuses. Without its last byte such a group ends too early
//! too. Where the damage lies further up, the database goes on refusing the journal.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const PIECE: u64 = 64 << 10;

/// The byte that was taken off.
pub(super) struct TruncatedByte {
    journal: File,
    at: u64,
    byte: u8,
}

impl TruncatedByte {
    /// Undoes it: the damage lies elsewhere.
    pub(super) fn give_back(self) {
        if let Err(error) = self.journal.write_all_at(&[self.byte], self.at) {
            tracing::error!(%error, "the last byte of the state's journal is lost");
        }
    }
}

/// Takes the last byte off the last group of the newest journal in `path`. None where there is none.
pub(super) fn truncate_last_group(path: &Path) -> Option<TruncatedByte> {
    let entries = fs::read_dir(path).ok()?.flatten().map(|entry| entry.path());
    // They are numbered.
    let number = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
    let journals = entries.filter(|path| path.extension().is_some_and(|extension| extension == "jnl"));
    let newest = journals.max_by_key(|path| number(path))?;
    let journal = OpenOptions::new().read(true).write(true).open(newest).ok()?;
    let (at, byte) = last_written(&journal).ok()??;
    journal.write_all_at(&[0], at).and_then(|()| journal.sync_all()).ok()?;
    Some(TruncatedByte { journal, at, byte })
}

/// The last byte that is not zero: journals are made longer than needed.
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
