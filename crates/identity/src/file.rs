//! Key files. The only part of this crate that performs I/O.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::key::{KeyError, SigningKey};

/// Maximum size of a key file. One with a key has some hundred bytes.
const BYTES_MAX: u64 = 64 << 10;

/// A key that was read from a file.
#[derive(Debug)]
pub struct KeyFile {
    /// The key.
    pub key: SigningKey,
    /// Whether other users of the machine may read or change the file.
    pub is_exposed: bool,
}

/// Why a key file cannot be used. No message contains any of the file.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// It cannot be read or written.
    #[error("`{}`: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// It exists already.
    #[error(
        "`{}` exists already, and a key that is overwritten is lost; choose another name, or remove the file first",
        .0.display()
    )]
    Exists(PathBuf),
    /// It is a directory, a device or a pipe.
    #[error("`{}` is {what}; give the path of a key file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// It is longer than a key file can be.
    #[error("`{}` is larger than {BYTES_MAX} bytes, so it is not a key file", .0.display())]
    TooLarge(PathBuf),
    /// Its contents are not a usable key.
    #[error("`{}` cannot be used: {why}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: KeyError,
    },
}

/// Reads the key in a file.
///
/// # Errors
///
/// The file cannot be read, or contains no usable key.
pub fn read(path: &Path) -> Result<KeyFile, KeyFileError> {
    let failed = |error| KeyFileError::Io { path: path.to_owned(), error };
    // Before it is opened, because opening a pipe waits for its writer.
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a directory" } else { "not a regular file" };
        return Err(KeyFileError::NotAFile { path: path.to_owned(), what });
    }
    let mut text = Vec::new();
    File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut text)).map_err(failed)?;
    if text.len() as u64 > BYTES_MAX {
        return Err(KeyFileError::TooLarge(path.to_owned()));
    }
    let key = SigningKey::from_pem(&text).map_err(|why| KeyFileError::Key { path: path.to_owned(), why })?;
    Ok(KeyFile { key, is_exposed: is_exposed(&metadata) })
}

/// Writes the key that `seed` makes to a new file that only its owner may read. `seed` must come from a cryptographic
/// source of randomness.
///
/// # Errors
///
/// The file exists, or cannot be written.
pub fn create(path: &Path, seed: &[u8; 32]) -> Result<(), KeyFileError> {
    let failed = |error| KeyFileError::Io { path: path.to_owned(), error };
    let mut file = match options().open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(KeyFileError::Exists(path.to_owned()));
        }
        Err(error) => return Err(failed(error)),
    };
    let written = file.write_all(SigningKey::new_pem(seed).as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| {
        // A part of a key is of no use.
        let _ = fs::remove_file(path);
        failed(error)
    })
}

#[cfg(unix)]
fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

#[cfg(unix)]
fn is_exposed(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o077 != 0
}

/// Returns false: elsewhere, permissions are not told by bits.
#[cfg(not(unix))]
const fn is_exposed(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(path: &Path) -> String {
        read(path).unwrap_err().to_string()
    }

    #[cfg(unix)]
    #[test]
    fn a_new_key_file_belongs_to_its_owner_alone_and_is_not_overwritten() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        create(&path, &[3; 32]).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let read = read(&path).unwrap();
        assert!(!read.is_exposed);
        let text = fs::read(&path).unwrap();
        assert!(create(&path, &[4; 32]).unwrap_err().to_string().contains("exists already"));
        assert_eq!(fs::read(&path).unwrap(), text);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_used_and_noted() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        create(&path, &[3; 32]).unwrap();
        for (mode, exposed) in [(0o640, true), (0o604, true), (0o620, true), (0o400, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read(&path).unwrap().is_exposed, exposed, "{mode:o}");
        }
    }

    #[test]
    fn what_is_no_key_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(error(folder.path()).contains("is a directory"));
        assert!(error(Path::new("/dev/null")).contains("not a regular file"));
        assert!(error(&folder.path().join("none")).contains("none`: "));
        let path = folder.path().join("file");
        fs::write(&path, "x".repeat(70_000)).unwrap();
        assert!(error(&path).contains("larger than 65536 bytes"));
        fs::write(&path, "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----").unwrap();
        assert!(error(&path).contains("truncated or damaged") && !error(&path).contains("c2VjcmV0"));
    }

    #[test]
    fn a_key_file_in_a_folder_that_does_not_exist_is_not_created() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing").join("key.pem");
        assert!(matches!(create(&missing, &[0; 32]), Err(KeyFileError::Io { .. })));
    }
}
