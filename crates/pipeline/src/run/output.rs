//! The crawl directory.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::error::Error;
use harvestman_core::config::{Config, Secrets, as_toml};
use harvestman_core::crawl_file;

/// The directory of the state, in the crawl directory.
pub(crate) const STATE_DIRECTORY: &str = "state";

/// The directory of the seen URLs that exceed their memory, in the crawl directory.
pub(crate) const SEEN_DIRECTORY: &str = "seen";

/// Prepares `path` as a crawl directory: it must be empty, or not exist yet (then it is created), and it must be
/// writable.
pub(crate) fn prepare(path: &Path) -> Result<(), Error> {
    let refuse = |reason: String| Error::OutputDirectory { path: path.to_owned(), reason };
    if path.as_os_str().is_empty() {
        return Err(refuse("none is given; name the output directory with --out DIR".to_owned()));
    }
    match fs::read_dir(path) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                let what = if path.join(STATE_DIRECTORY).is_dir() {
                    "it holds a crawl; resume it with `harvestman resume DIR`, or name a new directory"
                } else {
                    "it is not empty; name a new directory, so that files are not mixed up"
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
    let written = crawl_file::create(&probe)
        .and_then(|mut file| file.write_all(b"written\n"))
        .and_then(|()| fs::remove_file(&probe));
    written.map_err(|error| refuse(format!("cannot write there: {error}")))
}

/// Refuses a directory with links and special files, through which what is written there would land elsewhere.
pub(crate) fn check_files(directory: &Path) -> Result<(), Error> {
    crawl_file::check_tree(directory).map_err(|(path, why)| {
        let reason = format!("{}: {why}", path.display());
        Error::OutputDirectory { path: directory.to_owned(), reason }
    })
}

/// Closes the directory of a crawl that has a log-in to other users, as it may hold what only members see. Other modes
/// of a directory that is not new may be the user's choice: one that everybody can open is warned about.
pub(crate) fn close_to_others(directory: &Path, config: &Config, is_new: bool) -> Result<(), Error> {
    if !config.login.is_on() && !config.fetch.has_credentials() {
        return Ok(());
    }
    let refuse = |error: io::Error| {
        let reason = format!("it cannot be closed to other users: {error}");
        Error::OutputDirectory { path: directory.to_owned(), reason }
    };
    let mode = fs::metadata(directory).map_err(refuse)?.permissions().mode();
    if is_new && mode & 0o077 != 0 {
        return fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).map_err(refuse);
    }
    if mode & 0o007 != 0 {
        let path = directory.display();
        tracing::warn!("the crawl has a log-in, and every user can open {path}: `chmod 700 {path}` closes it");
    }
    Ok(())
}

/// The effective configuration, in the crawl directory.
pub(crate) const CONFIG_FILE: &str = "config.toml";

/// Writes the effective configuration atomically, without its secrets.
pub(crate) fn write_config(directory: &Path, config: &Config) -> Result<(), Error> {
    let path = directory.join(CONFIG_FILE);
    replace(&path, as_toml(config, Secrets::LeftOut).as_bytes()).map_err(|source| Error::Write { path, source })
}

/// Replaces a file atomically, and syncs it to disk.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace_with(path, contents, fs::OpenOptions::new().mode(0o666))
}

/// The same with a file that only its owner can read.
pub(crate) fn replace_private(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace_with(path, contents, fs::OpenOptions::new().mode(0o600))
}

fn replace_with(path: &Path, contents: &[u8], options: &mut fs::OpenOptions) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    // What a killed run left may have other permissions.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut file = crawl_file::open_with(Path::new(&new), options.write(true).create_new(true))?;
    file.write_all(contents)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    fs::File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

