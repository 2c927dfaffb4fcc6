//! The waiting URLs of one host: a FIFO for each link class, and which class is best by the current scores.
//!
//! Popping is O(log classes) and always exact: the rank of a class changes only with its head (then it alone is ranked
//! again) or with the policy's scores (then all are, once: [`HostQueue::rescore`]).

use std::collections::VecDeque;
use std::sync::Arc;

use super::class_table::ClassTable;
use super::fifo::Waiting;
use super::ranking::{Rank, Ranking};
use super::spill::SpillStorage;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Admission, ClassOrder, Ended, Fate, LinkClass, QueueKey, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, Fingerprint, HostKey};

/// Why the queue of a host yields nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReady {
    /// Nothing waits.
    Empty,
    /// Only retries wait, and none is due yet.
    Wait {
        /// When the first of them is due.
        until: Instant,
    },
}

impl Waiting {
    fn new(item: &ScheduledUrl, order: u64) -> Self {
        Self {
            path: item.url.path_and_query().to_owned(),
            via: item.via.clone(),
            order,
            depth: item.depth,
            redirects: item.redirects,
            attempts: item.attempts,
        }
    }
}

/// Number of other URLs of the host that are fetched before a retry, if there are that many. A URL that fails
/// repeatedly must not delay the others, and a problem of the host may be over by then.
const OTHERS_BEFORE_RETRY: u64 = 16;

/// A URL to be retried.
#[derive(Debug)]
struct Retry {
    not_before: Instant,
    /// Its turn comes when this many URLs have ever been taken from the classes, or when no other URL waits.
    turn: u64,
    key: QueueKey,
    waiting: Waiting,
}

/// Decides about a waiting URL, given the class that it waits under, the URL, and the page where it was discovered.
pub type Readmit<'a> = dyn Fn(LinkClass, &str, Option<&str>) -> Admission + 'a;

/// The waiting URLs of one host.
#[derive(Debug)]
pub(super) struct HostQueue {
    host: HostKey,
    table: ClassTable,
    /// For each class that is not empty, the rank of its head.
    ranking: Ranking,
    /// Ordered by time. There are few, because the retry budget of the host bounds them.
    retries: VecDeque<Retry>,
    len: usize,
    /// URLs ever accepted for this host.
    admitted: u64,
    /// URLs ever taken from a class.
    taken: u64,
}

impl HostQueue {
    pub(super) fn new(host: HostKey, classes_max: usize, spill: Arc<SpillStorage>) -> Self {
        Self {
            host,
            table: ClassTable::new(classes_max, spill),
            ranking: Ranking::default(),
            retries: VecDeque::new(),
            len: 0,
            admitted: 0,
            taken: 0,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) const fn admitted(&self) -> u64 {
        self.admitted
    }

    /// Sets the number of URLs ever accepted to at least `count`.
    pub(super) fn admit_at_least(&mut self, count: u64) {
        self.admitted = self.admitted.max(count);
    }

    /// Returns the classes that have URLs waiting, with their number, not counting retries.
    pub(super) fn classes(&self) -> impl Iterator<Item = (QueueKey, usize)> {
        self.table.slots().iter().map(|slot| (slot.key, slot.fifo.len())).filter(|(_, waiting)| *waiting > 0)
    }

    /// Returns the same classes, each with the path of its next URL.
    pub(super) fn heads(&self) -> impl Iterator<Item = (QueueKey, usize, &str)> {
        let slots = self.table.slots().iter();
        slots.filter_map(|slot| Some((slot.key, slot.fifo.len(), slot.fifo.front()?.path.as_str())))
    }

    /// Returns the number of URLs that wait under a class, not counting retries.
    pub(super) fn waiting_in(&self, key: QueueKey) -> usize {
        self.table.get(key).map_or(0, |fifo| fifo.len())
    }

    /// Adds the `order`-th URL that the crawl discovered, which is later than all that wait.
    pub(super) fn push(&mut self, item: &ScheduledUrl, order: u64, scores: &dyn ClassOrder) {
        self.admitted += 1;
        self.len += 1;
        self.append(item.queue(), Waiting::new(item, order), scores);
    }

    fn append(&mut self, key: QueueKey, waiting: Waiting, scores: &dyn ClassOrder) {
        let at = self.table.number(key);
        let slot = self.table.fill(at);
        if slot.fifo.len() == 0 {
            self.ranking.set(at, Some(rank(slot.key, &waiting, scores)));
        }
        slot.fifo.push(waiting);
    }

    /// Adds a URL whose request failed: it is retried not before `not_before`, and after [`OTHERS_BEFORE_RETRY`]
    /// others.
    pub(super) fn push_retry(&mut self, item: &ScheduledUrl, order: u64, not_before: Instant) {
        let turn = self.taken + OTHERS_BEFORE_RETRY;
        self.insert(item.queue(), Waiting::new(item, order), not_before, turn);
    }

    /// Puts a URL back that was not requested: it goes before all others, but not before `not_before`.
    pub(super) fn put_back(&mut self, item: &ScheduledUrl, order: u64, not_before: Instant) {
        self.insert(item.queue(), Waiting::new(item, order), not_before, 0);
    }

    /// Lets all retries come at once, in their order.
    pub(super) fn retry_now(&mut self) {
        self.retries.iter_mut().for_each(|retry| (retry.not_before, retry.turn) = (Instant::EPOCH, 0));
    }

    fn insert(&mut self, key: QueueKey, waiting: Waiting, not_before: Instant, turn: u64) {
        self.len += 1;
        let at = self.retries.partition_point(|retry| retry.not_before <= not_before);
        self.retries.insert(at, Retry { not_before, turn, key, waiting });
    }

    /// Returns the index of the first retry whose time and turn have come.
    fn due_retry(&self, now: Instant) -> Option<usize> {
        let is_alone = self.ranking.best().is_none();
        let mut due = self.retries.iter().take_while(|retry| retry.not_before <= now);
        due.position(|retry| is_alone || retry.turn <= self.taken)
    }

    /// Returns the rank of the best URL: of the one that [`HostQueue::pop`] would take if it neither explored nor
    /// visited a page again.
    pub(super) fn best(&self, now: Instant, scores: &dyn ClassOrder) -> Result<Rank, NotReady> {
        if let Some(retry) = self.due_retry(now).and_then(|at| self.retries.get(at)) {
            return Ok(rank(retry.key, &retry.waiting, scores));
        }
        match (self.ranking.best(), self.retries.front()) {
            (Some((_, rank)), _) => Ok(rank),
            (None, Some(retry)) => Err(NotReady::Wait { until: retry.not_before }),
            (None, None) => Err(NotReady::Empty),
        }
    }

    /// Takes the next URL: a retry whose time and turn have come, otherwise the head of the best class. There are two
    /// exceptions. Every second head is a page to visit again, if one waits, because such visits are planned a few at a
    /// time from the results of earlier ones and would otherwise be queued behind all remaining URLs of the crawl.
    /// Every `explore_every`-th head (0: none) is that of the class with the greatest curiosity, if there is one.
    pub(super) fn pop(
        &mut self,
        now: Instant,
        scores: &dyn ClassOrder,
        explore_every: u32,
    ) -> Result<(ScheduledUrl, u64), NotReady> {
        self.best(now, scores)?;
        if let Some(retry) = self.due_retry(now).and_then(|at| self.retries.remove(at)) {
            return Ok(self.release(retry.key, retry.waiting));
        }
        self.taken += 1;
        let explores = self.taken.checked_rem(u64::from(explore_every)) == Some(0);
        let turn = match self.table.visits() {
            Some(visits) if self.taken % 2 == 1 => Some(visits),
            _ if explores => self.most_curious(scores),
            _ => None,
        };
        let at = turn.or_else(|| self.ranking.best().map(|(at, _)| at)).ok_or(NotReady::Empty)?;
        let (key, head) = self.table.drain(at).ok_or(NotReady::Empty)?;
        let next = self.table.slots()[at].fifo.front().map(|next| rank(key, next, scores));
        self.ranking.set(at, next);
        Ok(self.release(key, head))
    }

    /// Returns the class with the greatest curiosity above 0; among equals the one with the better rank. O(classes).
    fn most_curious(&self, scores: &dyn ClassOrder) -> Option<usize> {
        let curiosity = |at: usize| self.table.slots()[at].key.curiosity(scores);
        let all = self.ranking.ranked().map(|(at, rank)| (curiosity(at), rank, at));
        let curious = all.filter(|(curiosity, ..)| *curiosity > 0.0);
        curious.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(.., at)| at)
    }

