//! Reconstructs the state of partitions from parts and logs.
//!
//! Every operation is a union: repeated or reordered statements change nothing. A URL that is finished anywhere is
//! finished, regardless of order; otherwise it waits with the values that it was last given, at the place where it was
//! first given. For hosts and notes the last statement counts; the URL count of a host only grows. Entries of a log
//! count whether the partition was held or not, because the URLs were found or fetched all the same; a position counts
//! only while the partition was held.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use foldhash::fast::FixedState;

use super::wire::{Marks, NoteKey, Part, Section};
use super::{LogEntry, Partition, PartitionState, Partitions};
use harvestman_core::model::{ProgressRecord, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

/// The accumulated state of a partition.
#[derive(Default)]
struct Gathered {
    /// The index of a URL in `waiting`.
    places: HashMap<Fingerprint, usize, FixedState>,
    /// `None`: the URL was finished since.
    waiting: Vec<Option<ScheduledUrl>>,
    ended: HashSet<Fingerprint, FixedState>,
    hosts: BTreeMap<HostKey, Vec<u8>>,
    notes: BTreeMap<NoteKey, ProgressRecord>,
    marks: Marks,
}

impl Gathered {
    fn wait(&mut self, item: &ScheduledUrl) {
        let url = item.url.fingerprint();
        if self.ended.contains(&url) {
            return;
        }
        let place = *self.places.entry(url).or_insert(self.waiting.len());
        match self.waiting.get_mut(place) {
            Some(waiting) => *waiting = Some(item.clone()),
            None => self.waiting.push(Some(item.clone())),
        }
    }

    fn end(&mut self, url: Fingerprint) {
        self.ended.insert(url);
        if let Some(place) = self.places.remove(&url) {
            self.waiting[place] = None;
            self.close_gaps();
        }
    }

    /// Compacts `waiting` once finished URLs are most of it.
    fn close_gaps(&mut self) {
        if self.waiting.len() < 1_024 || self.places.len() * 2 > self.waiting.len() {
            return;
        }
        self.waiting.retain(Option::is_some);
        let urls = self.waiting.iter().flatten().map(|item| item.url.fingerprint());
        self.places = urls.zip(0..).collect();
    }

    fn host(&mut self, host: &HostKey, record: &[u8]) {
        self.hosts.insert(host.clone(), record.to_vec());
    }

    fn note(&mut self, key: NoteKey, note: &ProgressRecord) {
        let note = match (note, self.notes.get(&key)) {
            (ProgressRecord::Admitted(host, count), Some(ProgressRecord::Admitted(_, before))) => {
                ProgressRecord::Admitted(host.clone(), *count.max(before))
            }
            _ => note.clone(),
        };
        self.notes.insert(key, note);
    }

    fn section(&mut self, section: &Section) {
        section.ended.iter().for_each(|url| self.end(*url));
        section.waiting.iter().for_each(|item| self.wait(item));
        section.hosts.iter().for_each(|(host, record)| self.host(host, record));
        section.notes.iter().for_each(|note| self.note(NoteKey::of(note), note));
        self.mark(section.marks);
    }

    fn mark(&mut self, marks: Marks) {
        self.marks = self.marks.then(marks);
    }

    fn finish(self) -> Section {
        let mut ended: Vec<Fingerprint> = self.ended.into_iter().collect();
        ended.sort_unstable();
        Section {
            waiting: self.waiting.into_iter().flatten().collect(),
            ended,
            hosts: self.hosts.into_iter().collect(),
            notes: self.notes.into_values().collect(),
            marks: self.marks,
        }
    }
}

/// Builds a part from a range of a log, or merges several parts and a following range. Input is added in its order.
pub struct PartBuilder {
    partitions: Partitions,
    gathered: BTreeMap<Partition, Gathered>,
}

impl PartBuilder {
    /// Creates a builder of a part of all partitions.
    pub fn new(partitions: &Partitions) -> Self {
        Self::of(partitions, partitions.all())
    }

    fn of(partitions: &Partitions, wanted: impl IntoIterator<Item = Partition>) -> Self {
        let gathered = wanted.into_iter().map(|partition| (partition, Gathered::default())).collect();
        Self { partitions: partitions.clone(), gathered }
    }

    /// Adds a part.
    pub fn part(&mut self, part: &Part) {
        for (partition, section) in &part.sections {
            if let Some(gathered) = self.gathered.get_mut(partition) {
                gathered.section(section);
            }
        }
    }

    /// Adds an entry of a log. Partitions that it takes are held before its positions are read; partitions that it
    /// releases are held until after.
    pub fn entry(&mut self, entry: &LogEntry) {
        for ended in &entry.ended {
            if let Some(gathered) = self.gathered.get_mut(&ended.partition) {
                gathered.end(ended.url);
            }
        }
        for item in &entry.waiting {
            if let Some(gathered) = self.of_host(&item.url.host_key()) {
                gathered.wait(item);
            }
        }
        for (host, record) in &entry.hosts {
            if let Some(gathered) = self.of_host(host) {
                gathered.host(host, record);
            }
        }
        for note in &entry.notes {
            let key = NoteKey::of(note);
            if let Some(gathered) = self.of_host(&key.host()) {
                gathered.note(key, note);
            }
        }
        self.marks(entry);
    }

    fn marks(&mut self, entry: &LogEntry) {
        self.hold(&entry.taken, true);
        for (partition, gathered) in &mut self.gathered {
            let shard = usize::from(self.partitions.shard(*partition));
            let reached = entry.positions.get(shard).copied().unwrap_or(0);
            gathered.mark(Marks { early: reached, ..Marks::default() });
        }
        self.hold(&entry.released, false);
    }

    fn hold(&mut self, partitions: &[Partition], held: bool) {
        for partition in partitions {
            if let Some(gathered) = self.gathered.get_mut(partition) {
                gathered.mark(Marks { held: Some(held), ..Marks::default() });
            }
        }
    }

    fn of_host(&mut self, host: &HostKey) -> Option<&mut Gathered> {
        self.gathered.get_mut(&self.partitions.of(host))
    }

    /// Builds the part.
    pub fn finish(self) -> Part {
        let sections = self.gathered.into_iter().map(|(partition, gathered)| (partition, gathered.finish()));
        Part { sections: sections.filter(|(_, section)| !section.is_empty()).collect() }
    }
}

/// Merges parts, in their order, into one.
pub fn merge<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Part {
    let mut gathered: BTreeMap<Partition, Gathered> = BTreeMap::new();
    for (partition, section) in parts.into_iter().flat_map(|part| &part.sections) {
        gathered.entry(*partition).or_default().section(section);
    }
    let sections = gathered.into_iter().map(|(partition, gathered)| (partition, gathered.finish()));
    Part { sections: sections.filter(|(_, section)| !section.is_empty()).collect() }
}

/// Reconstructs the state of partitions to take over: from all parts of a session, oldest first, and then its log.
pub struct Rebuild(PartBuilder);

impl Rebuild {
    /// Creates a reconstruction of these partitions.
    pub fn new(partitions: &Partitions, wanted: BTreeSet<Partition>) -> Self {
        Self(PartBuilder::of(partitions, wanted))
    }

    /// Adds a part.
    pub fn part(&mut self, part: &Part) {
        self.0.part(part);
    }

    /// Adds an entry of the log.
    pub fn entry(&mut self, entry: &LogEntry) {
        self.0.entry(entry);
    }

    /// Returns the state of each partition; the default for one that was never mentioned.
    pub fn finish(self) -> BTreeMap<Partition, PartitionState> {
        let known = |gathered: Gathered| {
            // Before any statement of ownership the partition was held by no one: an early position does not count.
            let Section { waiting, ended, hosts, notes, marks } = gathered.finish();
            PartitionState { waiting, ended, hosts, notes, position: marks.position }
        };
        self.0.gathered.into_iter().map(|(partition, gathered)| (partition, known(gathered))).collect()
    }
}

#[cfg(test)]
#[path = "rebuild_tests.rs"]
mod tests;
