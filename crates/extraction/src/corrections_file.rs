//! The corrections of a crawl, in its directory.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use harvestman_core::crawl_file;
use harvestman_posts::{Correction, Corrections, InvalidCorrection};
use serde::{Deserialize, Serialize};

/// File with the corrections, in the directory of a crawl.
pub const CORRECTIONS_FILE: &str = "posts.corrections.json";
/// The version of the file: it grows when a field changes its meaning or goes.
const VERSION: u32 = 1;
/// Maximum size of the file, in bytes.
const BYTES_MAX: u64 = 4 << 20;

/// Why the corrections of a crawl cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CorrectionsError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, #[source] io::Error),
    /// The file cannot be written.
    #[error("cannot write {0}: {1}")]
    Write(PathBuf, #[source] io::Error),
    /// The file is none of corrections.
    #[error("{0} is no file of corrections: {1}")]
    Malformed(PathBuf, #[source] serde_json::Error),
    /// The file is larger than any.
    #[error("{0} is larger than {most} MiB", most = BYTES_MAX >> 20)]
    TooLarge(PathBuf),
    /// The file is of a later version of the program.
    #[error("{0} has version {1} of its format, and this program reads up to version {VERSION}")]
    Version(PathBuf, u32),
    /// A correction cannot be used.
    #[error("{0}: {1}")]
    Invalid(PathBuf, #[source] InvalidCorrection),
}

#[derive(Serialize, Deserialize)]
struct Stored<C> {
    version: u32,
    corrections: C,
}

/// Returns the corrections of a crawl: none if it has no file of them.
///
/// # Errors
///
/// The file cannot be read, or is none of corrections.
pub fn read_corrections(directory: &Path) -> Result<Vec<Correction>, CorrectionsError> {
    let path = directory.join(CORRECTIONS_FILE);
    let text = match std::fs::metadata(&path)
        .and_then(|of| if of.len() > BYTES_MAX { Ok(None) } else { crawl_file::read(&path).map(Some) })
    {
        Ok(Some(text)) => text,
        Ok(None) => return Err(CorrectionsError::TooLarge(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(CorrectionsError::Read(path, error)),
    };
    // The version first: the rest may have another form.
    let stored: Result<Stored<serde_json::Value>, _> = serde_json::from_slice(&text);
    let Stored { version, corrections } = stored.map_err(|error| CorrectionsError::Malformed(path.clone(), error))?;
    if version > VERSION {
        return Err(CorrectionsError::Version(path, version));
    }
    serde_json::from_value(corrections).map_err(|error| CorrectionsError::Malformed(path, error))
}

/// Returns the corrections of several crawls, ready to be used.
///
/// # Errors
///
/// A file cannot be read, or has a correction that cannot be used.
pub fn corrections_of(directories: &[PathBuf]) -> Result<Corrections, CorrectionsError> {
    let mut all = Vec::new();
    for directory in directories {
        let of_crawl = read_corrections(directory)?;
        let invalid = |error| CorrectionsError::Invalid(directory.join(CORRECTIONS_FILE), error);
        Corrections::new(&of_crawl).map_err(invalid)?;
        all.extend(of_crawl);
    }
    let path = || directories.first().map_or_else(PathBuf::new, |directory| directory.join(CORRECTIONS_FILE));
    Corrections::new(&all).map_err(|error| CorrectionsError::Invalid(path(), error))
}

/// Replaces the corrections of a crawl.
///
/// # Errors
///
/// The file cannot be written; then it is as it was.
pub fn write_corrections(directory: &Path, corrections: &[Correction]) -> Result<(), CorrectionsError> {
    let path = directory.join(CORRECTIONS_FILE);
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer_pretty(&mut file, &Stored { version: VERSION, corrections })?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(&path).map(drop).map_err(|error| error.error)
    };
    write().map_err(|error: io::Error| CorrectionsError::Write(path.clone(), error))
}

#[cfg(test)]
mod tests {
    use harvestman_posts::TaughtField;

    use super::*;

    fn correction(path: &str) -> Correction {
        Correction { host: "h".to_owned(), field: TaughtField::Author, path: path.to_owned(), is_wrong: false }
    }

    #[test]
    fn corrections_are_read_as_they_were_written() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read_corrections(directory.path()).unwrap(), []);
        let all = [correction("a.user"), Correction { is_wrong: true, ..correction("b") }];
        write_corrections(directory.path(), &all).unwrap();
        assert_eq!(read_corrections(directory.path()).unwrap(), all);
        let text = std::fs::read_to_string(directory.path().join(CORRECTIONS_FILE)).unwrap();
        let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
        let second = serde_json::json!({"host": "h", "field": "author", "path": "b", "not": true});
        assert_eq!((&stored["version"], &stored["corrections"][1]), (&1.into(), &second));
        assert!(!corrections_of(&[directory.path().to_owned()]).unwrap().is_empty());
    }

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let error = |text: &str| {
            std::fs::write(directory.path().join(CORRECTIONS_FILE), text).unwrap();
            corrections_of(&[directory.path().to_owned()]).unwrap_err().to_string()
        };
        assert!(error("{}").contains("is no file of corrections"));
        assert!(error(r#"{"version":2,"corrections":{}}"#).contains("version 2"));
        assert!(error(r#"{"version":1,"corrections":[{"host":"h","field":"size","path":"a"}]}"#).contains("size"));
        let invalid = error(r#"{"version":1,"corrections":[{"host":"h","field":"time","path":"a["}]}"#);
        assert!(invalid.contains(CORRECTIONS_FILE) && invalid.contains("a["), "{invalid}");
    }
}