    /// Ranks all classes again after a change of the policy's scores: O(classes).
    pub(super) fn rescore(&mut self, scores: &dyn ClassOrder) {
        let slots = self.table.slots();
        self.ranking.rescore(|at| slots[at].key.rank(scores));
    }

    /// Calls `readmit` for every URL, retries included: moves it to its new queue, or drops it if it is rejected and
    /// adds it to `gone`. Queues retain the order of discovery. Empty queues are removed.
    pub(super) fn reclassify(&mut self, readmit: &Readmit<'_>, scores: &dyn ClassOrder, gone: &mut Vec<Ended>) {
        let origin = self.host.clone();
        let mut url = String::new();
        let mut stays = |key: &mut QueueKey, waiting: &Waiting| {
            url.clear();
            url.extend([origin.as_str(), &waiting.path]);
            match readmit(key.class, &url, waiting.via.as_deref()).queued() {
                Ok(queue) => *key = key.moved_to(queue),
                Err(why) => {
                    let (number, fate) = (Some(waiting.order), Fate::Policy(why));
                    gone.push(Ended { number, url: Fingerprint::of(&url), host: origin.clone(), fate });
                    return false;
                }
            }
            true
        };
        self.retries.retain_mut(|retry| stays(&mut retry.key, &retry.waiting));
        self.len = self.retries.len();
        self.ranking = Ranking::default();
        for (mut key, waiting) in self.table.take() {
            if stays(&mut key, &waiting) {
                self.append(key, waiting, scores);
                self.len += 1;
            }
        }
    }

    /// Empties the queue and adds the numbers of its URLs to `into`.
    pub(super) fn numbers(mut self, into: &mut Vec<u64>) {
        into.extend(self.retries.drain(..).map(|retry| retry.waiting.order));
        into.extend(self.table.take().map(|(_, waiting)| waiting.order));
    }

    fn release(&mut self, key: QueueKey, waiting: Waiting) -> (ScheduledUrl, u64) {
        self.len -= 1;
        let url = CanonicalUrl::from_canonical([self.host.as_str(), &waiting.path].concat());
        let item = ScheduledUrl {
            url,
            class: key.class,
            priority: key.priority,
            depth: waiting.depth,
            redirects: waiting.redirects,
            attempts: waiting.attempts,
            via: waiting.via,
        };
        (item, waiting.order)
    }
}

fn rank(key: QueueKey, waiting: &Waiting, scores: &dyn ClassOrder) -> Rank {
    Rank::new(key.rank(scores), waiting.depth, waiting.order)
}
