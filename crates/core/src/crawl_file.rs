//! Files of a crawl directory. A directory that is crawled into again may come from somebody else, so what lies in it
//! is input: a link in the place of a file would have the program read, write or truncate a file somewhere else.
//!
//! [`check_tree`] refuses links before anything is opened, also in the directories that a library opens by itself. The
//! other functions open files; they refuse a link that appears later.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Maximum nesting of directories in a crawl directory. The program's own are at most four deep.
const DEPTH_MAX: usize = 16;

/// Opens a file of a crawl directory.
///
/// # Errors
/// It is a link or no regular file, or it cannot be opened.
pub fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Without NONBLOCK, a pipe would wait for its other end before it can be refused.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file =
        options.custom_flags(flags.cast_signed()).open(path).map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => refused("a link"),
            // A socket, or a pipe that nobody reads.
            Some(Errno::NXIO) => refused("no regular file"),
            _ => error,
        })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused("no regular file")) }
}

fn refused(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!(
            "it is {what}, and a crawl directory must hold its files themselves: remove it, or put the file in its place"
        ),
    )
}

/// Opens a file for reading; otherwise like [`open_with`].
///
/// # Errors
/// Those of [`open_with`].
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Creates a file or empties it, for writing; otherwise like [`open_with`].
///
/// # Errors
/// Those of [`open_with`].
pub fn create(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().write(true).create(true).truncate(true))
}

/// Reads a file; otherwise like [`open_with`].
///
/// # Errors
/// Those of [`open_with`], and it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file of UTF-8 text; otherwise like [`read`].
///
/// # Errors
/// Those of [`read`], and it is no UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Checks that all that lies in a crawl directory are directories, regular files and sockets.
///
/// # Errors
/// What else lies there, with its path, or a directory that cannot be listed.
pub fn check_tree(directory: &Path) -> Result<(), (PathBuf, io::Error)> {
    let mut left = vec![(directory.to_owned(), 0)];
    while let Some((path, depth)) = left.pop() {
        if depth > DEPTH_MAX {
            let why = format!("it is more than {DEPTH_MAX} directories deep, which no crawl makes");
            return Err((path, io::Error::new(io::ErrorKind::InvalidInput, why)));
        }
        let entries = fs::read_dir(&path).map_err(|error| (path.clone(), error))?;
        for entry in entries {
            let entry = entry.map_err(|error| (path.clone(), error))?;
            let kind = entry.file_type().map_err(|error| (entry.path(), error))?;
            if kind.is_dir() {
                left.push((entry.path(), depth + 1));
            } else if kind.is_symlink() {
                return Err((entry.path(), refused("a link")));
            } else if !kind.is_file() && !kind.is_socket() {
                return Err((entry.path(), refused("no regular file")));
            }
        }
    }
    Ok(())
}

/// Returns the user to whom a directory belongs, if that is not the user who runs the program.
///
/// # Errors
/// The directory cannot be examined.
pub fn other_owner(directory: &Path) -> io::Result<Option<u32>> {
    let owner = fs::metadata(directory)?.uid();
    Ok((owner != rustix::process::geteuid().as_raw()).then_some(owner))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_is_neither_read_nor_written_through_nor_emptied() {
        let dir = tempfile::tempdir().unwrap();
        let (precious, link) = (dir.path().join("precious"), dir.path().join("link"));
        fs::write(&precious, "mine").unwrap();
        symlink(&precious, &link).unwrap();
        let append = || open_with(&link, OpenOptions::new().append(true).create(true)).map(drop);
        let created_new = open_with(&link, OpenOptions::new().write(true).create_new(true)).map(drop);
        assert_eq!(created_new.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        for refused in [open(&link).map(drop), create(&link).map(drop), read(&link).map(drop), append()] {
            assert!(refused.unwrap_err().to_string().contains("it is a link"));
        }
        fs::remove_file(&precious).unwrap();
        assert!(create(&link).is_err(), "the target of a link is not created either");
        assert!(!precious.exists());
    }

    #[test]
    fn a_pipe_is_refused_without_waiting_for_its_other_end() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for refused in [open(&pipe).map(drop), create(&pipe).map(drop)] {
            assert!(refused.unwrap_err().to_string().contains("no regular file"));
        }
        assert_eq!(check_tree(dir.path()).unwrap_err().0, pipe);
        assert!(open(dir.path()).unwrap_err().to_string().contains("no regular file"));
    }

    #[test]
    fn regular_files_are_opened_and_missing_ones_are_missing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        assert_eq!(read(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        drop(create(&path).unwrap());
        fs::write(&path, "text").unwrap();
        assert_eq!(read_to_string(&path).unwrap(), "text");
        assert_eq!(other_owner(dir.path()).unwrap(), None);
    }

    #[test]
    fn a_link_anywhere_in_a_directory_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("state/keyspaces/0");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("file"), "").unwrap();
        check_tree(dir.path()).unwrap();
        symlink("/nonexistent", deep.join("link")).unwrap();
        assert_eq!(check_tree(dir.path()).unwrap_err().0, deep.join("link"));
        let too_deep = tempfile::tempdir().unwrap();
        fs::create_dir_all(too_deep.path().join("d/".repeat(DEPTH_MAX + 1))).unwrap();
        assert!(check_tree(too_deep.path()).unwrap_err().1.to_string().contains("deep"));
    }
}
