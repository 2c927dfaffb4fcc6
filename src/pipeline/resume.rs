//! Where a crawl starts: anew, or where an earlier run ended.

use std::collections::HashMap;
use std::path::Path;

use super::Error;
use super::keeper::recollection;
use super::output::{self, DirectoryLock};
use super::wiring::SEEN_DIRECTORY;
use crate::archive;
use crate::dedup::SeenUrls;
use crate::host::Politeness;
use crate::page::ScheduledUrl;
use crate::store::{Account, Store};
use crate::url::HostKey;

/// The state, in the crawl directory.
pub(super) const STATE_DIRECTORY: &str = "state";

/// A crawl directory that is ready for a run.
pub(super) struct Start {
    pub lock: DirectoryLock,
    /// The state that an earlier run left; none where there was no such run.
    pub left: Option<Store>,
}

impl Start {
    /// Begins in a directory that is new or empty.
    pub(super) fn anew(directory: &Path) -> Result<Self, Error> {
        output::prepare(directory)?;
        Ok(Self { lock: DirectoryLock::take(directory)?, left: None })
    }

    /// Goes on in a directory that holds a crawl: repairs what its end has torn.
    pub(super) fn again(directory: &Path) -> Result<Self, Error> {
        let state = directory.join(STATE_DIRECTORY);
        if !state.is_dir() {
            let reason = "it holds no crawl that could go on".to_owned();
            return Err(Error::OutputDirectory { path: directory.to_owned(), reason });
        }
        let lock = DirectoryLock::take(directory)?;
        let store = Store::open(&state)?;
        for repaired in archive::repair_all(directory)? {
            let name = repaired.path.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            match repaired.cut_bytes {
                0 => tracing::info!(file = &*name, "a WARC file was left open; it is whole"),
                bytes => tracing::warn!(
                    file = &*name,
                    bytes,
                    "the torn end of a WARC file was cut off; its page is fetched again"
                ),
            }
        }
        // It is made anew from the state: what was in memory is not in its files.
        match std::fs::remove_dir_all(directory.join(SEEN_DIRECTORY)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let path = directory.join(SEEN_DIRECTORY);
                return Err(Error::Write { path, source: error });
            }
            _ => {}
        }
        Ok(Self { lock, left: Some(store) })
    }
}

/// What an earlier run left.
#[derive(Default)]
pub(super) struct Past {
    pub account: Account,
    pub waiting: Vec<(u64, ScheduledUrl)>,
    pub hosts: HashMap<HostKey, Politeness>,
}

impl Past {
    /// Reads it; all URLs of it are seen.
    pub(super) fn read(store: &Store, seen: &SeenUrls) -> Result<Self, Error> {
        let mut waiting = Vec::new();
        let mut known = 0_u64;
        let restored = store.restore(
            |number, item| {
                seen.insert(item.url.fingerprint());
                waiting.push((number, item));
            },
            |url| {
                seen.insert(url);
                known += 1;
            },
        )?;
        if restored.unreadable > 0 {
            tracing::error!(records = restored.unreadable, "records of the state cannot be read and are left aside");
        }
        let hosts = restored.hosts.iter();
        let hosts = hosts.filter_map(|(host, memory)| Some((host.clone(), recollection(memory)?))).collect();
        tracing::info!(waiting = waiting.len(), known, "the crawl goes on");
        Ok(Self { account: restored.account, waiting, hosts })
    }
}
