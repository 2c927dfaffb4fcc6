//! The index of archived payloads: a page with exactly the same bytes as an earlier one becomes a revisit record.
//!
//! The index is shared by all workers. An entry is added only after its record was written (the writer calls
//! [`RevisitIndex::register`]), so a revisit never refers to a missing record; of two equal pages in flight at the same
//! time both are written as responses. The index is bounded in bytes: the oldest entries are forgotten. A payload that
//! comes again after that is written once more, and remembered again.
//!
//! An original takes 47 bytes (with SHA-1) and its URL, and 5 to 11 bytes of the table that finds it. As a map of
//! structures it would take twice as much. Originals are appended to segments of a fixed size. When there is no room
//! for another segment, the oldest one is removed with all originals in it.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use parking_lot::Mutex;

use super::digest::Digest;
use super::record_id::RecordId;
use harvestman_core::clock::Instant;
use harvestman_core::config::ByteSize;

const SHARDS: usize = 16;

/// Payload digests and the records that have the payloads.
#[derive(Debug)]
pub struct RevisitIndex {
    shards: Vec<Mutex<RevisitShard>>,
}

impl RevisitIndex {
    /// Creates an index that takes about `memory` (rounded up to a multiple of 256 KiB; 0 disables it).
    pub fn new(memory: ByteSize) -> Self {
        let bytes = memory.as_usize().div_ceil(SHARDS);
        Self { shards: (0..SHARDS).map(|_| Mutex::new(RevisitShard::new(bytes))).collect() }
    }

    /// Returns the record with this payload, if it is in the index.
    pub fn find(&self, payload: &Digest) -> Option<OriginalRecord> {
        self.shard(payload).lock().find(payload)
    }

    /// Adds `original`, which has the payload `payload` and was written. The first record of a payload is retained.
    pub fn register(&self, payload: &Digest, original: &OriginalRecord) {
        self.shard(payload).lock().register(payload, original);
    }

    /// Returns the number of payloads.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }

    /// Returns whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shard(&self, payload: &Digest) -> &Mutex<RevisitShard> {
        &self.shards[usize::from(payload.as_bytes()[0]) % SHARDS]
    }
}

/// A response record that later pages with the same payload refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginalRecord {
    /// Its URL.
    pub url: Box<str>,
    /// Its date.
    pub date: Instant,
    /// Its record id.
    pub id: RecordId,
}

const OFFSET_BITS: u32 = 14;
/// Bytes of a segment. Longer originals are not remembered.
const SEGMENT_BYTES: usize = 1 << OFFSET_BITS;
/// Mask of segment numbers, which wrap around.
const NUMBERS: u32 = u32::MAX >> OFFSET_BITS;

/// The place of an original: the number of its segment and the offset in it.
type Place = u32;

/// Digests, and the records that have the payloads.
#[derive(Debug)]
struct RevisitShard {
    table: HashTable<Place>,
    segments: Segments,
    hasher: RandomState,
}

#[derive(Debug)]
struct Segments {
    bytes: VecDeque<Vec<u8>>,
    /// Number of the first segment.
    oldest: u32,
    max: usize,
}

/// An original in a segment.
struct Packed<'a> {
    payload: Digest,
    date: Instant,
    id: RecordId,
    url: &'a str,
    /// Number of its bytes.
    length: usize,
}

impl RevisitShard {
    /// Creates a shard of `bytes` (rounded up to whole segments).
    fn new(bytes: usize) -> Self {
        let max = bytes.div_ceil(SEGMENT_BYTES).min(NUMBERS as usize);
        let segments = Segments { bytes: VecDeque::new(), oldest: 0, max };
        Self { table: HashTable::new(), segments, hasher: RandomState::default() }
    }

