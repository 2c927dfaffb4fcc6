//! Which of the hosts that may be contacted now gets the next lease: the one whose best URL is best.

use std::collections::BinaryHeap;

use super::ranking::Rank;
use harvestman_core::url::HostKey;

/// Hosts that wait for a lease, best first. A host is in it at most once, as it asks again only when it was answered.
#[derive(Debug, Default)]
pub(super) struct DueHosts {
    heap: BinaryHeap<(Rank, HostKey)>,
}

impl DueHosts {
    /// `host` may be contacted; its best URL has this rank.
    pub(super) fn add(&mut self, host: HostKey, rank: Rank) {
        self.heap.push((rank, host));
    }

    /// Whether none waits.
    pub(super) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Hosts that ask for nothing any more.
    pub(super) fn forget(&mut self, hosts: &dyn Fn(&HostKey) -> bool) {
        self.heap.retain(|(_, host)| !hosts(host));
    }

    /// Takes the best host. Ranks are as of when a host was added: scores may have changed since, so `rank_now` is asked,
    /// and a host that got worse than the next is put back.
    pub(super) fn take(&mut self, mut rank_now: impl FnMut(&HostKey) -> Option<Rank>) -> Option<HostKey> {
        while let Some((rank, host)) = self.heap.pop() {
            let Some(now) = rank_now(&host) else { return Some(host) };
            let beaten = self.heap.peek().is_some_and(|(next, _)| *next > now);
            if now >= rank || !beaten {
                return Some(host);
            }
            self.heap.push((now, host));
        }
        None
    }
}
