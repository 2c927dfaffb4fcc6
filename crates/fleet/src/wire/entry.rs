//! Entries of a session's log.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::batch::Split;
use super::codec::{MessageKind, WireCodec, WireError, value};
use super::links::Links;
use super::notes::{NoteKey, WireNote};
use crate::bus::PAYLOAD_MAX;
use crate::{FinishedUrl, LogEntry, Partition};
use harvestman_core::model::{Fate, Ledger, ProgressRecord, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

/// The most bytes of an entry, decompressed, and of the texts in it, written out.
const PLAIN_MAX: usize = 16 << 20;
/// What is estimated to have more bytes than this is not put into one entry, unless it is a single thing.
const ESTIMATE_MAX: usize = 4 << 20;
/// Bytes of a fingerprint.
const FINGERPRINT: usize = 16;

#[derive(Serialize, Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    waiting: Links<'a>,
    ended: Vec<(Partition, Fate)>,
    #[serde(borrow)]
    hosts: Vec<(&'a str, &'a [u8])>,
    #[serde(borrow)]
    notes: Vec<WireNote<'a>>,
    taken: Vec<Partition>,
    released: Vec<Partition>,
    positions: Vec<u64>,
    ledger: Ledger,
}

/// What an entry says, in the order in which it may become known if only the first messages of several arrive.
struct Content<'a> {
    waiting: &'a [ScheduledUrl],
    hosts: &'a [(HostKey, Vec<u8>)],
    notes: Vec<&'a ProgressRecord>,
    ended: &'a [FinishedUrl],
}

/// A stretch of an entry's content, and whether the entry begins and ends with it.
#[derive(Clone)]
struct Stretch {
    range: Range<usize>,
    first: bool,
    last: bool,
}

impl<'a> Content<'a> {
    fn of(entry: &'a LogEntry) -> Self {
        let mut notes: Vec<&ProgressRecord> = entry.notes.iter().collect();
        notes.sort_by_key(|note| NoteKey::rank(note));
        Self { waiting: &entry.waiting, hosts: &entry.hosts, notes, ended: &entry.ended }
    }

    fn len(&self) -> usize {
        self.waiting.len() + self.hosts.len() + self.notes.len() + self.ended.len()
    }

    fn part(&self, range: &Range<usize>) -> Self {
        let mut from = 0;
        let mut within = |count: usize| {
            let (start, end) = (range.start.max(from), range.end.min(from + count));
            let part = if start < end { start - from..end - from } else { 0..0 };
            from += count;
            part
        };
        Self {
            waiting: &self.waiting[within(self.waiting.len())],
            hosts: &self.hosts[within(self.hosts.len())],
            notes: self.notes[within(self.notes.len())].to_vec(),
            ended: &self.ended[within(self.ended.len())],
        }
    }

    /// About how many bytes it has before it is compressed.
    fn estimate(&self) -> usize {
        let link = |item: &ScheduledUrl| item.url.as_str().len() + item.via.as_deref().map_or(0, str::len) + 16;
        let note = |note: &&ProgressRecord| match note {
            ProgressRecord::Robots(_, record) => record.len() + 32,
            _ => 64,
        };
        let waiting: usize = self.waiting.iter().map(link).sum();
        let hosts: usize = self.hosts.iter().map(|(host, record)| host.as_str().len() + record.len()).sum();
        waiting + hosts + self.notes.iter().map(note).sum::<usize>() + self.ended.len() * 8
    }

    fn seal(&self, entry: &LogEntry, stretch: &Stretch, packer: &mut WireCodec) -> Vec<u8> {
        let mut raw = Vec::new();
        let waiting = Links::of(&self.waiting.iter().collect::<Vec<_>>(), &mut raw);
        raw.extend(self.ended.iter().flat_map(|ended| ended.url.0.to_le_bytes()));
        let at_end = |list: &[Partition]| if stretch.last { list.to_vec() } else { Vec::new() };
        let body = Body {
            waiting,
            ended: self.ended.iter().map(|ended| (ended.partition, ended.fate)).collect(),
            hosts: self.hosts.iter().map(|(host, record)| (host.as_str(), record.as_slice())).collect(),
            notes: self.notes.iter().map(|note| WireNote::from(*note)).collect(),
            taken: if stretch.first { entry.taken.clone() } else { Vec::new() },
            released: at_end(&entry.released),
            positions: if stretch.last { entry.positions.clone() } else { Vec::new() },
            ledger: if stretch.last { entry.ledger.clone() } else { Ledger::default() },
        };
        packer.seal(MessageKind::Entry, &raw, &body)
    }
}

