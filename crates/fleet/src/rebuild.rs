//! What is known of partitions, put together from parts and logs.
//!
//! Everything here is a union: what is said twice, or again later, changes nothing. A URL that has ended anywhere has ended, whatever
//! comes before or after; else it waits with the values that it was given last, at the place that it was given first. Of hosts and notes
//! the last says what holds; the count of a host's URLs only grows. What a log says counts whether the partition was held or not – it was
//! found or fetched all the same – but a position counts only while it was held.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use foldhash::fast::FixedState;

use super::wire::{Marks, NoteKey, Part, Section};
use super::{LogEntry, Partition, PartitionState, Partitions};
use harvestman_core::model::{ProgressRecord, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

/// What is gathered of a partition.
#[derive(Default)]
struct Gathered {
    /// Where a URL stands in `waiting`.
    places: HashMap<Fingerprint, usize, FixedState>,
    /// None: it has ended since.
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

    /// Closes the gaps that ended URLs have left, once they are most of it.
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

/// Makes a part of a stretch of a log, or one part of several and what came after them. What is handed in is in its order.
pub struct PartBuilder {
    partitions: Partitions,
    gathered: BTreeMap<Partition, Gathered>,
}

impl PartBuilder {
    /// A builder of a part of all partitions.
    pub fn new(partitions: &Partitions) -> Self {
        Self::of(partitions, partitions.all())
    }

    fn of(partitions: &Partitions, wanted: impl IntoIterator<Item = Partition>) -> Self {
        let gathered = wanted.into_iter().map(|partition| (partition, Gathered::default())).collect();
        Self { partitions: partitions.clone(), gathered }
    }

    /// What comes next is a part.
    pub fn part(&mut self, part: &Part) {
        for (partition, section) in &part.sections {
            if let Some(gathered) = self.gathered.get_mut(partition) {
                gathered.section(section);
            }
        }
    }

    /// What comes next is an entry of a log. What it takes it holds before its positions are read, what it releases until after.
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

    /// The part.
    pub fn finish(self) -> Part {
        let sections = self.gathered.into_iter().map(|(partition, gathered)| (partition, gathered.finish()));
        Part { sections: sections.filter(|(_, section)| !section.is_empty()).collect() }
    }
}

/// One part that says what several say, in their order.
pub fn merge<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Part {
    let mut gathered: BTreeMap<Partition, Gathered> = BTreeMap::new();
    for (partition, section) in parts.into_iter().flat_map(|part| &part.sections) {
        gathered.entry(*partition).or_default().section(section);
    }
    let sections = gathered.into_iter().map(|(partition, gathered)| (partition, gathered.finish()));
    Part { sections: sections.filter(|(_, section)| !section.is_empty()).collect() }
}

/// Puts together what is known of partitions that are taken over: from all parts of a session, oldest first, and then its log.
pub struct Rebuild(PartBuilder);

impl Rebuild {
    /// Of these partitions.
    pub fn new(partitions: &Partitions, wanted: BTreeSet<Partition>) -> Self {
        Self(PartBuilder::of(partitions, wanted))
    }

    /// What comes next is a part.
    pub fn part(&mut self, part: &Part) {
        self.0.part(part);
    }

    /// What comes next is an entry of the log.
    pub fn entry(&mut self, entry: &LogEntry) {
        self.0.entry(entry);
    }

    /// What is known of each partition; nothing is known of one that nothing was said of.
    pub fn finish(self) -> BTreeMap<Partition, PartitionState> {
        let known = |gathered: Gathered| {
            // Before anything says who holds it, nobody does: an early position counts for nobody.
            let Section { waiting, ended, hosts, notes, marks } = gathered.finish();
            PartitionState { waiting, ended, hosts, notes, position: marks.position }
        };
        self.0.gathered.into_iter().map(|(partition, gathered)| (partition, known(gathered))).collect()
    }
}

#[cfg(test)]
#[path = "rebuild_tests.rs"]
mod tests;
