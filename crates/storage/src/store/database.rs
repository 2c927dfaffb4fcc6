//! The store: keyspaces of an embedded database.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use serde::{Deserialize, Serialize};

use super::values::{self, FORMAT};
use super::visits::{self, RecrawlRound, VisitReader};
use super::{StoreError, torn_journal};
use harvestman_core::model::{Change, Ended, Lastmod, Ledger, ProgressRecord, ScheduledUrl, Visit};
use harvestman_core::url::{Fingerprint, HostKey};

/// Memory of the database: the read cache, and per keyspace the data not yet written to a table. The load is mostly
/// writes; it reads only when a crawl resumes.
const CACHE_BYTES: u64 = 4 << 20;
const MEMTABLE_BYTES: u64 = 8 << 20;
/// Journals are read when the store is opened. This is the minimum that the database accepts.
const JOURNAL_BYTES: u64 = 64 << 20;

const FORMAT_KEY: &str = "format";
const ACCOUNT_KEY: &str = "account";
const ROUND_KEY: &str = "round";
/// The key prefix of host records.
const HOST_PREFIX: &str = "host ";

/// The account of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The fates of all links.
    pub ledger: Ledger,
    /// The running time of the crawl.
    pub elapsed: Duration,
}

/// The state that a crawl resumes from, except URLs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RestoredState {
    /// The account.
    pub account: Account,
    /// The host records.
    pub hosts: Vec<(HostKey, Vec<u8>)>,
    /// Other progress records.
    pub notes: Vec<ProgressRecord>,
    /// The latest recrawl, if any.
    pub round: Option<RecrawlRound>,
    /// Number of host records and notes that could not be decoded.
    pub unreadable: u64,
}

/// Changes that are committed together.
#[derive(Debug, Default)]
pub struct CommitGroup {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// Encoded host records.
    pub hosts: BTreeMap<HostKey, Vec<u8>>,
    /// Other progress records.
    pub notes: Vec<ProgressRecord>,
}

/// The state of a crawl.
pub struct Store {
    path: PathBuf,
    database: Database,
    /// Number → waiting or leased URL.
    waiting: Keyspace,
    /// Fingerprint → fate of the URL.
    ended: Keyspace,
    /// Fingerprint → visit record of the page.
    visits: Keyspace,
    /// Recrawl, time, fingerprint → sighting of the latest recrawl.
    sightings: Keyspace,
    /// Fingerprint → what a sitemap states about the page.
    lastmods: Keyspace,
    /// The account, the format, hosts, the latest recrawl.
    facts: Keyspace,
}

