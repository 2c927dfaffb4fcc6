//! The crawl directory.

use std::fs;
use std::path::{Path, PathBuf};

use super::Error;
use crate::config::Config;

/// Where the crawl writes.
pub(super) fn directory(config: &Config) -> PathBuf {
    PathBuf::from(&config.crawl.out)
}

/// Makes the crawl directory. It must not exist, or be empty: nothing that is there is ever written over.
pub fn prepare_directory(path: &Path) -> Result<(), Error> {
    let unusable = |reason: String| Error::OutputDirectory { path: path.to_owned(), reason };
    if path.as_os_str().is_empty() {
        return Err(unusable("no directory was named; give one with --out DIR".to_owned()));
    }
    match fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            None => {}
            Some(_) => {
                return Err(unusable("it is not empty; name another one, or move what is in it away".to_owned()));
            }
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            fs::create_dir_all(path).map_err(|error| unusable(format!("it cannot be made: {error}")))?;
        }
        Err(error) => return Err(unusable(error.to_string())),
    }
    let probe = path.join(".writable");
    fs::write(&probe, b"")
        .and_then(|()| fs::remove_file(&probe))
        .map_err(|error| unusable(format!("it cannot be written to: {error}")))
}

/// The WARC files that are there, relative to the crawl directory, in order.
pub(super) fn warc_files(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory.join(crate::archive::WARC_DIRECTORY)) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> = names.map(|name| format!("{}/{name}", crate::archive::WARC_DIRECTORY)).collect();
    files.sort();
    files
}
