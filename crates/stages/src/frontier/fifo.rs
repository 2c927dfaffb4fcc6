//! The FIFO of waiting URLs of one link class, packed into bytes.
//!
//! URLs of a class look alike, and neighbours are often links of one page, so each record stores only how it differs
//! from the previous one: the end of its path, the end of the URL of its page if that is another one, and the step in
//! the order of discovery. Records are stored in chunks that can be read independently. Chunks between the one being
//! read and the one being written may be spilled to disk ([`SpillStorage`]).

use std::collections::VecDeque;
use std::sync::Arc;

use super::spill::{Chunk, SpillStorage, get_varint, put_varint};

/// Bytes after which a chunk is closed. The first record of a chunk contains its whole path, and a chunk is freed as a
/// whole.
const CHUNK_BYTES: usize = 4_096;

/// A waiting URL without its host and class, which its queue knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Waiting {
    /// Path and query.
    pub(super) path: String,
    /// Where it was discovered.
    pub(super) via: Option<Arc<str>>,
    /// Its number in the order of discovery over the whole crawl.
    pub(super) order: u64,
    /// Links between a seed and this URL.
    pub(super) depth: u16,
    /// Consecutive redirects that led here.
    pub(super) redirects: u8,
    /// Requests already spent on it.
    pub(super) attempts: u8,
}

/// Flags for the parts that a record contains; the others equal those of the previous record.
mod flag {
    pub(super) const VIA: u8 = 1;
    pub(super) const NO_VIA: u8 = 2;
    pub(super) const DEPTH: u8 = 4;
    pub(super) const TRIES: u8 = 8;
}

/// A queue of [`Waiting`] URLs, pushed in the order of discovery. Takes 15 to 80 bytes per URL, depending on how
/// similar neighbours are.
#[derive(Debug, Default)]
pub(super) struct Fifo {
    /// The chunk being read, if any was closed.
    front: Vec<u8>,
    /// Number of its bytes that were read.
    read: usize,
    /// Closed chunks behind it, the oldest first.
    middle: VecDeque<Chunk>,
    /// The chunk being written.
    back: Vec<u8>,
    /// URLs in it.
    back_urls: u32,
    /// The next URL, unpacked. It is stored inline: when the host's turn comes, the queue has long left the cache, and
    /// every pointer would be a cache miss.
    head: Option<Waiting>,
    /// The URL packed last, which the next record refers to.
    last: Option<Box<Waiting>>,
    len: usize,
    spill: Arc<SpillStorage>,
}

impl Fifo {
    /// Creates an empty queue that moves closed chunks to `spill`.
    pub(super) fn spilling_to(spill: Arc<SpillStorage>) -> Self {
        Self { spill, ..Self::default() }
    }

    /// Returns the number of waiting URLs.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the next URL.
    pub(super) fn front(&self) -> Option<&Waiting> {
        self.head.as_ref()
    }

    /// Appends a URL that was discovered later than all that wait.
    pub(super) fn push(&mut self, waiting: Waiting) {
        self.len += 1;
        if self.head.is_none() {
            self.head = Some(waiting);
            return;
        }
        if self.back.len() >= CHUNK_BYTES {
            self.close();
        }
        let last = self.last.get_or_insert_default();
        pack(&mut self.back, last, &waiting);
        self.back_urls += 1;
        **last = waiting;
    }

    /// Takes the next URL.
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let head = self.head.take()?;
        self.len -= 1;
        self.head = self.unpack_next(&head);
        if self.head.is_none() {
            (self.front, self.middle, self.last) = Default::default();
        }
        Some(head)
    }

    /// Unpacks the URL after `head`, the one unpacked last.
    fn unpack_next(&mut self, head: &Waiting) -> Option<Waiting> {
        if self.read < self.front.len() {
            return Some(unpack(&self.front, &mut self.read, head));
        }
        self.read = 0;
        self.front = self.next_chunk()?;
        Some(unpack(&self.front, &mut self.read, &Waiting::default()))
    }

    /// Returns the next chunk that can be read.
    fn next_chunk(&mut self) -> Option<Vec<u8>> {
        while let Some(chunk) = self.middle.pop_front() {
            match self.spill.take(chunk) {
                Ok(chunk) => return Some(chunk),
                Err(urls) => self.len -= urls as usize,
            }
        }
        (self.last, self.back_urls) = (None, 0);
        Some(std::mem::take(&mut self.back)).filter(|chunk| !chunk.is_empty())
    }

    /// Closes the chunk being written: the next record refers to no other.
    fn close(&mut self) {
        self.last = None;
        let mut chunk = std::mem::take(&mut self.back);
        chunk.shrink_to_fit();
        self.middle.push_back(self.spill.put(chunk, std::mem::take(&mut self.back_urls)));
    }
}

