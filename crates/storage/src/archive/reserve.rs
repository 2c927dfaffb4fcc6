//! Space held back on the disk. A disk fills up with records, which are nearly all of a crawl; the lines of the page log that still
//! wait in memory then, and the report, find room only where some was held back for them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Error;

/// The file that takes up the space, in the crawl directory.
const NAME: &str = ".reserve";
const PIECE: usize = 64 << 10;

/// A file that takes up space until it is dropped.
pub(super) struct DiskReserve {
    path: PathBuf,
}

impl DiskReserve {
    /// Takes up `bytes` of space in `directory`; none where that is 0.
    pub fn take(directory: &Path, bytes: u64) -> Result<Option<Self>, Error> {
        if bytes == 0 {
            return Ok(None);
        }
        let reserve = Self { path: directory.join(NAME) };
        fill(&reserve.path, bytes).map_err(|source| Error::file("write", &reserve.path, source))?;
        Ok(Some(reserve))
    }
}

/// Writes the bytes: a file that is only made longer takes no space.
fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = File::create(path)?;
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(PIECE as u64);
        file.write_all(&[0; PIECE][..piece as usize])?;
        left -= piece;
    }
    Ok(())
}

impl Drop for DiskReserve {
    fn drop(&mut self) {
        // What cannot be removed stays behind as a file that nobody reads; the crawl is not worse for it.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_is_taken_up_while_it_is_held_and_no_longer() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        for bytes in [1, PIECE as u64, PIECE as u64 + 1] {
            let reserve = DiskReserve::take(dir.path(), bytes).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), bytes);
            drop(reserve);
            assert!(!path.exists());
        }
        assert!(DiskReserve::take(dir.path(), 0).unwrap().is_none());
        assert!(!path.exists());
    }

    #[test]
    fn space_that_cannot_be_had_is_an_error_that_names_the_file_and_leaves_none() {
        let error = DiskReserve::take(Path::new("/nonexistent"), 1).map(drop).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/.reserve"), "{error}");
    }
}
