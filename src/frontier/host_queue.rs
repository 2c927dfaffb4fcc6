//! The waiting URLs of one host: a FIFO for each link class, the classes in a heap by what they are worth now.
//!
//! Popping is O(log classes) and always exact by the current scores: a class's rank changes only when its head does (then it is
//! put back with its new rank) or when the policy's scores do (then the heap is rebuilt, [`HostQueue::reorder`]).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;

use crate::clock::Instant;
use crate::page::{ClassOrder, LinkClass, ScheduledUrl};
use crate::url::{CanonicalUrl, HostKey};

/// What the order of two URLs depends on: the score of their class, then depth, then the order of discovery. Greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    score: TotalScore,
    depth: Reverse<u16>,
    order: Reverse<u64>,
}

/// A score with a total order; NaN is least.
#[derive(Debug, Clone, Copy)]
struct TotalScore(f64);

impl TotalScore {
    fn of(score: f64) -> Self {
        Self(if score.is_nan() { f64::NEG_INFINITY } else { score })
    }
}

impl PartialEq for TotalScore {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for TotalScore {}

impl PartialOrd for TotalScore {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TotalScore {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Why a host's queue yields nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReady {
    /// Nothing waits here.
    Empty,
    /// Only URLs wait that are to be tried again, and not before this time.
    Wait {
        /// When the first of them may be tried.
        until: Instant,
    },
}

/// A waiting URL without its host, which is the queue's.
#[derive(Debug, Clone)]
struct Waiting {
    path: Box<str>,
    via: Option<Arc<str>>,
    order: u64,
    depth: u16,
    redirects: u8,
    attempts: u8,
}

impl Waiting {
    fn new(item: &ScheduledUrl, order: u64) -> Self {
        Self {
            path: item.url.path_and_query().into(),
            via: item.via.clone(),
            order,
            depth: item.depth,
            redirects: item.redirects,
            attempts: item.attempts,
        }
    }
}

/// A URL to be tried again.
#[derive(Debug, Clone)]
struct Retry {
    not_before: Instant,
    class: LinkClass,
    waiting: Waiting,
}

/// The waiting URLs of one host.
#[derive(Debug)]
pub(super) struct HostQueue {
    host: HostKey,
    index: HashMap<LinkClass, usize>,
    classes: Vec<(LinkClass, VecDeque<Waiting>)>,
    /// One entry for each class that is not empty, with the rank of its head.
    heap: BinaryHeap<(Rank, usize)>,
    /// Ordered by time: few, as retries are bounded by each host's retry budget.
    retries: VecDeque<Retry>,
    len: usize,
    /// URLs ever accepted for this host.
    admitted: u64,
}

impl HostQueue {
    pub(super) fn new(host: HostKey) -> Self {
        Self {
            host,
            index: HashMap::new(),
            classes: Vec::new(),
            heap: BinaryHeap::new(),
            retries: VecDeque::new(),
            len: 0,
            admitted: 0,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) const fn admitted(&self) -> u64 {
        self.admitted
    }

    /// Adds a URL that was discovered as the `order`-th of the crawl.
    pub(super) fn push(&mut self, item: &ScheduledUrl, order: u64, scores: &dyn ClassOrder) {
        self.admitted += 1;
        self.len += 1;
        let waiting = Waiting::new(item, order);
        let at = *self.index.entry(item.class).or_insert_with(|| {
            self.classes.push((item.class, VecDeque::new()));
            self.classes.len() - 1
        });
        let fifo = &mut self.classes[at].1;
        if fifo.is_empty() {
            self.heap.push((rank(item.class, &waiting, scores), at));
        }
        fifo.push_back(waiting);
    }

    /// Puts a URL back that is to be tried again at `not_before`, at the place of its first turn.
    pub(super) fn push_retry(&mut self, item: &ScheduledUrl, order: u64, not_before: Instant) {
        self.len += 1;
        let waiting = Waiting::new(item, order);
        let at = self.retries.partition_point(|retry| retry.not_before <= not_before);
        self.retries.insert(at, Retry { not_before, class: item.class, waiting });
    }

    /// The rank of what [`HostQueue::pop`] would give now.
    pub(super) fn best(&self, now: Instant, scores: &dyn ClassOrder) -> Result<Rank, NotReady> {
        if let Some(retry) = self.retries.front().filter(|retry| retry.not_before <= now) {
            return Ok(rank(retry.class, &retry.waiting, scores));
        }
        match (self.heap.peek(), self.retries.front()) {
            (Some((rank, _)), _) => Ok(*rank),
            (None, Some(retry)) => Err(NotReady::Wait { until: retry.not_before }),
            (None, None) => Err(NotReady::Empty),
        }
    }

    /// Takes the next URL: a retry whose time has come, else the head of the best class.
    pub(super) fn pop(&mut self, now: Instant, scores: &dyn ClassOrder) -> Result<(ScheduledUrl, u64), NotReady> {
        self.best(now, scores)?;
        let retry_due = self.retries.front().is_some_and(|retry| retry.not_before <= now);
        if retry_due && let Some(retry) = self.retries.pop_front() {
            return Ok(self.release(retry.class, retry.waiting));
        }
        let Some((_, at)) = self.heap.pop() else { return Err(NotReady::Empty) };
        let (class, fifo) = &mut self.classes[at];
        let class = *class;
        let Some(waiting) = fifo.pop_front() else { return Err(NotReady::Empty) };
        match fifo.front() {
            Some(next) => self.heap.push((rank(class, next, scores), at)),
            None if fifo.capacity() > 64 => fifo.shrink_to_fit(),
            None => {}
        }
        Ok(self.release(class, waiting))
    }

    /// Ranks all classes anew, after the policy's scores have changed.
    pub(super) fn reorder(&mut self, scores: &dyn ClassOrder) {
        let heads = self.classes.iter().enumerate();
        self.heap =
            heads.filter_map(|(at, (class, fifo))| fifo.front().map(|head| (rank(*class, head, scores), at))).collect();
    }

    fn release(&mut self, class: LinkClass, waiting: Waiting) -> (ScheduledUrl, u64) {
        self.len -= 1;
        let url = CanonicalUrl::from_canonical(format!("{}{}", self.host, waiting.path));
        let item = ScheduledUrl {
            url,
            class,
            depth: waiting.depth,
            redirects: waiting.redirects,
            attempts: waiting.attempts,
            via: waiting.via,
        };
        (item, waiting.order)
    }
}

fn rank(class: LinkClass, waiting: &Waiting, scores: &dyn ClassOrder) -> Rank {
    Rank { score: TotalScore::of(scores.score(class)), depth: Reverse(waiting.depth), order: Reverse(waiting.order) }
}