/// An entry as one message, however long it is.
pub fn encode_entry(entry: &LogEntry, packer: &mut WireCodec) -> Vec<u8> {
    let content = Content::of(entry);
    content.seal(entry, &Stretch { range: 0..content.len(), first: true, last: true }, packer)
}

/// An entry as messages of at most [`PAYLOAD_MAX`] bytes, which together mean the same. They may be cut off after any of them, because a
/// session may end between two:
///
/// * The positions and what is released stand in the last. A position says that everything of the exchange up to it is in the log; were
///   it said before all of it is, the next holder would not read again what is missing, and links would be lost.
/// * What waits comes before what has ended: a page that ended while its links are not there would never be fetched again, and its links
///   would be lost. The other way round it is fetched twice at worst. So it is with a sitemap that was found and what named it.
/// * The account stands in the last; the others have an empty one, which says nothing.
///
/// What fits into no message (a link of half a megabyte) is counted in [`Split::too_long`].
pub fn split_entry(entry: &LogEntry, packer: &mut WireCodec) -> Split {
    let content = Content::of(entry);
    let mut split = Split::default();
    pack(entry, &content, Stretch { range: 0..content.len(), first: true, last: true }, packer, &mut split);
    split
}

/// One message, or two halves where that is too long. Each step halves the content.
fn pack(entry: &LogEntry, content: &Content<'_>, stretch: Stretch, packer: &mut WireCodec, split: &mut Split) {
    let Stretch { range, first, last } = stretch.clone();
    let part = content.part(&range);
    if range.len() < 2 || part.estimate() <= ESTIMATE_MAX {
        let message = part.seal(entry, &stretch, packer);
        if message.len() <= PAYLOAD_MAX {
            split.messages.push(message.into());
            return;
        }
    }
    if range.len() < 2 {
        split.too_long += range.len();
        if (first || last) && !range.is_empty() {
            pack(entry, content, Stretch { range: range.end..range.end, first, last }, packer, split);
        }
        return;
    }
    let middle = range.start + range.len() / 2;
    pack(entry, content, Stretch { range: range.start..middle, first, last: false }, packer, split);
    pack(entry, content, Stretch { range: middle..range.end, first: false, last }, packer, split);
}

/// Reads an entry.
///
/// # Errors
/// Where it was not written by a node of this format, or has changed since.
pub fn decode_entry(bytes: &[u8], packer: &mut WireCodec) -> Result<LogEntry, WireError> {
    let kind = MessageKind::Entry;
    let (raw, plain) = packer.open(kind, bytes, PLAIN_MAX)?;
    let body: Body<'_> = value(kind, &plain)?;
    let (hashes, fingerprints) = halves(raw, &body.waiting).ok_or(kind.spoilt("its hashes are cut off"))?;
    if fingerprints.len() != body.ended.len() {
        return Err(kind.spoilt("its fingerprints are cut off"));
    }
    let ended = body.ended.into_iter().zip(fingerprints);
    Ok(LogEntry {
        waiting: body.waiting.read(hashes, PLAIN_MAX).ok_or(kind.spoilt("its links cannot be read"))?,
        ended: ended.map(|((partition, fate), url)| FinishedUrl { partition, url, fate }).collect(),
        hosts: body.hosts.into_iter().map(|(host, record)| (HostKey::from_origin(host), record.to_vec())).collect(),
        notes: body.notes.into_iter().map(ProgressRecord::from).collect(),
        taken: body.taken,
        released: body.released,
        positions: body.positions,
        ledger: body.ledger,
    })
}

/// What does not compress: the links' hashes, and fingerprints.
pub(super) fn halves<'a>(raw: &'a [u8], links: &Links<'_>) -> Option<(&'a [u8], Vec<Fingerprint>)> {
    let (hashes, fingerprints) = raw.split_at_checked(links.raw_len())?;
    let (whole, rest) = fingerprints.as_chunks::<FINGERPRINT>();
    let read = whole.iter().map(|bytes| Fingerprint(u128::from_le_bytes(*bytes))).collect();
    rest.is_empty().then_some((hashes, read))
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