impl Store {
    /// Creates the state of a new crawl in a directory that does not exist yet.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let store = Self::open_any(path)?;
        let format = store.facts.insert(FORMAT_KEY, [FORMAT]);
        format
            .and_then(|()| store.database.persist(PersistMode::SyncAll))
            .map_err(|error| store.error("create", &error))?;
        Ok(store)
    }

    /// Opens the state of a crawl to resume it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.is_dir() {
            return Err(StoreError::Missing { path: path.to_path_buf() });
        }
        let store = Self::open_any(path)?;
        let format = store.facts.get(FORMAT_KEY).map_err(|error| store.error("read", &error))?;
        match format.as_deref() {
            Some([FORMAT]) => Ok(store),
            Some([found]) => Err(StoreError::Format { path: path.to_path_buf(), found: *found }),
            _ => Err(StoreError::Missing { path: path.to_path_buf() }),
        }
    }

    fn open_any(path: &Path) -> Result<Self, StoreError> {
        let failed = |error: fjall::Error| StoreError::of("open", path, &error);
        let open = || {
            let builder = Database::builder(path).cache_size(CACHE_BYTES).max_journaling_size(JOURNAL_BYTES);
            builder.worker_threads(1).open()
        };
        let database = match open() {
            Err(error @ fjall::Error::JournalRecovery(_)) => match torn_journal::truncate_last_group(path) {
                Some(lost) => {
                    let opened = open().map_err(|still| {
                        lost.give_back();
                        failed(still)
                    });
                    let message = "the last group of the state is incomplete on disk; its work is repeated";
                    opened.inspect(|_| tracing::warn!(%error, "{message}"))?
                }
                None => return Err(failed(error)),
            },
            opened => opened.map_err(failed)?,
        };
        let options = || KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES);
        let keyspace = |name| database.keyspace(name, options).map_err(failed);
        let (waiting, ended, facts) = (keyspace("waiting")?, keyspace("ended")?, keyspace("facts")?);
        // A state from a version without visits gets empty keyspaces.
        let (visits, sightings, lastmods) = (keyspace("visits")?, keyspace("sightings")?, keyspace("lastmods")?);
        Ok(Self { path: path.to_path_buf(), database, waiting, ended, visits, sightings, lastmods, facts })
    }

    /// Commits a group of changes, host records and notes atomically. The group is on disk when this returns.
    pub fn commit(&self, group: &CommitGroup, elapsed: Duration) -> Result<(), StoreError> {
        let CommitGroup { changes, hosts, notes } = group;
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        for (number, item) in last_of_each(changes) {
            match item {
                Some(item) => batch.insert(&self.waiting, number.to_be_bytes(), values::encode_waiting(item)),
                None => batch.remove(&self.waiting, number.to_be_bytes()),
            }
        }
        let ended: BTreeMap<Fingerprint, &Ended> =
            changes.iter().flat_map(|change| &change.ended).map(|ended| (ended.url, ended)).collect();
        for (url, ended) in ended {
            batch.insert(&self.ended, url.0.to_be_bytes(), values::encode_fate(ended.fate));
        }
        let noted = notes.iter().chain(changes.iter().flat_map(|change| &change.progress));
        let noted: BTreeMap<_, _> = noted.map(visits::entry).collect();
        for (key, value) in noted {
            batch.insert(&self.facts, key, value);
        }
        let visits: BTreeMap<Fingerprint, &Visit> =
            changes.iter().filter_map(|change| change.visit.as_deref()).map(|visit| (visit.page(), visit)).collect();
        for (url, visit) in visits {
            batch.insert(&self.visits, url.0.to_be_bytes(), values::encode(visit));
        }
        for sighting in changes.iter().filter_map(|change| change.recrawl_visit.as_deref()) {
            batch.insert(&self.sightings, visits::sighting_key(sighting), values::encode(sighting));
        }
        let stated: BTreeMap<Fingerprint, &Lastmod> =
            changes.iter().flat_map(|change| &change.lastmods).map(|lastmod| (lastmod.page, lastmod)).collect();
        for (url, lastmod) in stated {
            batch.insert(&self.lastmods, url.0.to_be_bytes(), values::encode(lastmod));
        }
        for (host, memory) in hosts {
            batch.insert(&self.facts, host_key(host), memory.as_slice());
        }
        if let Some(last) = changes.last() {
            let account = Account { ledger: last.ledger.clone(), elapsed };
            batch.insert(&self.facts, ACCOUNT_KEY, values::encode(&account));
        }
        batch.commit().map_err(|error| self.error("write", &error))
    }

    /// Calls `waiting` with every waiting URL in the order of discovery, then `ended` with the fingerprint of every URL
    /// that has its fate. Returns the number of records that could not be decoded.
    pub fn urls(
        &self,
        mut waiting: impl FnMut(u64, ScheduledUrl),
        mut ended: impl FnMut(Fingerprint),
    ) -> Result<u64, StoreError> {
        let failed = |error: fjall::Error| self.error("read", &error);
        let mut unreadable = 0;
        for entry in self.waiting.iter() {
            let (key, value) = entry.into_inner().map_err(failed)?;
            match (<[u8; 8]>::try_from(&*key), values::decode_waiting(&value)) {
                (Ok(number), Some(item)) => waiting(u64::from_be_bytes(number), item),
                _ => unreadable += 1,
            }
        }
        for entry in self.ended.iter() {
            match <[u8; 16]>::try_from(&*entry.key().map_err(failed)?) {
                Ok(url) => ended(Fingerprint(u128::from_be_bytes(url))),
                Err(_) => unreadable += 1,
            }
        }
        Ok(unreadable)
    }

    /// Returns the state that a crawl resumes from, except URLs.
    pub fn restore(&self) -> Result<RestoredState, StoreError> {
        let failed = |error: fjall::Error| self.error("read", &error);
        let mut restored = RestoredState::default();
        if let Some(bytes) = self.facts.get(ACCOUNT_KEY).map_err(failed)? {
            match values::decode(&bytes) {
                Some(account) => restored.account = account,
                None => return Err(self.broken("its account cannot be read")),
            }
        }
        if let Some(bytes) = self.facts.get(ROUND_KEY).map_err(failed)? {
            restored.round = values::decode(&bytes);
            restored.unreadable += u64::from(restored.round.is_none());
        }
        for entry in self.facts.iter() {
            let (key, value) = entry.into_inner().map_err(failed)?;
            if let Some(host) = key.strip_prefix(HOST_PREFIX.as_bytes()) {
                match std::str::from_utf8(host) {
                    Ok(host) => restored.hosts.push((HostKey::from_origin(host), value.to_vec())),
                    Err(_) => restored.unreadable += 1,
                }
            } else if let Some(note) = visits::read(&key, &value) {
                match note {
                    Ok(note) => restored.notes.push(note),
                    Err(()) => restored.unreadable += 1,
                }
            }
        }
        Ok(restored)
    }

    /// Returns a reader of visit records, which can be used concurrently with commits.
    pub fn visits(&self) -> VisitReader {
        VisitReader::new(self.path.clone(), self.visits.clone(), self.sightings.clone(), self.lastmods.clone())
    }

    /// Returns the number of waiting and leased URLs.
    pub fn waiting(&self) -> Result<u64, StoreError> {
        self.waiting.len().map(|count| count as u64).map_err(|error| self.error("read", &error))
    }

    /// Starts a recrawl: atomically stores `round` as the latest recrawl and replaces the account. Both are on disk
    /// when this returns.
    pub fn begin_round(&self, round: &RecrawlRound, account: &Account) -> Result<(), StoreError> {
        // The sightings of the previous recrawl are no longer needed, not even to resume it: if this recrawl fails to
        // start, pages still count as visited.
        self.sightings.clear().map_err(|error| self.error("write", &error))?;
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        batch.insert(&self.facts, ROUND_KEY, values::encode(round));
        // Sitemaps are read again because they list new URLs.
        for entry in self.facts.prefix(visits::READ) {
            batch.remove(&self.facts, entry.key().map_err(|error| self.error("read", &error))?);
        }
        batch.insert(&self.facts, ACCOUNT_KEY, values::encode(account));
        batch.commit().map_err(|error| self.error("write", &error))
    }

    #[cfg(test)]
    pub(super) fn spoil_waiting(&self, number: u64) {
        self.waiting.insert(number.to_be_bytes(), b"spoilt").expect("it is written");
    }

    #[cfg(test)]
    pub(super) fn spoil_note(&self, key: &str) {
        self.facts.insert(key, b"spoilt").expect("it is written");
    }

    #[cfg(test)]
    pub(super) fn set_format(&self, format: u8) {
        self.facts.insert(FORMAT_KEY, [format]).expect("it is written");
    }

    fn error(&self, action: &'static str, error: &fjall::Error) -> StoreError {
        StoreError::of(action, &self.path, error)
    }

    fn broken(&self, reason: &str) -> StoreError {
        StoreError::Failed { action: "read", path: self.path.clone(), reason: reason.to_owned() }
    }
}

fn host_key(host: &HostKey) -> String {
    [HOST_PREFIX, host.as_str()].concat()
}

/// Returns the final value of each number after all changes; `None` means that it is removed. A batch may contain a key
/// only once.
fn last_of_each(changes: &[Change]) -> BTreeMap<u64, Option<&ScheduledUrl>> {
    let mut last = BTreeMap::new();
    for change in changes {
        last.extend(change.waiting.iter().map(|(number, item)| (*number, Some(item))));
        last.extend(change.ended.iter().filter_map(|ended| Some((ended.number?, None))));
        last.extend(change.fleet_effects.iter().flat_map(|effects| &effects.dropped).map(|number| (*number, None)));
    }
    last
}
