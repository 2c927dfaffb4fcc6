//! The queue of hosts that may be contacted now: the host with the best URL gets the next lease.

use std::collections::BinaryHeap;

use super::ranking::Rank;
use harvestman_core::url::HostKey;

/// Hosts that wait for a lease, best first. A host is in it at most once, because it requests again only after an
/// answer.
#[derive(Debug, Default)]
pub(super) struct DueHosts {
    heap: BinaryHeap<(Rank, HostKey)>,
}

impl DueHosts {
    /// Adds a host that may be contacted, with the rank of its best URL.
    pub(super) fn add(&mut self, host: HostKey, rank: Rank) {
        self.heap.push((rank, host));
    }

    /// Returns whether no host waits.
    pub(super) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Removes hosts that no longer ask for leases.
    pub(super) fn forget(&mut self, hosts: &dyn Fn(&HostKey) -> bool) {
        self.heap.retain(|(_, host)| !hosts(host));
    }

    /// Takes the best host. Its rank dates from when it was added, and scores may have changed since: so `rank_now` is
    /// called, and a host that is now worse than the next one is put back.
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
