//! Parts: the effect of one or several ranges of a log on each partition. Stored as objects of the bus.
//!
//! A part is an index followed by one section per partition, each with its own checksum: a node reads the sections of
//! the partitions that it takes, and a corrupt section affects only its partition.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::codec::{MessageKind, WireCodec, WireError, value};
use super::entry::split_raw;
use super::links::Links;
use super::notes::WireNote;
use crate::{Partition, PartitionState};
use harvestman_core::model::{ProgressRecord, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

/// The most decompressed bytes of an index, and of a section's links and texts.
const INDEX_MAX: usize = 1 << 20;
const SECTION_MAX: usize = 1 << 30;
/// The length of the field that precedes the index: the length of the index.
const HEAD: usize = 4;

/// What a range of a log says about a partition's position in its shard of the exchange.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// Whether the partition is held at the end of the range; `None` if the range does not say, so that it is as before
    /// the range.
    pub held: Option<bool>,
    /// The position that was reached while the partition was certainly held.
    pub position: u64,
    /// The position that was reached before the range says whether the partition is held. It counts if the partition
    /// was held before the range.
    pub early: u64,
}

impl Marks {
    /// Appends the marks of the following range.
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

/// The section of a partition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// URLs that wait, in the order in which they were first seen.
    pub waiting: Vec<ScheduledUrl>,
    /// URLs with a final outcome, sorted; includes URLs that wait only in earlier parts.
    pub ended: Vec<Fingerprint>,
    /// The state of hosts, as records of the state store.
    pub hosts: Vec<(HostKey, Vec<u8>)>,
    /// Other facts to remember.
    pub notes: Vec<ProgressRecord>,
    /// The position, and whether the partition is held.
    pub marks: Marks,
}

impl Section {
    /// Returns whether the section has no content.
    pub fn is_empty(&self) -> bool {
        let Self { waiting, ended, hosts, notes, marks } = self;
        waiting.is_empty() && ended.is_empty() && hosts.is_empty() && notes.is_empty() && *marks == Marks::default()
    }
}

impl From<PartitionState> for Section {
    /// Creates the section that a partition begins with when it is taken over. It makes no statement about ownership,
    /// which is in the log.
    fn from(known: PartitionState) -> Self {
        let PartitionState { waiting, ended, hosts, notes, position } = known;
        Self { waiting, ended, hosts, notes, marks: Marks { held: None, position, early: 0 } }
    }
}

/// A part.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// The sections of the partitions that it covers.
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

/// A line of the index.
#[derive(Serialize, Deserialize)]
struct IndexLine {
    partition: Partition,
    marks: Marks,
    /// The length of the section.
    length: u64,
}

/// The location of a section in its object.
#[derive(Debug, Clone)]
struct SectionSpan {
    marks: Marks,
    range: Range<usize>,
}

impl Part {
    /// Creates a part of the states of partitions that are taken over.
    pub fn of_states(known: impl IntoIterator<Item = (Partition, PartitionState)>) -> Self {
        Self { sections: known.into_iter().map(|(partition, known)| (partition, known.into())).collect() }
    }

    /// Encodes the part as an object.
    pub fn encode(&self, codec: &mut WireCodec) -> Bytes {
        let (mut lines, mut sections) = (Vec::new(), Vec::new());
        for (partition, section) in &self.sections {
            let frame = section.encode(codec);
            lines.push(IndexLine { partition: *partition, marks: section.marks, length: frame.len() as u64 });
            sections.extend(frame);
        }
        let index = codec.encode(MessageKind::Index, b"", &lines);
        let mut object = (index.len() as u32).to_le_bytes().to_vec();
        object.extend(index);
        object.extend(sections);
        object.into()
    }
}

