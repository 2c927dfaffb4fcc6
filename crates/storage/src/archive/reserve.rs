//! Reserved disk space. A disk fills up with records, which are most of the data of a crawl; the page log lines that
//! are still in memory then, and the report, need reserved space.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Error;
use harvestman_core::crawl_file;

/// The name of the file in the crawl directory that occupies the space.
const NAME: &str = ".reserve";
const PIECE: usize = 64 << 10;

/// A file that occupies disk space until it is dropped.
pub(super) struct DiskReserve {
    path: PathBuf,
}

impl DiskReserve {
    /// Reserves `bytes` of space in `directory`. Returns `None` if `bytes` is 0.
    pub fn take(directory: &Path, bytes: u64) -> Result<Option<Self>, Error> {
        if bytes == 0 {
            return Ok(None);
        }
        let reserve = Self { path: directory.join(NAME) };
        fill(&reserve.path, bytes).map_err(|source| Error::file("write", &reserve.path, source))?;
        Ok(Some(reserve))
    }
}

/// Writes the bytes, because a sparse file takes no space.
fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = crawl_file::create(path)?;
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
        // If the removal fails, an unused file remains, which is harmless.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_is_occupied_only_while_the_reserve_is_held() {
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
    fn a_failed_reservation_is_an_error_that_names_the_file() {
        let error = DiskReserve::take(Path::new("/nonexistent"), 1).map(drop).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/.reserve"), "{error}");
    }
}
