//! Encoding of a session's log entries.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::batch::SplitMessages;
use super::codec::{MessageKind, WireCodec, WireError, value};
use super::links::Links;
use super::notes::{NoteKey, WireNote};
use crate::bus::PAYLOAD_MAX;
use crate::{FinishedUrl, LogEntry, Partition};
use harvestman_core::model::{Fate, Ledger, ProgressRecord, ScheduledUrl};
use harvestman_core::url::{Fingerprint, HostKey};

/// The most decompressed bytes of an entry, and the most bytes of its expanded texts.
const PLAIN_MAX: usize = 16 << 20;
/// The estimated bytes above which an entry is split, unless it has a single item.
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

/// The content of an entry, in the order in which it may become visible if only the first of several messages arrive.
struct Content<'a> {
    waiting: &'a [ScheduledUrl],
    hosts: &'a [(HostKey, Vec<u8>)],
    notes: Vec<&'a ProgressRecord>,
    ended: &'a [FinishedUrl],
}

/// A range of an entry's content, and whether it includes the beginning and the end of the entry.
#[derive(Clone)]
struct EntryPiece {
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

    /// Estimates the number of bytes before compression.
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

    fn encode(&self, entry: &LogEntry, piece: &EntryPiece, codec: &mut WireCodec) -> Vec<u8> {
        let mut raw = Vec::new();
        let waiting = Links::of(&self.waiting.iter().collect::<Vec<_>>(), &mut raw);
        raw.extend(self.ended.iter().flat_map(|ended| ended.url.0.to_le_bytes()));
        let at_end = |list: &[Partition]| if piece.last { list.to_vec() } else { Vec::new() };
        let body = Body {
            waiting,
            ended: self.ended.iter().map(|ended| (ended.partition, ended.fate)).collect(),
            hosts: self.hosts.iter().map(|(host, record)| (host.as_str(), record.as_slice())).collect(),
            notes: self.notes.iter().map(|note| WireNote::from(*note)).collect(),
            taken: if piece.first { entry.taken.clone() } else { Vec::new() },
            released: at_end(&entry.released),
            positions: if piece.last { entry.positions.clone() } else { Vec::new() },
            ledger: if piece.last { entry.ledger.clone() } else { Ledger::default() },
        };
        codec.encode(MessageKind::Entry, &raw, &body)
    }
}

/// Encodes an entry as one message of any length.
pub fn encode_entry(entry: &LogEntry, codec: &mut WireCodec) -> Vec<u8> {
    let content = Content::of(entry);
    content.encode(entry, &EntryPiece { range: 0..content.len(), first: true, last: true }, codec)
}

/// Encodes an entry as messages of at most [`PAYLOAD_MAX`] bytes that together are equivalent. A session may end
/// between any two of them, so their order matters:
///
/// * The positions and the released partitions are in the last message. A position claims that everything of the
///   exchange up to it is in the log. If it came before the rest, the next holder would not read the missing links
///   again, and they would be lost.
/// * Waiting URLs come before finished ones: a page that is finished while its links are missing would never be fetched
///   again, and its links would be lost. In the other order a page is fetched twice at worst. The same holds for a
///   sitemap and the document that named it.
/// * The ledger is in the last message; the others have an empty one, which has no effect.
///
/// Items that are too long for any message (a link of half a megabyte) are counted in [`SplitMessages::too_long`].
pub fn split_entry(entry: &LogEntry, codec: &mut WireCodec) -> SplitMessages {
    let content = Content::of(entry);
    let mut split = SplitMessages::default();
    pack(entry, &content, EntryPiece { range: 0..content.len(), first: true, last: true }, codec, &mut split);
    split
}

/// Encodes one message, or two halves if it is too long. Each step halves the content.
fn pack(entry: &LogEntry, content: &Content<'_>, piece: EntryPiece, codec: &mut WireCodec, split: &mut SplitMessages) {
    let EntryPiece { range, first, last } = piece.clone();
    let part = content.part(&range);
    if range.len() < 2 || part.estimate() <= ESTIMATE_MAX {
        let message = part.encode(entry, &piece, codec);
        if message.len() <= PAYLOAD_MAX {
            split.messages.push(message.into());
            return;
        }
    }
    if range.len() < 2 {
        split.too_long += range.len();
        if (first || last) && !range.is_empty() {
            pack(entry, content, EntryPiece { range: range.end..range.end, first, last }, codec, split);
        }
        return;
    }
    let middle = range.start + range.len() / 2;
    pack(entry, content, EntryPiece { range: range.start..middle, first, last: false }, codec, split);
    pack(entry, content, EntryPiece { range: middle..range.end, first: false, last }, codec, split);
}

/// Decodes an entry.
///
/// # Errors
/// The entry was written by a node of another format, or is corrupt.
pub fn decode_entry(bytes: &[u8], codec: &mut WireCodec) -> Result<LogEntry, WireError> {
    let kind = MessageKind::Entry;
    let (raw, plain) = codec.decode(kind, bytes, PLAIN_MAX)?;
    let body: Body<'_> = value(kind, &plain)?;
    let (hashes, fingerprints) = split_raw(raw, &body.waiting).ok_or(kind.corrupt("its hashes are truncated"))?;
    if fingerprints.len() != body.ended.len() {
        return Err(kind.corrupt("its fingerprints are truncated"));
    }
    let ended = body.ended.into_iter().zip(fingerprints);
    Ok(LogEntry {
        waiting: body.waiting.read(hashes, PLAIN_MAX).ok_or(kind.corrupt("its links are unreadable"))?,
        ended: ended.map(|((partition, fate), url)| FinishedUrl { partition, url, fate }).collect(),
        hosts: body.hosts.into_iter().map(|(host, record)| (HostKey::from_origin(host), record.to_vec())).collect(),
        notes: body.notes.into_iter().map(ProgressRecord::from).collect(),
        taken: body.taken,
        released: body.released,
        positions: body.positions,
        ledger: body.ledger,
    })
}

/// Splits the incompressible bytes into the links' hashes and the fingerprints.
pub(super) fn split_raw<'a>(raw: &'a [u8], links: &Links<'_>) -> Option<(&'a [u8], Vec<Fingerprint>)> {
    let (hashes, fingerprints) = raw.split_at_checked(links.raw_len())?;
    let (whole, rest) = fingerprints.as_chunks::<FINGERPRINT>();
    let read = whole.iter().map(|bytes| Fingerprint(u128::from_le_bytes(*bytes))).collect();
    rest.is_empty().then_some((hashes, read))
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
