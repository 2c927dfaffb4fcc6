//! Where chunks of queues go that are not needed soon, once what waits has outgrown its memory.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Keeps chunks outside of memory. What cannot be kept is given back.
pub trait ChunkStore: Send + Sync {
    /// Takes a chunk.
    fn put(&self, chunk: Vec<u8>) -> Result<ChunkPlace, Vec<u8>>;
    /// Gives a chunk back, and its place free; none where it cannot be read.
    fn take(&self, place: ChunkPlace) -> Option<Vec<u8>>;
}

/// Where a chunk is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkPlace {
    /// Its first byte.
    pub offset: u64,
    /// Its length.
    pub length: u32,
}

/// Memory for closed chunks, and what is behind it.
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
    /// Not in memory, with so many URLs.
    Spilled(ChunkPlace, u32),
}

impl SpillStorage {
    /// Keeps closed chunks in so much memory, and the rest behind it.
    pub fn new(memory_max: u64, store: Box<dyn ChunkStore>) -> Self {
        Self { memory_max, store: Some(store), ..Self::default() }
    }

    /// URLs that are lost to this run because their chunk could not be read. The state on disk has them still.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Puts a closed chunk with so many URLs where there is room. The newest go behind first: they are needed last.
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

    /// Takes a closed chunk; none where it cannot be read, and its URLs are lost then: the answer says how many.
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