/// A lock on a crawl directory: another process that opens the directory is refused. The lock ends with the process,
/// however that ends.
pub(crate) struct DirectoryLock(#[expect(dead_code, reason = "it is held, not used")] fs::File);

impl DirectoryLock {
    /// Locks the directory.
    pub(crate) fn take(directory: &Path) -> Result<Self, Error> {
        let refuse = |reason: String| Error::OutputDirectory { path: directory.to_owned(), reason };
        let path = directory.join("lock");
        let file = crawl_file::open_with(&path, fs::OpenOptions::new().create(true).truncate(false).write(true));
        let file = file.map_err(|error| refuse(format!("cannot write there: {error}")))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(fs::TryLockError::WouldBlock) => {
                let path = directory.display();
                Err(refuse(format!(
                    "another process crawls into it; `harvestman ctl {path} status` shows how far it is"
                )))
            }
            Err(fs::TryLockError::Error(error)) => Err(refuse(format!("it cannot be locked: {error}"))),
        }
    }
}

/// Renames the report of the previous crawl or recrawl by the number of its round, since the next report takes its
/// name.
pub(crate) fn set_report_aside(directory: &Path, round: u32) {
    let (report, aside) = (directory.join("report.json"), directory.join(format!("report-{round}.json")));
    match fs::rename(&report, &aside) {
        // It was killed before it could report.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(%error, "the report of the previous run could not be renamed"),
        Ok(()) => {}
    }
}

/// The maximum number of session reports in one directory.
const SESSIONS_MAX: u32 = 1_000;

/// Renames the report of the previous session of a fleet's node by the next free number. If all numbers are taken, the
/// last report is replaced.
pub(crate) fn set_session_report_aside(directory: &Path) {
    let is_free = |number: &u32| !directory.join(format!("report-{number}.json")).exists();
    let number = (0..SESSIONS_MAX).find(is_free).unwrap_or(SESSIONS_MAX - 1);
    set_report_aside(directory, number);
}

/// Returns the crawl directory.
pub(crate) fn directory(config: &Config) -> PathBuf {
    PathBuf::from(&config.crawl.out)
}

/// Returns the WARC files, relative to the crawl directory, in order.
pub(crate) fn warc_files(directory: &Path) -> Vec<String> {
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
    fn new_and_empty_directories_are_accepted_and_left_empty() {
        let dir = tempfile::tempdir().unwrap();
        let new = dir.path().join("a/b");
        prepare(&new).unwrap();
        prepare(&new).unwrap();
        assert_eq!(fs::read_dir(&new).unwrap().count(), 0);
    }

    #[test]
    fn the_new_directory_of_a_crawl_with_a_log_in_is_closed_to_other_users() {
        let with_login = |set: fn(&mut Config)| {
            let mut config = Config::default();
            set(&mut config);
            config
        };
        let closed_by = |config: &Config, is_new: bool| {
            let dir = tempfile::tempdir().unwrap();
            fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
            close_to_others(dir.path(), config, is_new).unwrap();
            fs::metadata(dir.path()).unwrap().permissions().mode() & 0o777 == 0o700
        };
        assert!(!closed_by(&Config::default(), true), "the umask decides");
        let login = with_login(|config| config.login.url = "https://h/login".to_owned());
        let cookie = with_login(|config| config.fetch.cookie = "a=b".to_owned());
        let file = with_login(|config| config.fetch.cookies_file = "cookies.txt".to_owned());
        let header = with_login(|config| config.fetch.headers.push("X-Api-Key: k".to_owned()));
        for config in [login, cookie, file, header] {
            assert!(closed_by(&config, true), "{:?} {:?}", config.login, config.fetch);
            assert!(!closed_by(&config, false), "an older directory keeps the mode that its owner gave it");
        }
    }

    #[test]
    fn each_session_has_its_report_and_a_killed_one_leaves_no_gap() {
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
    fn files_and_directories_that_are_not_empty_are_refused_untouched() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "mine").unwrap();
        for path in [dir.path(), &file, &file.join("below"), Path::new("")] {
            assert!(matches!(prepare(path), Err(Error::OutputDirectory { .. })), "{path:?}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }
}
