//! Scripts and style sheets, which are requested once for all pages.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use harvestman_render::PageReply;

/// Maximum number of assets.
const COUNT_MAX: usize = 4_096;

/// An asset: its URL, and whether it is for its own origin. Members may get another answer, which is not for pages of
/// others.
type Key = (String, bool);

/// The answers to requests for assets, up to a total size; the oldest are dropped first.
#[derive(Debug)]
pub(super) struct Assets {
    bytes_max: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    by_url: HashMap<Key, Arc<tokio::sync::Mutex<Option<PageReply>>>>,
    order: VecDeque<(Key, usize)>,
    bytes: usize,
}

impl Assets {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, held: Mutex::default() }
    }

    /// Returns the answer for `url`, for its own origin or another. `request` sends the request if it is the first;
    /// others wait for its answer.
    pub(super) async fn get(&self, url: &str, is_own: bool, request: impl Future<Output = PageReply>) -> PageReply {
        let key = (url.to_owned(), is_own);
        let place = Arc::clone(self.held.lock().by_url.entry(key.clone()).or_default());
        let mut place = place.lock().await;
        if let Some(reply) = &*place {
            return reply.clone();
        }
        let reply = request.await;
        let is_kept = matches!(reply, PageReply::Answered { .. });
        *place = is_kept.then(|| reply.clone());
        self.held.lock().keep(key, size(&reply), is_kept, self.bytes_max);
        reply
    }
}

impl Held {
    /// Keeps an answer, or forgets that it was asked for, so that it is asked for again.
    fn keep(&mut self, key: Key, bytes: usize, is_kept: bool, bytes_max: usize) {
        if !is_kept {
            self.by_url.remove(&key);
            return;
        }
        self.order.push_back((key, bytes));
        self.bytes += bytes;
        while self.bytes > bytes_max || self.order.len() > COUNT_MAX {
            let Some((oldest, bytes)) = self.order.pop_front() else { break };
            self.by_url.remove(&oldest);
            self.bytes -= bytes;
        }
    }
}

fn size(reply: &PageReply) -> usize {
    match reply {
        PageReply::Answered { body, .. } => Bytes::len(body),
        PageReply::Refused(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_render::Refusal;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn answer(bytes: usize) -> PageReply {
        PageReply::Answered { status: 200, headers: Vec::new(), body: vec![b'x'; bytes].into() }
    }

    #[tokio::test]
    async fn an_asset_is_requested_once_even_if_pages_ask_at_the_same_time() {
        let (assets, asked) = (Assets::new(1_000), AtomicU32::new(0));
        let get = || {
            assets.get("u", true, async {
                tokio::task::yield_now().await;
                asked.fetch_add(1, Ordering::Relaxed);
                answer(3)
            })
        };
        let replies = tokio::join!(get(), get(), get());
        assert!([replies.0, replies.1, replies.2].iter().all(|reply| size(reply) == 3));
        get().await;
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn what_an_origin_shows_to_its_own_pages_is_not_given_to_pages_of_others() {
        let assets = Assets::new(1_000);
        assets.get("u", true, async { answer(7) }).await;
        assert_eq!(size(&assets.get("u", false, async { answer(3) }).await), 3);
        assert_eq!(size(&assets.get("u", true, async { answer(1) }).await), 7);
    }

    #[tokio::test]
    async fn the_oldest_are_dropped_and_refusals_are_not_kept() {
        let assets = Assets::new(1_000);
        for url in ["a", "b", "c"] {
            assets.get(url, true, async { answer(400) }).await;
        }
        assets.get("d", true, async { PageReply::Refused(Refusal::Budget) }).await;
        let mut held: Vec<String> = assets.held.lock().by_url.keys().map(|(url, _)| url.clone()).collect();
        held.sort();
        assert_eq!(held, ["b", "c"]);
        assert_eq!(assets.held.lock().bytes, 800);
    }
}