    /// Returns the number of originals.
    fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns the record with this payload.
    fn find(&self, payload: &Digest) -> Option<OriginalRecord> {
        let is_it = |place: &Place| self.segments.get(*place).is_some_and(|packed| packed.payload == *payload);
        let place = self.table.find(self.hasher.hash_one(payload), is_it)?;
        let Packed { url, date, id, .. } = self.segments.get(*place)?;
        Some(OriginalRecord { url: url.into(), date, id })
    }

    /// Adds an original, unless there is one with this payload.
    fn register(&mut self, payload: &Digest, original: &OriginalRecord) {
        let length = packed_length(payload, original);
        if self.segments.max == 0 || length > SEGMENT_BYTES || self.find(payload).is_some() {
            return;
        }
        if !self.segments.has_room(length) {
            if self.segments.bytes.len() == self.segments.max {
                self.forget_oldest();
            }
            self.segments.bytes.push_back(Vec::with_capacity(SEGMENT_BYTES));
        }
        let Self { table, segments, hasher } = self;
        if let Some(place) = segments.push(payload, original) {
            let rehash = |place: &Place| segments.get(*place).map_or(0, |packed| hasher.hash_one(packed.payload));
            table.insert_unique(hasher.hash_one(payload), place, rehash);
        }
    }

    /// Removes the oldest segment.
    fn forget_oldest(&mut self) {
        let mut place = self.segments.oldest << OFFSET_BITS;
        while let Some(packed) = self.segments.get(place) {
            let next = place.wrapping_add(packed.length as Place);
            if let Ok(entry) = self.table.find_entry(self.hasher.hash_one(packed.payload), |at| *at == place) {
                entry.remove();
            }
            if next >> OFFSET_BITS != self.segments.oldest {
                break;
            }
            place = next;
        }
        self.segments.bytes.pop_front();
        self.segments.oldest = (self.segments.oldest + 1) & NUMBERS;
    }
}

impl Segments {
    /// Returns whether the last segment has room for this many bytes.
    fn has_room(&self, length: usize) -> bool {
        self.bytes.back().is_some_and(|last| last.len() + length <= SEGMENT_BYTES)
    }

    /// Appends an original to the last segment and returns its place.
    fn push(&mut self, payload: &Digest, original: &OriginalRecord) -> Option<Place> {
        let number = self.oldest.wrapping_add(self.bytes.len() as u32 - 1) & NUMBERS;
        let last = self.bytes.back_mut()?;
        let place = (number << OFFSET_BITS) | last.len() as Place;
        last.push(payload.as_bytes().len() as u8);
        last.extend_from_slice(payload.as_bytes());
        last.extend_from_slice(&original.date.as_micros().to_le_bytes());
        last.extend_from_slice(&original.id.to_bytes());
        last.extend_from_slice(&(original.url.len() as u16).to_le_bytes());
        last.extend_from_slice(original.url.as_bytes());
        Some(place)
    }

    /// Returns the original at a place.
    fn get(&self, place: Place) -> Option<Packed<'_>> {
        let segment = (place >> OFFSET_BITS).wrapping_sub(self.oldest) & NUMBERS;
        let all = self.bytes.get(segment as usize)?.get(place as usize % SEGMENT_BYTES..)?;
        let (digest_length, rest) = all.split_first()?;
        let (digest, rest) = rest.split_at_checked((*digest_length).into())?;
        let (date, rest) = rest.split_first_chunk()?;
        let (id, rest) = rest.split_first_chunk()?;
        let (url_length, rest) = rest.split_first_chunk()?;
        let (url, rest) = rest.split_at_checked(u16::from_le_bytes(*url_length).into())?;
        Some(Packed {
            payload: Digest::from_bytes(digest)?,
            date: Instant::from_micros(u64::from_le_bytes(*date)),
            id: RecordId::from_bytes(*id),
            url: std::str::from_utf8(url).ok()?,
            length: all.len() - rest.len(),
        })
    }
}

