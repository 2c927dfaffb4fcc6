//! Where a crawl starts: in a new directory, or where an earlier run ended.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::run::output::{self, DirectoryLock, SEEN_DIRECTORY, STATE_DIRECTORY};
use crate::run::state_writer::recollection;
use harvestman_core::clock::Clock;
use harvestman_core::config::Config;
use harvestman_core::model::{Fates, Ledger, ProgressRecord};
use harvestman_core::url::{CanonicalUrl, Fingerprint, HostKey};
use harvestman_stages::frontier::{ChunkPlace, ChunkStore, FrontierActor, SpillStorage};
use harvestman_stages::host::HostHistory;
use harvestman_storage::archive;
use harvestman_storage::dedup::SeenUrls;
use harvestman_storage::store::{Account, RecrawlRound, SpillFile, Store, decode};

/// The file of waiting URLs that exceed the frontier's memory, in the crawl directory.
const CHUNK_FILE: &str = "frontier.chunks";

/// The frontier's chunks in a file.
struct Chunks(SpillFile);

impl ChunkStore for Chunks {
    fn put(&self, chunk: Vec<u8>) -> Result<ChunkPlace, Vec<u8>> {
        let length = u32::try_from(chunk.len()).unwrap_or(u32::MAX);
        match self.0.put(&chunk) {
            Some(offset) if length < u32::MAX => Ok(ChunkPlace { offset, length }),
            _ => Err(chunk),
        }
    }

    fn take(&self, place: ChunkPlace) -> Option<Vec<u8>> {
        self.0.take(place.offset, place.length)
    }
}

/// Returns the storage for waiting URLs that exceed the frontier's memory: on disk, if the crawl persists its state.
pub(crate) fn spill(config: &Config, directory: &Path, on_disk: bool) -> Result<Arc<SpillStorage>, Error> {
    if !on_disk {
        return Ok(Arc::default());
    }
    let file = SpillFile::create(&directory.join(CHUNK_FILE))?;
    Ok(Arc::new(SpillStorage::new(config.frontier.memory.0, Box::new(Chunks(file)))))
}

/// A crawl directory that is ready for a run.
pub(crate) struct Start {
    pub lock: DirectoryLock,
    /// The state that an earlier run left; `None` if there was no such run.
    pub left: Option<Store>,
}

impl Start {
    /// Prepares a directory that is new or empty.
    pub(crate) fn new_crawl(directory: &Path) -> Result<Self, Error> {
        output::prepare(directory)?;
        Ok(Self { lock: DirectoryLock::take(directory)?, left: None })
    }

