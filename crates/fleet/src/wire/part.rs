//! Parts: what a stretch of a log, or several, said of each partition. Objects of the bus.
//!
//! A part is an index and then a section a partition, each with a checksum of its own: a node reads the sections of the partitions that it
//! takes, and one that is spoilt costs that partition alone.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::codec::{MessageKind, WireCodec, WireError, value};
use super::entry::halves;
use super::links::Links;
use super::notes::WireNote;
use crate::{Partition, PartitionState};
use harvestman_core::model::{ProgressRecord, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

/// The most bytes of an index, and of a section's links and texts, decompressed.
const INDEX_MAX: usize = 1 << 20;
const SECTION_MAX: usize = 1 << 30;
/// Bytes before the index: its length.
const HEAD: usize = 4;

/// What a stretch of a log says of a partition's position in its shard of the exchange.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// Whether the partition is held at the stretch's end; none where the stretch does not say, so that it is as it was before.
    pub held: Option<bool>,
    /// The position that was reached while it was held for certain.
    pub position: u64,
    /// The position that was reached before the stretch said whether it is held: it counts if it was held before.
    pub early: u64,
}

impl Marks {
    /// What was so far, and then this.
    pub fn then(self, next: Self) -> Self {
        let (mut position, mut early) = (self.position.max(next.position), self.early);
        match self.held {
            Some(true) => position = position.max(next.early),
            None => early = early.max(next.early),
            Some(false) => {}
        }
        Self { held: next.held.or(self.held), position, early }
    }
}

/// What a part says of a partition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// URLs that wait, in the order in which they were first said to.
    pub waiting: Vec<ScheduledUrl>,
    /// URLs whose fate is settled, sorted; also those that wait only in what came before.
    pub ended: Vec<Fingerprint>,
    /// What is known of hosts, as records of the state.
    pub hosts: Vec<(HostKey, Vec<u8>)>,
    /// What else is to be kept in mind.
    pub notes: Vec<ProgressRecord>,
    /// Position, and whether it is held.
    pub marks: Marks,
}

impl Section {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        let Self { waiting, ended, hosts, notes, marks } = self;
        waiting.is_empty() && ended.is_empty() && hosts.is_empty() && notes.is_empty() && *marks == Marks::default()
    }
}

impl From<PartitionState> for Section {
    /// What a partition that is taken over begins with. It says nothing of who holds it: that stands in the log.
    fn from(known: PartitionState) -> Self {
        let PartitionState { waiting, ended, hosts, notes, position } = known;
        Self { waiting, ended, hosts, notes, marks: Marks { held: None, position, early: 0 } }
    }
}

/// A part.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// Of each partition that it says something of.
    pub sections: BTreeMap<Partition, Section>,
}

#[derive(Serialize, Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    waiting: Links<'a>,
    #[serde(borrow)]
    hosts: Vec<(&'a str, &'a [u8])>,
    #[serde(borrow)]
    notes: Vec<WireNote<'a>>,
}

/// A line of the index: the partition, and its section's length.
type Line = (Partition, Marks, u64);

impl Part {
    /// A part of what is known of partitions that are taken over.
    pub fn of_states(known: impl IntoIterator<Item = (Partition, PartitionState)>) -> Self {
        Self { sections: known.into_iter().map(|(partition, known)| (partition, known.into())).collect() }
    }

    /// The part as an object.
    pub fn encode(&self, packer: &mut WireCodec) -> Bytes {
        let sealed = self.sections.iter().map(|(partition, section)| (*partition, section.marks, section.seal(packer)));
        let sealed: Vec<(Partition, Marks, Vec<u8>)> = sealed.collect();
        let line =
            |(partition, marks, section): &(Partition, Marks, Vec<u8>)| (*partition, *marks, section.len() as u64);
        let lines: Vec<Line> = sealed.iter().map(line).collect();
        let index = packer.seal(MessageKind::Index, b"", &lines);
        let mut object = (index.len() as u32).to_le_bytes().to_vec();
        object.extend(index);
        for (_, _, section) in sealed {
            object.extend(section);
        }
        object.into()
    }
}

