//! Record ids: `urn:uuid:` of version 8 (RFC 9562, section 5.8), derived from the crawl's seed, so that a run is
//! reproducible.
//!
//! 60 bits identify the run (a hash of the crawl's seed and the start time of the run, so that the runs of a resumed
//! crawl differ), 16 bits identify the maker within the run (a worker, or the writer), and 46 bits are a counter.
//! Within a run ids are unique by construction; two runs collide with a probability of 2⁻⁶⁰.

use std::fmt;

use harvestman_core::clock::Instant;
use harvestman_core::seed::Seed;

const COUNT_BITS: u32 = 46;

/// The id of a WARC record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordId(uuid::Uuid);

impl RecordId {
    /// Creates an id from the bytes of its UUID.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid::Uuid::from_bytes(bytes))
    }

    /// Returns the bytes of the UUID.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.into_bytes()
    }
}

impl fmt::Display for RecordId {
    /// Writes the id as in a record: `<urn:uuid:…>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.0.urn())
    }
}

/// Identifies a run of a crawl in the ids of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunId(u64);

impl RunId {
    /// Creates the id of the run that started at `started`, in the crawl with seed `seed`.
    pub fn new(seed: Seed, started: Instant) -> Self {
        Self(seed.child("record-id").nth(started.as_micros()).0)
    }

    /// Returns the id generator of the maker with number `maker`. Each maker of a run must have its own number.
    pub fn ids(self, maker: u16) -> RecordIds {
        RecordIds { run: self, maker, count: 0 }
    }

    /// Returns the id generator of the writer.
    pub(super) fn writer_ids(self) -> RecordIds {
        self.ids(u16::MAX)
    }

    /// Returns the id of the run's first warcinfo record, which precedes all other records of the run.
    pub(super) fn warcinfo(self) -> RecordId {
        self.id(u16::MAX, 0)
    }

    fn id(self, maker: u16, count: u64) -> RecordId {
        // Custom bytes: 48 bits of the run, 4 of the version, 12 of the run, 2 of the variant, 62 of maker and counter.
        let run = u128::from(self.0);
        let high = ((run & ((1 << 48) - 1)) << 80) | (((run >> 48) & 0xfff) << 64);
        let low = (u128::from(maker) << COUNT_BITS) | u128::from(count & ((1 << COUNT_BITS) - 1));
        RecordId(uuid::Builder::from_custom_bytes((high | low).to_be_bytes()).into_uuid())
    }
}

/// A generator of record ids.
#[derive(Debug)]
pub struct RecordIds {
    run: RunId,
    maker: u16,
    count: u64,
}

impl RecordIds {
    /// Returns the next unused id.
    pub fn next_id(&mut self) -> RecordId {
        let id = self.run.id(self.maker, self.count);
        self.count += 1;
        id
    }

    /// Returns the run.
    pub(super) fn run(&self) -> RunId {
        self.run
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_reproducible_with_the_seed() {
        let mut seen = HashSet::new();
        for start in 0..4 {
            let run = RunId::new(Seed(7), Instant::from_micros(start));
            for maker in [0, 1, 2, 255, 256, u16::MAX] {
                let mut ids = run.ids(maker);
                assert!((0..100).all(|_| seen.insert(ids.next_id().to_string())));
            }
        }
        let again = RunId::new(Seed(7), Instant::from_micros(0)).ids(0).next_id();
        assert!(!seen.insert(again.to_string()));
        assert_ne!(RunId::new(Seed(8), Instant::EPOCH), RunId::new(Seed(7), Instant::EPOCH));
    }

    #[test]
    fn ids_are_valid_uuids_of_version_8() {
        let id = RunId::new(Seed(u64::MAX), Instant::from_micros(u64::MAX)).ids(u16::MAX).next_id().to_string();
        let text = id.strip_prefix("<urn:uuid:").and_then(|t| t.strip_suffix('>')).unwrap();
        let uuid: uuid::Uuid = text.parse().unwrap();
        assert_eq!(uuid.get_version_num(), 8);
        assert_eq!(uuid.get_variant(), uuid::Variant::RFC4122);
    }
}