impl Section {
    fn encode(&self, codec: &mut WireCodec) -> Vec<u8> {
        let mut raw = Vec::new();
        let waiting = Links::of(&self.waiting.iter().collect::<Vec<_>>(), &mut raw);
        // Stored verbatim: delta encoding would save two bytes of sixteen.
        raw.extend(self.ended.iter().flat_map(|url| url.0.to_le_bytes()));
        let hosts = self.hosts.iter().map(|(host, record)| (host.as_str(), record.as_slice())).collect();
        codec.encode(
            MessageKind::Section,
            &raw,
            &Body { waiting, hosts, notes: self.notes.iter().map(WireNote::from).collect() },
        )
    }

    fn decode(frame: &[u8], marks: Marks, codec: &mut WireCodec) -> Result<Self, WireError> {
        let kind = MessageKind::Section;
        let (raw, plain) = codec.decode(kind, frame, SECTION_MAX)?;
        let body: Body<'_> = value(kind, &plain)?;
        let (hashes, ended) = split_raw(raw, &body.waiting).ok_or(kind.corrupt("its hashes are truncated"))?;
        Ok(Self {
            waiting: body.waiting.read(hashes, SECTION_MAX).ok_or(kind.corrupt("its links are unreadable"))?,
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
    sections: BTreeMap<Partition, SectionSpan>,
}

impl PartReader {
    /// Decodes the index of an object.
    ///
    /// # Errors
    /// The object was written by a node of another format, or its index is corrupt.
    pub fn open(object: Bytes, codec: &mut WireCodec) -> Result<Self, WireError> {
        let kind = MessageKind::Index;
        let truncated = || kind.corrupt("it is truncated");
        let (length, rest) = object.split_first_chunk::<HEAD>().ok_or_else(truncated)?;
        let index = rest.get(..u32::from_le_bytes(*length) as usize).ok_or_else(truncated)?;
        let (_, plain) = codec.decode(kind, index, INDEX_MAX)?;
        let lines: Vec<IndexLine> = value(kind, &plain)?;
        let (mut sections, mut at) = (BTreeMap::new(), HEAD + index.len());
        for IndexLine { partition, marks, length } in lines {
            let end = usize::try_from(length).ok().and_then(|length| at.checked_add(length));
            let end = end.ok_or(kind.corrupt("its lengths are out of range"))?;
            sections.insert(partition, SectionSpan { marks, range: at..end });
            at = end;
        }
        Ok(Self { object, sections })
    }

    /// Iterates over the partitions that the part covers.
    pub fn partitions(&self) -> impl Iterator<Item = Partition> + '_ {
        self.sections.keys().copied()
    }

    /// Decodes the section of a partition; `None` if the part does not cover it.
    ///
    /// # Errors
    /// The section was written by a node of another format, or is corrupt or truncated. Other sections are not
    /// affected.
    pub fn section(&self, partition: Partition, codec: &mut WireCodec) -> Result<Option<Section>, WireError> {
        let Some(SectionSpan { marks, range }) = self.sections.get(&partition) else { return Ok(None) };
        let frame = self.object.get(range.clone()).ok_or(MessageKind::Section.corrupt("it is truncated"))?;
        Section::decode(frame, *marks, codec).map(Some)
    }

    /// Decodes the sections of some partitions. Returns the unreadable ones, which are missing from the part, with the
    /// reasons.
    pub fn read(&self, wanted: &BTreeSet<Partition>, codec: &mut WireCodec) -> (Part, Vec<(Partition, WireError)>) {
        let (mut part, mut unreadable) = (Part::default(), Vec::new());
        for partition in self.partitions().filter(|partition| wanted.contains(partition)) {
            match self.section(partition, codec) {
                Ok(section) => part.sections.extend(section.map(|section| (partition, section))),
                Err(error) => unreadable.push((partition, error)),
            }
        }
        (part, unreadable)
    }

    /// Decodes all sections. Returns the unreadable ones with the reasons.
    pub fn read_all(&self, codec: &mut WireCodec) -> (Part, Vec<(Partition, WireError)>) {
        self.read(&self.partitions().collect(), codec)
    }
}

#[cfg(test)]
#[path = "part_tests.rs"]
mod tests;