/// Writes the parts of `waiting` that differ from `last`.
fn pack(out: &mut Vec<u8>, last: &Waiting, waiting: &Waiting) {
    let new_via = waiting.via != last.via;
    let new_tries = (waiting.redirects, waiting.attempts) != (last.redirects, last.attempts);
    let flags = [
        (new_via && waiting.via.is_some(), flag::VIA),
        (new_via && waiting.via.is_none(), flag::NO_VIA),
        (waiting.depth != last.depth, flag::DEPTH),
        (new_tries, flag::TRIES),
    ];
    out.push(flags.iter().map(|(set, flag)| if *set { *flag } else { 0 }).sum());
    debug_assert!(waiting.order >= last.order, "URLs come in the order of their discovery");
    put_varint(out, waiting.order.wrapping_sub(last.order));
    pack_text(out, &last.path, &waiting.path);
    if let Some(via) = waiting.via.as_deref().filter(|_| new_via) {
        pack_text(out, last.via.as_deref().unwrap_or(""), via);
    }
    if waiting.depth != last.depth {
        put_varint(out, u64::from(waiting.depth));
    }
    if new_tries {
        out.extend([waiting.redirects, waiting.attempts]);
    }
}

/// Reads what [`pack`] wrote at `at` after `last`, and advances `at`.
fn unpack(chunk: &[u8], at: &mut usize, last: &Waiting) -> Waiting {
    let flags = byte(chunk, at);
    let order = last.order.wrapping_add(get_varint(chunk, at));
    let path = unpack_text(chunk, at, &last.path);
    let via = match flags & (flag::VIA | flag::NO_VIA) {
        flag::VIA => Some(Arc::from(unpack_text(chunk, at, last.via.as_deref().unwrap_or("")))),
        flag::NO_VIA => None,
        _ => last.via.clone(),
    };
    let depth = if flags & flag::DEPTH == 0 { last.depth } else { get_varint(chunk, at) as u16 };
    let (redirects, attempts) = match flags & flag::TRIES {
        0 => (last.redirects, last.attempts),
        _ => (byte(chunk, at), byte(chunk, at)),
    };
    Waiting { path, via, order, depth, redirects, attempts }
}

/// Writes a text as the number of bytes shared with the beginning of `last`, the length of the rest, and the rest.
fn pack_text(out: &mut Vec<u8>, last: &str, text: &str) {
    let same = last.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
    let same = (0..=same).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    put_varint(out, same as u64);
    put_varint(out, (text.len() - same) as u64);
    out.extend_from_slice(&text.as_bytes()[same..]);
}

fn unpack_text(chunk: &[u8], at: &mut usize, last: &str) -> String {
    let same = get_varint(chunk, at) as usize;
    let rest = get_varint(chunk, at) as usize;
    let rest = &chunk[*at..*at + rest];
    *at += rest.len();
    let mut text = String::with_capacity(same + rest.len());
    text.push_str(&last[..same]);
    text.push_str(std::str::from_utf8(rest).expect("texts are cut between characters"));
    text
}