/// Returns the number of bytes of an original in a segment.
fn packed_length(payload: &Digest, original: &OriginalRecord) -> usize {
    1 + payload.as_bytes().len() + size_of::<u64>() + size_of::<RecordId>() + size_of::<u16>() + original.url.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::archive::digest::digest;
    use crate::archive::record_id::RunId;
    use harvestman_core::config::archive::DigestAlgorithm;
    use harvestman_core::seed::Seed;

    fn payload(n: u32) -> Digest {
        digest(DigestAlgorithm::Sha1, &[&n.to_le_bytes()])
    }

    fn original(n: u32) -> OriginalRecord {
        let id = RunId::new(Seed(1), Instant::EPOCH).ids(0).next_id();
        OriginalRecord { url: format!("http://h/{n}").into(), date: Instant::from_micros(n.into()), id }
    }

    #[test]
    fn the_first_record_of_a_payload_is_the_one_referred_to() {
        let index = RevisitIndex::new(ByteSize::kib(1));
        assert_eq!(index.find(&payload(1)), None);
        index.register(&payload(1), &original(1));
        index.register(&payload(1), &original(2));
        assert_eq!(index.find(&payload(1)), Some(original(1)));
    }

    #[test]
    fn the_index_stays_within_its_bound_and_forgets_the_oldest() {
        let index = RevisitIndex::new(ByteSize::kib(512));
        for n in 0..50_000 {
            index.register(&payload(n), &original(n));
            assert_eq!(index.find(&payload(n)), Some(original(n)));
        }
        assert!((3_000..8_000).contains(&index.len()), "{} payloads", index.len());
        assert_eq!(index.find(&payload(0)), None);
        let none = RevisitIndex::new(ByteSize(0));
        none.register(&payload(1), &original(1));
        assert!(none.is_empty());
    }

    /// A payload of few, and a record with a URL of any length.
    fn page() -> impl Strategy<Value = (Digest, OriginalRecord)> {
        let url =
            prop_oneof![Just(0), 0..400_usize, 10_000..20_000_usize].prop_map(|length| "u\u{e9}".repeat(length / 3));
        (0..200_u16, any::<bool>(), url, any::<u64>(), any::<[u8; 16]>()).prop_map(|(number, long, url, date, id)| {
            let algorithm = if long { DigestAlgorithm::Sha256 } else { DigestAlgorithm::Sha1 };
            let date = Instant::from_micros(date);
            let original = OriginalRecord { url: url.into(), date, id: RecordId::from_bytes(id) };
            (digest(algorithm, &[&number.to_le_bytes()]), original)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_shard_has_the_latest_originals_unchanged_and_the_first_of_each_payload(
            pages in prop::collection::vec(page(), 0..400), segments in 1..6_usize, start in any::<u32>(),
        ) {
            let mut shard = RevisitShard::new(segments * SEGMENT_BYTES);
            shard.segments.oldest = start & NUMBERS;
            // What was ever added, in order.
            let mut twin: Vec<(Digest, OriginalRecord)> = Vec::new();
            for (payload, original) in pages {
                let known = shard.find(&payload);
                shard.register(&payload, &original);
                if known.is_none() && packed_length(&payload, &original) <= SEGMENT_BYTES {
                    twin.push((payload, original.clone()));
                }
                let added = twin.last().filter(|(last, _)| *last == payload).map(|(_, original)| original.clone());
                prop_assert_eq!(shard.find(&payload), known.or(added));
            }
            // What is still there is the end of what was added.
            let kept = &twin[twin.len() - shard.len()..];
            for (payload, original) in kept {
                prop_assert_eq!(shard.find(payload), Some(original.clone()));
            }
            // Two neighbouring segments have more than the bytes of one, or the second would not be there.
            let bytes: usize = kept.iter().map(|(payload, original)| packed_length(payload, original)).sum();
            prop_assert!(bytes <= segments * SEGMENT_BYTES && shard.segments.bytes.len() <= segments);
            prop_assert!(kept.len() == twin.len() || bytes >= segments / 2 * SEGMENT_BYTES);
        }
    }
}
