//! All host queues together, with the leases that are out and the limits on what may wait.

use std::collections::HashMap;
use std::sync::Arc;

use super::host_queue::{HostQueue, NotReady, Rank};
use crate::clock::Instant;
use crate::page::{Budget, ClassOrder, Lease, LeaseId, ScheduledUrl};
use crate::url::HostKey;

/// What may wait at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// URLs waiting over all hosts.
    pub queued_max: u64,
    /// URLs ever accepted for one host; none: no limit.
    pub host_pages_max: Option<u64>,
}

/// The waiting and the leased URLs of a crawl.
///
/// A URL is in exactly one place: waiting, leased, or gone (invariant FRO-1).
pub struct Frontier {
    hosts: HashMap<HostKey, HostQueue>,
    leased: HashMap<LeaseId, u64>,
    limits: Limits,
    scores: Arc<dyn ClassOrder>,
    queued: u64,
    pushed: u64,
    leases: u64,
}

impl Frontier {
    /// An empty frontier that orders by `scores`.
    pub fn new(limits: Limits, scores: Arc<dyn ClassOrder>) -> Self {
        Self { hosts: HashMap::new(), leased: HashMap::new(), limits, scores, queued: 0, pushed: 0, leases: 0 }
    }

    /// URLs waiting.
    pub const fn queued(&self) -> u64 {
        self.queued
    }

    /// URLs leased.
    pub fn leased(&self) -> usize {
        self.leased.len()
    }

    /// Hosts that ever had a URL.
    pub fn hosts(&self) -> usize {
        self.hosts.len()
    }

    /// URLs waiting for `host`.
    pub fn waiting_for(&self, host: &HostKey) -> usize {
        self.hosts.get(host).map_or(0, HostQueue::len)
    }

    /// Accepts a URL, or says which limit it is over.
    pub fn push(&mut self, item: &ScheduledUrl) -> Result<HostKey, Budget> {
        if self.queued >= self.limits.queued_max {
            return Err(Budget::Frontier);
        }
        let key = item.url.host_key();
        let queue = self.hosts.entry(key.clone()).or_insert_with(|| HostQueue::new(key.clone()));
        if self.limits.host_pages_max.is_some_and(|max| queue.admitted() >= max) {
            return Err(Budget::HostPages);
        }
        self.pushed += 1;
        self.queued += 1;
        queue.push(item, self.pushed, &*self.scores);
        Ok(key)
    }

    /// The rank of the URL that [`Frontier::pop`] would lease to `host` now.
    pub fn best(&self, host: &HostKey, now: Instant) -> Result<Rank, NotReady> {
        self.hosts.get(host).map_or(Err(NotReady::Empty), |queue| queue.best(now, &*self.scores))
    }

    /// Leases the best waiting URL of `host`.
    pub fn pop(&mut self, host: &HostKey, now: Instant) -> Result<Lease, NotReady> {
        let queue = self.hosts.get_mut(host).ok_or(NotReady::Empty)?;
        let (item, order) = queue.pop(now, &*self.scores)?;
        self.queued -= 1;
        self.leases += 1;
        let id = LeaseId(self.leases);
        self.leased.insert(id, order);
        Ok(Lease { id, item })
    }

    /// Ends a lease for good. False where there is no such lease (any more).
    pub fn end(&mut self, id: LeaseId) -> bool {
        self.leased.remove(&id).is_some()
    }

    /// Ends a lease; its URL waits again, not to be tried before `not_before`. False where there is no such lease.
    pub fn retry(&mut self, lease: &Lease, not_before: Instant) -> bool {
        let Some(order) = self.leased.remove(&lease.id) else { return false };
        let key = lease.item.url.host_key();
        let queue = self.hosts.entry(key.clone()).or_insert_with(|| HostQueue::new(key));
        queue.push_retry(&lease.item, order, not_before);
        self.queued += 1;
        true
    }

    /// Orders by other scores from now on.
    pub fn set_order(&mut self, scores: Arc<dyn ClassOrder>) {
        self.scores = scores;
        for queue in self.hosts.values_mut() {
            queue.reorder(&*self.scores);
        }
    }
}