impl Section {
    fn seal(&self, packer: &mut WireCodec) -> Vec<u8> {
        let mut raw = Vec::new();
        let waiting = Links::of(&self.waiting.iter().collect::<Vec<_>>(), &mut raw);
        // As they are: their differences would spare two bytes of sixteen.
        raw.extend(self.ended.iter().flat_map(|url| url.0.to_le_bytes()));
        let hosts = self.hosts.iter().map(|(host, record)| (host.as_str(), record.as_slice())).collect();
        packer.seal(
            MessageKind::Section,
            &raw,
            &Body { waiting, hosts, notes: self.notes.iter().map(WireNote::from).collect() },
        )
    }

    fn open(sealed: &[u8], marks: Marks, packer: &mut WireCodec) -> Result<Self, WireError> {
        let kind = MessageKind::Section;
        let (raw, plain) = packer.open(kind, sealed, SECTION_MAX)?;
        let body: Body<'_> = value(kind, &plain)?;
        let (hashes, ended) = halves(raw, &body.waiting).ok_or(kind.spoilt("its hashes are cut off"))?;
        Ok(Self {
            waiting: body.waiting.read(hashes, SECTION_MAX).ok_or(kind.spoilt("its links cannot be read"))?,
            ended,
            hosts: body.hosts.into_iter().map(|(host, record)| (HostKey::from_origin(host), record.to_vec())).collect(),
            notes: body.notes.into_iter().map(ProgressRecord::from).collect(),
            marks,
        })
    }
}

/// Reads a part section by section.
#[derive(Debug, Clone)]
pub struct PartReader {
    object: Bytes,
    /// Of each partition its marks, and where its section stands.
    sections: BTreeMap<Partition, (Marks, usize, usize)>,
}

impl PartReader {
    /// Reads the index of an object.
    ///
    /// # Errors
    /// Where it was not written by a node of this format, or its index has changed since.
    pub fn open(object: Bytes, packer: &mut WireCodec) -> Result<Self, WireError> {
        let kind = MessageKind::Index;
        let cut_off = || kind.spoilt("it is cut off");
        let (length, rest) = object.split_first_chunk::<HEAD>().ok_or_else(cut_off)?;
        let index = rest.get(..u32::from_le_bytes(*length) as usize).ok_or_else(cut_off)?;
        let (_, plain) = packer.open(kind, index, INDEX_MAX)?;
        let lines: Vec<Line> = value(kind, &plain)?;
        let (mut sections, mut at) = (BTreeMap::new(), HEAD + index.len());
        for (partition, marks, length) in lines {
            let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
            let end = end.ok_or(kind.spoilt("its lengths make no sense"))?;
            sections.insert(partition, (marks, at, end));
            at = end;
        }
        Ok(Self { object, sections })
    }

    /// The partitions that it says something of.
    pub fn partitions(&self) -> impl Iterator<Item = Partition> + '_ {
        self.sections.keys().copied()
    }

    /// What it says of a partition; none where it says nothing.
    ///
    /// # Errors
    /// Where the section was not written by a node of this format, or has changed since, or is cut off. The others can still be read.
    pub fn section(&self, partition: Partition, packer: &mut WireCodec) -> Result<Option<Section>, WireError> {
        let Some((marks, from, to)) = self.sections.get(&partition) else { return Ok(None) };
        let sealed = self.object.get(*from..*to).ok_or(MessageKind::Section.spoilt("it is cut off"))?;
        Section::open(sealed, *marks, packer).map(Some)
    }

    /// The sections of some partitions, and which could not be read, and why. Those are missing from the part.
    pub fn read(&self, wanted: &BTreeSet<Partition>, packer: &mut WireCodec) -> (Part, Vec<(Partition, WireError)>) {
        let (mut part, mut unreadable) = (Part::default(), Vec::new());
        for partition in self.partitions().filter(|partition| wanted.contains(partition)) {
            match self.section(partition, packer) {
                Ok(section) => part.sections.extend(section.map(|section| (partition, section))),
                Err(error) => unreadable.push((partition, error)),
            }
        }
        (part, unreadable)
    }

    /// All sections, and which could not be read.
    pub fn read_all(&self, packer: &mut WireCodec) -> (Part, Vec<(Partition, WireError)>) {
        self.read(&self.partitions().collect(), packer)
    }
}

#[cfg(test)]
#[path = "part_tests.rs"]
mod tests;
