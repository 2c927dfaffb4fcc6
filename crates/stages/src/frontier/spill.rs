//! Storage for chunks of queues that are not needed soon, once the waiting URLs exceed their memory budget; and the
//! numbers in them: seven bits per byte, the lowest first; the eighth bit means that more follow (LEB128).

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A store for chunks outside of memory. Returns a chunk that it cannot store.
pub trait ChunkStore: Send + Sync {
    /// Stores a chunk.
    fn put(&self, chunk: Vec<u8>) -> Result<ChunkPlace, Vec<u8>>;
    /// Returns a chunk and frees its place; `None` if it cannot be read.
    fn take(&self, place: ChunkPlace) -> Option<Vec<u8>>;
}

/// The place of a stored chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkPlace {
    /// The offset of its first byte.
    pub offset: u64,
    /// Its length.
    pub length: u32,
}

/// A budget of memory for closed chunks, and the store for those beyond it.
#[derive(Default)]
pub struct SpillStorage {
    memory_max: u64,
    store: Option<Box<dyn ChunkStore>>,
    /// Bytes of closed chunks in memory.
    in_memory: AtomicU64,
    /// URLs whose chunk could not be read.
    lost: AtomicU64,
}

impl fmt::Debug for SpillStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpillStorage")
            .field("memory_max", &self.memory_max)
            .field("in_memory", &self.in_memory)
            .finish_non_exhaustive()
    }
}

/// A closed chunk.
#[derive(Debug)]
pub(super) enum Chunk {
    /// In memory.
    InMemory(Vec<u8>),
    /// In the store, with the number of its URLs.
    Spilled(ChunkPlace, u32),
}

impl SpillStorage {
    /// Creates a storage that holds up to `memory_max` bytes of closed chunks in memory, and the others in `store`.
    pub fn new(memory_max: u64, store: Box<dyn ChunkStore>) -> Self {
        Self { memory_max, store: Some(store), ..Self::default() }
    }

    /// Returns the number of URLs that are lost to this run because their chunk could not be read. The state on disk
    /// still has them.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Stores a closed chunk of this many URLs wherever there is room. The newest chunks are spilled first, because
    /// they are needed last.
    pub(super) fn put(&self, chunk: Vec<u8>, urls: u32) -> Chunk {
        let bytes = chunk.capacity() as u64;
        let fits = self.in_memory.load(Ordering::Relaxed) + bytes <= self.memory_max;
        let chunk = match &self.store {
            Some(store) if !fits => match store.put(chunk) {
                Ok(place) => return Chunk::Spilled(place, urls),
                Err(chunk) => chunk,
            },
            _ => chunk,
        };
        self.in_memory.fetch_add(bytes, Ordering::Relaxed);
        Chunk::InMemory(chunk)
    }

    /// Takes a closed chunk.
    ///
    /// # Errors
    ///
    /// It cannot be read; the error is the number of its URLs, which are lost.
    pub(super) fn take(&self, chunk: Chunk) -> Result<Vec<u8>, u32> {
        match chunk {
            Chunk::InMemory(bytes) => {
                self.in_memory.fetch_sub(bytes.capacity() as u64, Ordering::Relaxed);
                Ok(bytes)
            }
            Chunk::Spilled(place, urls) => {
                let read = self.store.as_ref().and_then(|store| store.take(place));
                read.ok_or_else(|| {
                    self.lost.fetch_add(u64::from(urls), Ordering::Relaxed);
                    urls
                })
            }
        }
    }
}

/// Appends a number.
pub(super) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads what [`put_varint`] wrote at `at`, and advances `at`.
pub(super) fn get_varint(bytes: &[u8], at: &mut usize) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_at_the_bounds_of_each_length() {
        let numbers: Vec<u64> = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit]).chain([u64::MAX]).collect();
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put_varint(&mut bytes, *number));
        let mut at = 0;
        assert!(numbers.iter().all(|number| get_varint(&bytes, &mut at) == *number));
        assert_eq!(at, bytes.len());
        bytes.clear();
        put_varint(&mut bytes, 300);
        assert_eq!(bytes, [0xac, 0x02]);
    }
}