fn byte(chunk: &[u8], at: &mut usize) -> u8 {
    *at += 1;
    chunk[*at - 1]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::{AtomicU64, Ordering};

    use parking_lot::Mutex;
    use proptest::prelude::*;

    use super::super::spill::{ChunkPlace, ChunkStore};
    use super::*;

    fn waiting() -> impl Strategy<Value = Waiting> {
        let text = "[/a-c\u{e9}\u{fc}0-9]{0,12}|/topic/[0-9]{1,9}/\\?page=[0-9]";
        let via = prop::option::of("http://(a|b)\\.test/[ab\u{e9}]{0,3}".prop_map(Arc::from));
        let numbers = (1..u64::MAX / 1_000, prop_oneof![0..3_u16, any::<u16>()], 0..2_u8, 0..3_u8);
        (text, via, numbers).prop_map(|(path, via, (order, depth, redirects, attempts))| Waiting {
            path,
            via,
            order,
            depth,
            redirects,
            attempts,
        })
    }

    /// A store in memory that counts its chunks.
    #[derive(Default)]
    struct Elsewhere(Mutex<HashMap<u64, Vec<u8>>>, AtomicU64);

    impl ChunkStore for Arc<Elsewhere> {
        fn put(&self, chunk: Vec<u8>) -> Result<ChunkPlace, Vec<u8>> {
            let offset = self.1.fetch_add(1, Ordering::Relaxed);
            let place = ChunkPlace { offset, length: chunk.len() as u32 };
            // Every fifth chunk is rejected.
            if offset % 5 == 4 {
                return Err(chunk);
            }
            self.0.lock().insert(offset, chunk);
            Ok(place)
        }

        fn take(&self, place: ChunkPlace) -> Option<Vec<u8>> {
            self.0.lock().remove(&place.offset)
        }
    }

    #[test]
    fn unreadable_chunks_are_counted_as_lost_and_the_others_come_out() {
        let elsewhere = Arc::new(Elsewhere::default());
        let spill = Arc::new(SpillStorage::new(0, Box::new(Arc::clone(&elsewhere))));
        let mut fifo = Fifo::spilling_to(Arc::clone(&spill));
        let item = |order: u64| Waiting { path: format!("/{}", order * 7919), order, ..Waiting::default() };
        (1..4_000).for_each(|order| fifo.push(item(order)));
        assert!(elsewhere.0.lock().len() > 3);
        elsewhere.0.lock().remove(&1);
        let mut rest = 0;
        while let Some(waiting) = fifo.pop() {
            assert_eq!(waiting, item(waiting.order));
            rest += 1;
        }
        assert!(spill.lost() > 100);
        assert_eq!((rest + spill.lost(), fifo.len()), (3_999, 0));
        drop(fifo);
        assert!(elsewhere.0.lock().is_empty());
    }

    proptest! {
        #[test]
        fn urls_come_out_in_the_order_in_which_they_went_in(
            steps in prop::collection::vec(prop::option::weighted(0.7, waiting()), 0..600), memory in 0..20_000_u64,
        ) {
            let elsewhere = Arc::new(Elsewhere::default());
            let mut fifo = Fifo::spilling_to(Arc::new(SpillStorage::new(memory, Box::new(Arc::clone(&elsewhere)))));
            let mut twin = VecDeque::new();
            let mut order = 0;
            for step in steps {
                if let Some(waiting) = step {
                    order += waiting.order;
                    let waiting = Waiting { order, ..waiting };
                    twin.push_back(waiting.clone());
                    fifo.push(waiting);
                } else {
                    prop_assert_eq!(fifo.pop(), twin.pop_front());
                }
                prop_assert_eq!(fifo.front(), twin.front());
                prop_assert_eq!(fifo.len(), twin.len());
            }
            for expected in twin {
                prop_assert_eq!(fifo.pop(), Some(expected));
            }
            prop_assert_eq!(fifo.pop(), None);
            prop_assert!(fifo.back.is_empty() && fifo.last.is_none() && fifo.front.is_empty());
        }
    }

    #[test]
    fn similar_urls_take_few_bytes_over_many_chunks() {
        let item = |order: u64| Waiting {
            path: format!("/forum/garden-12/topic/{}/", 1_000_000 + order * 37),
            via: Some(format!("https://forum.example.org/forum/garden-12/?page={}", order / 20).into()),
            order,
            ..Waiting::default()
        };
        let mut fifo = Fifo::default();
        (0..5_000).for_each(|order| fifo.push(item(order)));
        let length = |chunk: &Chunk| if let Chunk::InMemory(chunk) = chunk { chunk.len() } else { 0 };
        let bytes: usize = fifo.middle.iter().map(length).sum::<usize>() + fifo.back.len();
        assert!(fifo.middle.len() > 5 && bytes < 5_000 * 14, "{bytes} bytes");
        assert!((0..5_000).all(|order| fifo.pop() == Some(item(order))));
    }
}
