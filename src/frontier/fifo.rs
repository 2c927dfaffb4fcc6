//! The waiting URLs of one link class, first in, first out, packed into bytes.
//!
//! URLs of a class look alike and neighbours often stand on one page, so each record names only what differs from the one
//! before it: the end of its path, the end of the page it was found on if that is another, the step in the order of
//! discovery. Records stand in chunks that can be read by themselves; a chunk is freed once it was read to its end.

use std::collections::VecDeque;
use std::sync::Arc;

use super::varint::{get, put};

/// Bytes after which a chunk is closed. Each new chunk spells its first path out, and the head chunk is freed as a whole.
const CHUNK_BYTES: usize = 4_096;

/// A waiting URL without its host and class, which are its queue's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Waiting {
    /// Path and query.
    pub(super) path: String,
    /// Where it was discovered.
    pub(super) via: Option<Arc<str>>,
    /// Its number in the order of discovery, over the whole crawl.
    pub(super) order: u64,
    /// Links between a seed and this URL.
    pub(super) depth: u16,
    /// Redirects that led here, one after the other.
    pub(super) redirects: u8,
    /// Requests already spent on it.
    pub(super) attempts: u8,
}

/// Which parts of a record stand in its bytes; what does not is as in the record before.
mod flag {
    pub(super) const VIA: u8 = 1;
    pub(super) const NO_VIA: u8 = 2;
    pub(super) const DEPTH: u8 = 4;
    pub(super) const TRIES: u8 = 8;
}

/// A queue of [`Waiting`] URLs, pushed by ascending order of discovery. About 15 to 80 bytes a URL, by how alike neighbours are.
#[derive(Debug, Default)]
pub(super) struct Fifo {
    /// The oldest first. Empty where at most the head waits.
    chunks: VecDeque<Vec<u8>>,
    /// Bytes of the first chunk that were read.
    read: usize,
    /// The next URL, unpacked.
    head: Option<Box<Waiting>>,
    /// The last URL that was packed, while its chunk is open. Only what the next record is told from.
    last: Option<Box<Waiting>>,
    len: usize,
}

impl Fifo {
    /// URLs waiting.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// The next URL.
    pub(super) fn front(&self) -> Option<&Waiting> {
        self.head.as_deref()
    }

    /// Appends a URL, which was discovered later than all that wait.
    pub(super) fn push(&mut self, waiting: Waiting) {
        self.len += 1;
        if self.head.is_none() {
            self.head = Some(Box::new(waiting));
            return;
        }
        if self.chunks.back().is_none_or(|chunk| chunk.len() >= CHUNK_BYTES) {
            self.close();
            self.chunks.push_back(Vec::new());
        }
        let last = self.last.get_or_insert_default();
        if let Some(chunk) = self.chunks.back_mut() {
            pack(chunk, last, &waiting);
        }
        **last = waiting;
    }

    /// Takes the next URL.
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let mut head = self.head.take()?;
        self.len -= 1;
        let Some(chunk) = self.chunks.front() else { return Some(*head) };
        let next = if self.read == 0 {
            unpack(chunk, &mut self.read, &Waiting::default())
        } else {
            unpack(chunk, &mut self.read, &head)
        };
        let taken = std::mem::replace(&mut *head, next);
        self.head = Some(head);
        if self.read >= chunk.len() {
            self.free();
        }
        Some(taken)
    }

    /// Ends the last chunk: the next record is told from nothing.
    fn close(&mut self) {
        self.last = None;
        if let Some(chunk) = self.chunks.back_mut() {
            chunk.shrink_to_fit();
        }
    }

    /// Frees the first chunk, which was read to its end.
    fn free(&mut self) {
        self.chunks.pop_front();
        self.read = 0;
        if self.chunks.is_empty() {
            (self.chunks, self.last) = (VecDeque::new(), None);
        }
    }
}

/// Writes what tells `waiting` from `last`.
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
    put(out, waiting.order.wrapping_sub(last.order));
    pack_text(out, &last.path, &waiting.path);
    if let Some(via) = waiting.via.as_deref().filter(|_| new_via) {
        pack_text(out, last.via.as_deref().unwrap_or(""), via);
    }
    if waiting.depth != last.depth {
        put(out, u64::from(waiting.depth));
    }
    if new_tries {
        out.extend([waiting.redirects, waiting.attempts]);
    }
}

/// Reads what [`pack`] wrote at `at` after `last`, and steps over it.
fn unpack(chunk: &[u8], at: &mut usize, last: &Waiting) -> Waiting {
    let flags = byte(chunk, at);
    let order = last.order.wrapping_add(get(chunk, at));
    let path = unpack_text(chunk, at, &last.path);
    let via = match flags & (flag::VIA | flag::NO_VIA) {
        flag::VIA => Some(Arc::from(unpack_text(chunk, at, last.via.as_deref().unwrap_or("")))),
        flag::NO_VIA => None,
        _ => last.via.clone(),
    };
    let depth = if flags & flag::DEPTH == 0 { last.depth } else { get(chunk, at) as u16 };
    let (redirects, attempts) = match flags & flag::TRIES {
        0 => (last.redirects, last.attempts),
        _ => (byte(chunk, at), byte(chunk, at)),
    };
    Waiting { path, via, order, depth, redirects, attempts }
}

/// A text as the bytes it shares with the beginning of `last`, the rest's length, and the rest.
fn pack_text(out: &mut Vec<u8>, last: &str, text: &str) {
    let same = last.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
    let same = (0..=same).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    put(out, same as u64);
    put(out, (text.len() - same) as u64);
    out.extend_from_slice(&text.as_bytes()[same..]);
}

fn unpack_text(chunk: &[u8], at: &mut usize, last: &str) -> String {
    let same = get(chunk, at) as usize;
    let rest = get(chunk, at) as usize;
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
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn what_goes_in_comes_out_in_its_order(
            steps in prop::collection::vec(prop::option::weighted(0.7, waiting()), 0..600),
        ) {
            let mut fifo = Fifo::default();
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
            prop_assert!(fifo.chunks.is_empty() && fifo.last.is_none());
        }
    }

    #[test]
    fn urls_of_one_kind_take_few_bytes_over_many_chunks() {
        let item = |order: u64| Waiting {
            path: format!("/forum/garden-12/topic/{}/", 1_000_000 + order * 37),
            via: Some(format!("https://forum.example.org/forum/garden-12/?page={}", order / 20).into()),
            order,
            ..Waiting::default()
        };
        let mut fifo = Fifo::default();
        (0..5_000).for_each(|order| fifo.push(item(order)));
        let bytes: usize = fifo.chunks.iter().map(Vec::len).sum();
        assert!(fifo.chunks.len() > 5 && bytes < 5_000 * 14, "{bytes} bytes");
        assert!((0..5_000).all(|order| fifo.pop() == Some(item(order))));
    }
}