    /// Opens a directory that holds a crawl, and repairs files that were torn at its end.
    pub(crate) fn resume(directory: &Path) -> Result<Self, Error> {
        let state = directory.join(STATE_DIRECTORY);
        if !state.is_dir() {
            let reason = "it holds no crawl that could be resumed".to_owned();
            return Err(Error::OutputDirectory { path: directory.to_owned(), reason });
        }
        output::check_files(directory)?;
        let lock = DirectoryLock::take(directory)?;
        let store = Store::open(&state)?;
        for repaired in archive::repair_all(directory)? {
            let name = repaired.path.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            match repaired.cut_bytes {
                0 => tracing::info!(file = &*name, "a WARC file was left open; it is intact"),
                bytes => tracing::warn!(
                    file = &*name,
                    bytes,
                    "the torn end of a WARC file was cut off; its page is fetched again"
                ),
            }
        }
        // It is rebuilt from the state: its files lack what was in memory.
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

impl Start {
    /// Begins another recrawl in a directory that holds a crawl. From here on the account is that of the recrawl, whose
    /// links are at first those that still wait. The previous report is renamed.
    pub(crate) fn recrawl(directory: &Path) -> Result<Self, Error> {
        let refuse = |reason: &str| Error::OutputDirectory { path: directory.to_owned(), reason: reason.to_owned() };
        if !directory.join(STATE_DIRECTORY).is_dir() {
            return Err(refuse("it holds no crawl whose pages could be visited again (or one without a state)"));
        }
        let start = Self::resume(directory)?;
        let Some(store) = &start.left else { return Err(refuse("it holds no state")) };
        let (waiting, pages) = (store.waiting()?, store.visits().count()?);
        if pages == 0 {
            return Err(refuse(
                "its state has no fetched page: the crawl has fetched none yet (`harvestman resume DIR` continues it), \
                 was made by an earlier version, or with state.visits = false",
            ));
        }
        let number = store.restore()?.round.map_or(0, |round| round.number) + 1;
        let mut ledger = Ledger::default();
        ledger.discover(&Fates::default(), waiting);
        let account = Account { ledger, ..Account::default() };
        store.begin_round(&RecrawlRound { number, began: Clock::system().now(), pages }, &account)?;
        output::set_report_aside(directory, number - 1);
        Ok(start)
    }
}

/// What an earlier run left, except for the URLs.
#[derive(Default)]
pub(crate) struct Past {
    pub account: Account,
    /// The latest recrawl.
    pub round: Option<RecrawlRound>,
    pub hosts: HashMap<HostKey, HostHistory>,
    /// The number of URLs that were ever accepted, per host.
    pub admitted: Vec<(HostKey, u64)>,
    /// Sitemaps that indexes have named and that are still to be read, by the number of indexes above them.
    pub sitemaps: BTreeMap<u32, Vec<String>>,
}

impl Past {
    /// Reads it from the state.
    pub(crate) fn read(store: &Store) -> Result<Self, Error> {
        let restored = store.restore()?;
        let (mut past, mut unreadable) =
            (Self { account: restored.account, round: restored.round, ..Self::default() }, restored.unreadable);
        for (host, memory) in restored.hosts {
            let politeness = recollection(&memory);
            unreadable += u64::from(politeness.is_none());
            past.hosts.entry(host).or_default().politeness = politeness;
        }
        unreadable += past.take_notes(restored.notes);
        if unreadable > 0 {
            tracing::error!(
                records = unreadable,
                "the state of hosts cannot be read; their pace is reset, and their robots.txt is fetched again"
            );
        }
        Ok(past)
    }

    /// Restores notes. Returns how many cannot be read.
    pub(crate) fn take_notes(&mut self, notes: Vec<ProgressRecord>) -> u64 {
        let (mut unreadable, mut found, mut read) = (0, BTreeMap::new(), HashSet::new());
        for note in notes {
            match note {
                ProgressRecord::Admitted(host, count) => self.admitted.push((host, count)),
                ProgressRecord::SitemapFound(url, nesting) => drop(found.insert(url, nesting)),
                ProgressRecord::SitemapRead(url) => {
                    let host = CanonicalUrl::from_canonical(url.as_str()).host_key();
                    self.hosts.entry(host).or_default().sitemaps_read.push(url.clone());
                    read.insert(url);
                }
                ProgressRecord::Robots(host, bytes) => match decode(&bytes) {
                    Some(robots) => self.hosts.entry(host).or_default().robots = Some(robots),
                    None => unreadable += 1,
                },
            }
        }
        for (url, nesting) in found.into_iter().filter(|(url, _)| !read.contains(url)) {
            self.sitemaps.entry(nesting).or_default().push(url);
        }
        unreadable
    }
}

/// Restores waiting URLs to the frontier and reports each to `waits`; all URLs count as seen.
pub(crate) fn restore_urls(
    store: &Store,
    seen: &SeenUrls,
    frontier: &mut FrontierActor,
    mut waits: impl FnMut(Fingerprint),
) -> Result<(), Error> {
    let (mut waiting, mut ended) = (0_u64, 0_u64);
    let unreadable = store.urls(
        |number, item| {
            let url = item.url.fingerprint();
            seen.insert(url);
            waits(url);
            frontier.restore(number, item);
            waiting += 1;
        },
        |url| {
            seen.insert(url);
            ended += 1;
        },
    )?;
    if unreadable > 0 {
        tracing::error!(records = unreadable, "records of the state cannot be read and are skipped");
    }
    tracing::info!(waiting, ended, "resuming the crawl");
    Ok(())
}
