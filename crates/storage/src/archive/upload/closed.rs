//! Lists the closed WARC files of a crawl.

use std::io;
use std::path::{Path, PathBuf};

use crate::archive::{WARC_DIRECTORY, is_warc};

/// A WARC file that no longer changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedFile {
    /// Its name, without directories.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
}

/// Returns the closed WARC files of a crawl directory, sorted by name. The list is empty if the directory does not
/// exist yet.
///
/// # Errors
/// Fails if the directory cannot be read.
pub fn closed_files(directory: &Path) -> io::Result<Vec<ClosedFile>> {
    let entries = match std::fs::read_dir(directory.join(WARC_DIRECTORY)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_warc(&name) {
            files.push(ClosedFile { name, path: entry.path(), bytes: entry.metadata()?.len() });
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_and_other_files_are_skipped() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(closed_files(dir.path()).unwrap(), []);
        let warc = dir.path().join(WARC_DIRECTORY);
        std::fs::create_dir(&warc).unwrap();
        for name in ["b.warc.gz", "a.warc", "c.warc.gz.open", "notes.txt"] {
            std::fs::write(warc.join(name), name).unwrap();
        }
        let found: Vec<_> = closed_files(dir.path()).unwrap().into_iter().map(|file| (file.name, file.bytes)).collect();
        assert_eq!(found, [("a.warc".to_owned(), 6), ("b.warc.gz".to_owned(), 9)]);
    }
}
