//! The store: key spaces of an embedded database.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use serde::{Deserialize, Serialize};

use super::StoreError;
use super::notes;
use super::record::{self, FORMAT};
use super::torn_journal;
use super::visits::{self, RecrawlRound, VisitReader};
use harvestman_core::model::{Change, Ended, Ledger, ProgressRecord, ScheduledUrl, Visit};
use harvestman_core::url::{Fingerprint, HostKey};

/// Memory of the database: what it has read, and what each key space has not written to a table yet. It writes much and reads only
/// when a crawl goes on.
const CACHE_BYTES: u64 = 4 << 20;
const MEMTABLE_BYTES: u64 = 8 << 20;
/// Journals are read when the store is opened; the database asks for no less.
const JOURNAL_BYTES: u64 = 64 << 20;

const FORMAT_KEY: &str = "format";
const ACCOUNT_KEY: &str = "account";
const ROUND_KEY: &str = "round";
/// Before the name of a host.
const HOST_PREFIX: &str = "host ";

/// What a crawl has spent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// What became of every link.
    pub ledger: Ledger,
    /// How long the crawl has run.
    pub elapsed: Duration,
}

/// What a crawl goes on from, but for the URLs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RestoredState {
    /// What it has spent.
    pub account: Account,
    /// What was kept of hosts.
    pub hosts: Vec<(HostKey, Vec<u8>)>,
    /// What was kept in mind besides.
    pub notes: Vec<ProgressRecord>,
    /// The latest recrawl; none where there was none.
    pub round: Option<RecrawlRound>,
    /// Records of hosts and notes that could not be read.
    pub unreadable: u64,
}

/// What is kept together.
#[derive(Debug, Default)]
pub struct CommitGroup {
    /// Changes, in their order.
    pub changes: Vec<Change>,
    /// What is known of hosts, as records.
    pub hosts: BTreeMap<HostKey, Vec<u8>>,
    /// What is to be kept in mind besides.
    pub notes: Vec<ProgressRecord>,
}

/// The state of a crawl.
pub struct Store {
    path: PathBuf,
    database: Database,
    /// Number → URL that waits or is leased.
    waiting: Keyspace,
    /// Fingerprint → what became of the URL.
    ended: Keyspace,
    /// Fingerprint → what is known of a page that was visited.
    visits: Keyspace,
    /// Recrawl, time, fingerprint → what a visit of the latest recrawl saw.
    sightings: Keyspace,
    /// The account, the format, hosts, the latest recrawl.
    facts: Keyspace,
}

