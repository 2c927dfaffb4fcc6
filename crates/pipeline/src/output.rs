//! The crawl directory.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::Error;
use harvestman_core::config::{Config, Secrets, as_toml};

/// The state, in the crawl directory.
pub(super) const STATE_DIRECTORY: &str = "state";

/// Where the set of seen URLs goes when it outgrows its memory, in the crawl directory.
pub(super) const SEEN_DIRECTORY: &str = "seen";

/// Makes `path` ready to be a crawl directory: it must not exist yet (then it is made) or be empty, and it must be writable.
pub(super) fn prepare(path: &Path) -> Result<(), Error> {
    let refuse = |reason: String| Error::OutputDirectory { path: path.to_owned(), reason };
    if path.as_os_str().is_empty() {
        return Err(refuse("none is named; say where the output goes with --out DIR".to_owned()));
    }
    match fs::read_dir(path) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                let what = if path.join(STATE_DIRECTORY).is_dir() {
                    "it holds a crawl; go on with it by `harvestman resume DIR`, or name a new directory"
                } else {
                    "it is not empty; name a new directory, so that nothing is mixed up"
                };
                return Err(refuse(what.to_owned()));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path).map_err(|error| refuse(error.to_string()))?;
        }
        Err(error) => return Err(refuse(error.to_string())),
    }
    let probe = path.join(".harvestman-probe");
    let written = fs::write(&probe, b"written\n").and_then(|()| fs::remove_file(&probe));
    written.map_err(|error| refuse(format!("cannot write there: {error}")))
}

/// The effective configuration, in the crawl directory.
pub(super) const CONFIG_FILE: &str = "config.toml";

/// Writes the configuration that holds, secrets left out, wholly or not at all.
pub(super) fn write_config(directory: &Path, config: &Config) -> Result<(), Error> {
    let path = directory.join(CONFIG_FILE);
    replace(&path, as_toml(config, Secrets::LeftOut).as_bytes()).map_err(|source| Error::Write { path, source })
}

/// Puts a file in the place of another, wholly or not at all. It is on the disk afterwards.
pub(super) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let mut file = fs::File::create(&new)?;
    file.write_all(contents)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    fs::File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

/// A lock on a crawl directory: another process that opens the directory is refused. The lock ends with the process, however that ends.
pub(super) struct DirectoryLock(#[expect(dead_code, reason = "it is held, not used")] fs::File);

impl DirectoryLock {
    /// Takes the directory.
    pub(super) fn take(directory: &Path) -> Result<Self, Error> {
        let refuse = |reason: String| Error::OutputDirectory { path: directory.to_owned(), reason };
        let path = directory.join("lock");
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| refuse(format!("cannot write there: {error}")))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(fs::TryLockError::WouldBlock) => Err(refuse("another process crawls into it".to_owned())),
            Err(fs::TryLockError::Error(error)) => Err(refuse(format!("it cannot be locked: {error}"))),
        }
    }
}

/// Keeps the report of the crawl or recrawl before under the number of its round, as the next one takes its name.
pub(super) fn set_report_aside(directory: &Path, round: u32) {
    let (report, aside) = (directory.join("report.json"), directory.join(format!("report-{round}.json")));
    match fs::rename(&report, &aside) {
        // It was killed before it could report.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(%error, "the report of the run before cannot be kept"),
        Ok(()) => {}
    }
}

/// Sessions of a node whose reports are kept in one directory.
const SESSIONS_MAX: u32 = 1_000;

/// Keeps the report of the session before, of a node of a fleet, under the next number that is free. When all are taken the last one
/// is replaced.
pub(super) fn set_session_report_aside(directory: &Path) {
    let is_free = |number: &u32| !directory.join(format!("report-{number}.json")).exists();
    let number = (0..SESSIONS_MAX).find(is_free).unwrap_or(SESSIONS_MAX - 1);
    set_report_aside(directory, number);
}

/// Where the crawl writes.
pub(super) fn directory(config: &Config) -> PathBuf {
    PathBuf::from(&config.crawl.out)
}

/// The WARC files that are there, relative to the crawl directory, in order.
pub(super) fn warc_files(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory.join(harvestman_storage::archive::WARC_DIRECTORY)) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> =
        names.map(|name| format!("{}/{name}", harvestman_storage::archive::WARC_DIRECTORY)).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_and_an_empty_directory_will_do_and_are_left_empty() {
        let dir = tempfile::tempdir().unwrap();
        let new = dir.path().join("a/b");
        prepare(&new).unwrap();
        prepare(&new).unwrap();
        assert_eq!(fs::read_dir(&new).unwrap().count(), 0);
    }

    #[test]
    fn the_report_of_each_session_is_kept_and_a_killed_one_leaves_no_gap() {
        let dir = tempfile::tempdir().unwrap();
        for session in ["a", "b"] {
            fs::write(dir.path().join("report.json"), session).unwrap();
            set_session_report_aside(dir.path());
            // The next one was killed.
            set_session_report_aside(dir.path());
        }
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!((read("report-0.json"), read("report-1.json")), ("a".to_owned(), "b".to_owned()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_holds_something_or_is_no_directory_is_refused_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "mine").unwrap();
        for path in [dir.path(), &file, &file.join("below"), Path::new("")] {
            assert!(matches!(prepare(path), Err(Error::OutputDirectory { .. })), "{path:?}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }
}
