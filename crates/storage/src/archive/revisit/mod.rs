//! The index of archived payloads: a page with exactly the same bytes as an earlier one becomes a revisit record.
//!
//! The index is shared by all workers. An entry is added only after its record was written (the writer calls
//! [`RevisitIndex::register`]), so a revisit never refers to a missing record; of two equal pages in flight at the same
//! time both are written as responses. The index is bounded in bytes: the oldest entries are forgotten. A payload that
//! comes again after that is written once more, and remembered again.

mod original;
mod shard;

use parking_lot::Mutex;

use self::shard::RevisitShard;
use super::digest::Digest;
use harvestman_core::config::ByteSize;

pub use original::OriginalRecord;

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

#[cfg(test)]
mod tests {
    use super::super::digest::digest;
    use super::super::record_id::RunId;
    use super::*;
    use harvestman_core::clock::Instant;
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
}