impl Store {
    /// Makes the state of a new crawl in a directory that is not there yet.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let store = Self::open_any(path)?;
        let format = store.facts.insert(FORMAT_KEY, [FORMAT]);
        format
            .and_then(|()| store.database.persist(PersistMode::SyncAll))
            .map_err(|error| store.error("make", &error))?;
        Ok(store)
    }

    /// Opens the state of a crawl to go on with it.
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
                    let told = "the last group of the state did not reach the disk whole; what it held is done again";
                    opened.inspect(|_| tracing::warn!(%error, "{told}"))?
                }
                None => return Err(failed(error)),
            },
            opened => opened.map_err(failed)?,
        };
        let options = || KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES);
        let keyspace = |name| database.keyspace(name, options).map_err(failed);
        let (waiting, ended, facts) = (keyspace("waiting")?, keyspace("ended")?, keyspace("facts")?);
        // A state that was made before there were visits gets an empty one.
        let (visits, sightings) = (keyspace("visits")?, keyspace("sightings")?);
        Ok(Self { path: path.to_path_buf(), database, waiting, ended, visits, sightings, facts })
    }

    /// Keeps a group of changes, in their order, and what was learnt besides: all of it or nothing. It is on the disk afterwards.
    pub fn commit(&self, group: &CommitGroup, elapsed: Duration) -> Result<(), StoreError> {
        let CommitGroup { changes, hosts, notes } = group;
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        for (number, item) in last_of_each(changes) {
            match item {
                Some(item) => batch.insert(&self.waiting, number.to_be_bytes(), record::encode_waiting(item)),
                None => batch.remove(&self.waiting, number.to_be_bytes()),
            }
        }
        let ended: BTreeMap<Fingerprint, &Ended> =
            changes.iter().flat_map(|change| &change.ended).map(|ended| (ended.url, ended)).collect();
        for (url, ended) in ended {
            batch.insert(&self.ended, url.0.to_be_bytes(), record::encode_fate(ended.fate));
        }
        let noted = notes.iter().chain(changes.iter().flat_map(|change| &change.progress));
        let noted: BTreeMap<_, _> = noted.map(notes::entry).collect();
        for (key, value) in noted {
            batch.insert(&self.facts, key, value);
        }
        let visits: BTreeMap<Fingerprint, &Visit> =
            changes.iter().filter_map(|change| change.visit.as_deref()).map(|visit| (visit.page(), visit)).collect();
        for (url, visit) in visits {
            batch.insert(&self.visits, url.0.to_be_bytes(), record::encode(visit));
        }
        for sighting in changes.iter().filter_map(|change| change.recrawl_visit.as_deref()) {
            batch.insert(&self.sightings, visits::sighting_key(sighting), record::encode(sighting));
        }
        for (host, memory) in hosts {
            batch.insert(&self.facts, host_key(host), memory.as_slice());
        }
        if let Some(last) = changes.last() {
            let account = Account { ledger: last.ledger.clone(), elapsed };
            batch.insert(&self.facts, ACCOUNT_KEY, record::encode(&account));
        }
        batch.commit().map_err(|error| self.error("write", &error))
    }

    /// Hands over every URL that waits, in the order of discovery, and then the fingerprint of every URL whose fate is settled. Says how
    /// many records could not be read.
    pub fn urls(
        &self,
        mut waiting: impl FnMut(u64, ScheduledUrl),
        mut ended: impl FnMut(Fingerprint),
    ) -> Result<u64, StoreError> {
        let failed = |error: fjall::Error| self.error("read", &error);
        let mut unreadable = 0;
        for entry in self.waiting.iter() {
            let (key, value) = entry.into_inner().map_err(failed)?;
            match (<[u8; 8]>::try_from(&*key), record::decode_waiting(&value)) {
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

    /// What a crawl goes on from besides the URLs.
    pub fn restore(&self) -> Result<RestoredState, StoreError> {
        let failed = |error: fjall::Error| self.error("read", &error);
        let mut restored = RestoredState::default();
        if let Some(bytes) = self.facts.get(ACCOUNT_KEY).map_err(failed)? {
            match record::decode(&bytes) {
                Some(account) => restored.account = account,
                None => return Err(self.broken("its account cannot be read")),
            }
        }
        if let Some(bytes) = self.facts.get(ROUND_KEY).map_err(failed)? {
            restored.round = record::decode(&bytes);
            restored.unreadable += u64::from(restored.round.is_none());
        }
        for entry in self.facts.iter() {
            let (key, value) = entry.into_inner().map_err(failed)?;
            if let Some(host) = key.strip_prefix(HOST_PREFIX.as_bytes()) {
                match std::str::from_utf8(host) {
                    Ok(host) => restored.hosts.push((HostKey::from_origin(host), value.to_vec())),
                    Err(_) => restored.unreadable += 1,
                }
            } else if let Some(note) = notes::read(&key, &value) {
                match note {
                    Ok(note) => restored.notes.push(note),
                    Err(()) => restored.unreadable += 1,
                }
            }
        }
        Ok(restored)
    }

    /// Looks up what is known of single pages, also while the state is written to.
    pub fn visits(&self) -> VisitReader {
        VisitReader::new(self.path.clone(), self.visits.clone(), self.sightings.clone())
    }

    /// How many URLs wait or are leased.
    pub fn waiting(&self) -> Result<u64, StoreError> {
        self.waiting.len().map(|count| count as u64).map_err(|error| self.error("read", &error))
    }

    /// Begins a recrawl: from now on this is the latest one, and the account is `account`. Both or nothing; on the disk afterwards.
    pub fn begin_round(&self, round: &RecrawlRound, account: &Account) -> Result<(), StoreError> {
        // What the one before saw is of no more use, not even to itself: should this one not begin after all, visits are known as such.
        self.sightings.clear().map_err(|error| self.error("write", &error))?;
        let mut batch = self.database.batch().durability(Some(PersistMode::SyncData));
        batch.insert(&self.facts, ROUND_KEY, record::encode(round));
        // Sitemaps are read again: they name what is new.
        for entry in self.facts.prefix(notes::READ) {
            batch.remove(&self.facts, entry.key().map_err(|error| self.error("read", &error))?);
        }
        batch.insert(&self.facts, ACCOUNT_KEY, record::encode(account));
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

/// What is to stand under each number after all changes; none: nothing. A batch may name a key only once.
fn last_of_each(changes: &[Change]) -> BTreeMap<u64, Option<&ScheduledUrl>> {
    let mut last = BTreeMap::new();
    for change in changes {
        last.extend(change.waiting.iter().map(|(number, item)| (*number, Some(item))));
        last.extend(change.ended.iter().filter_map(|ended| Some((ended.number?, None))));
        last.extend(change.fleet_effects.iter().flat_map(|effects| &effects.dropped).map(|number| (*number, None)));
    }
    last
}
