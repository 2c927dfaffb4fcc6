//! Gates in front of what hosts share: the machine at one address, and the server behind a group of names.
//!
//! A host passes the gates of its group and its address before each request, and leaves them when the request has
//! ended. A gate admits as many hosts at once as its terms allow, or one at a time where there is a delay, and that one
//! no earlier than the delay after the first byte of the previous response (POL-1 and POL-2 for all hosts that share
//! the gate). Hosts queue in the order in which they ask. A host that has nothing to send any more when it is admitted
//! leaves at once, and the next one is admitted. No host waits for one that has left the queue.
//!
//! The delay of a group is the longest delay of its hosts in use (awake): what one name of a server has asked for, or
//! has shown by slow responses, applies to the machine behind it. The delay of a sleeping host no longer counts, but
//! its responses still do. A host that receives 429 or 503 pauses its group as well as itself; other failures may
//! concern only that name, and affect only it.
//!
//! Pure: the caller passes the time, notifies admitted hosts, and calls again when [`Gates::next_due`] is reached. A
//! call costs O(log n).

mod gate;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;
use std::time::Duration;

use self::gate::{Gate, Terms};
use super::host_rules::HostRules;
use super::politeness::WaitReason;
use harvestman_core::clock::Instant;
use harvestman_core::url::{HostGroup, HostGroups, HostKey};

pub use self::gate::Return;

/// Number of gates below which unused address gates are not searched for.
const SWEPT_LEAST: usize = 64;

/// Identifies a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GateId {
    /// The gate of a group of hosts.
    Group(HostGroup),
    /// The gate of the hosts at one address.
    Address(IpAddr),
}

impl GateId {
    /// Returns the reason for which hosts wait at the gate.
    pub const fn reason(self) -> WaitReason {
        match self {
            Self::Group(_) => WaitReason::Group,
            Self::Address(_) => WaitReason::Address,
        }
    }
}

/// The terms of all gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateTerms {
    group: Terms,
    address: Terms,
}

impl From<&HostRules> for GateTerms {
    fn from(rules: &HostRules) -> Self {
        Self {
            group: Terms { delay: Duration::ZERO, at_once: rules.politeness.connections },
            address: Terms { delay: rules.delay_per_ip, at_once: rules.connections_per_ip },
        }
    }
}

impl GateTerms {
    const fn of(&self, id: GateId) -> Terms {
        match id {
            GateId::Group(_) => self.group,
            GateId::Address(_) => self.address,
        }
    }
}

/// All gates.
#[derive(Debug)]
pub struct Gates {
    terms: GateTerms,
    gates: HashMap<GateId, Entry>,
    /// The gates with waiting hosts that are not full, by opening time.
    opening: BTreeSet<(Instant, GateId)>,
    /// Groups for which the requests of earlier runs and other nodes have been taken into account.
    known: HashSet<HostGroup>,
    sweep_at: usize,
    /// The time of the latest response at removed gates. New gates start with it, so that they too respect a delay that
    /// has been set since.
    last_removed: Option<Instant>,
}

#[derive(Debug, Default)]
struct Entry {
    gate: Gate,
    /// Its key in `opening`.
    opening: Option<Instant>,
}

impl Gates {
    /// Creates an empty set; gates are added as hosts come.
    pub fn new(terms: GateTerms) -> Self {
        Self {
            terms,
            gates: HashMap::new(),
            opening: BTreeSet::new(),
            known: HashSet::new(),
            sweep_at: SWEPT_LEAST,
            last_removed: None,
        }
    }

    /// Admits a host, or queues it and returns false: it must not ask again before it was admitted. `delay` is the
    /// host's own.
    pub fn enter(&mut self, id: GateId, host: &HostKey, delay: Duration, now: Instant) -> bool {
        self.sweep(now);
        let terms = self.terms.of(id);
        let new = || Entry { gate: Gate::after(self.last_removed), opening: None };
        let gate = &mut self.gates.entry(id).or_insert_with(new).gate;
        if matches!(id, GateId::Group(_)) {
            gate.set_delay(host, Some(delay));
        }
        let entered = gate.enter(host, now, terms);
        self.settle(id);
        entered
    }

    /// Records that an admitted host leaves the gate.
    pub fn leave(&mut self, id: GateId, host: &HostKey, by: Return, now: Instant) {
        let terms = self.terms.of(id);
        let Some(Entry { gate, .. }) = self.gates.get_mut(&id) else { return };
        match id {
            GateId::Group(_) => {
                gate.set_delay(host, Some(by.delay));
                gate.leave(by);
            }
            // A pause that one site on a machine has asked for does not apply to the others.
            GateId::Address(_) => gate.leave(Return { pause: None, ..by }),
        }
        self.settle(id);
        if matches!(id, GateId::Address(_)) && self.gates.get(&id).is_some_and(|entry| entry.gate.is_as_new(now, terms))
        {
            let gone = self.gates.remove(&id);
            self.last_removed = self.last_removed.max(gone.and_then(|entry| entry.gate.answered()));
        }
    }

    /// Changes the delay of a host of a group that is in use.
    pub fn change_delay(&mut self, group: HostGroup, host: &HostKey, delay: Duration) {
        let id = GateId::Group(group);
        if let Some(entry) = self.gates.get_mut(&id) {
            entry.gate.set_delay(host, Some(delay));
            self.settle(id);
        }
    }

    /// Admits the next host whose turn has come by now; the caller must notify it. To be called until it returns
    /// `None`.
    pub fn admit_next(&mut self, now: Instant) -> Option<(GateId, HostKey)> {
        loop {
            let (_, id) = *self.opening.first().filter(|(at, _)| *at <= now)?;
            self.opening.pop_first();
            let terms = self.terms.of(id);
            let admitted = self.gates.get_mut(&id).and_then(|entry| {
                entry.opening = None;
                entry.gate.admit(now, terms)
            });
            self.settle(id);
            if let Some(host) = admitted {
                return Some((id, host));
            }
        }
    }

    /// Returns when the next host is to be admitted, or `None` if no host waits for a known time.
    pub fn next_due(&self) -> Option<Instant> {
        self.opening.first().map(|(at, _)| *at)
    }

    /// Removes the delay of a host that has gone to sleep from its group.
    pub fn asleep(&mut self, group: HostGroup, host: &HostKey) {
        let id = GateId::Group(group);
        if let Some(entry) = self.gates.get_mut(&id) {
            entry.gate.set_delay(host, None);
            self.settle(id);
        }
    }

    /// Removes hosts that another node owns from now on. Their groups are unknown again.
    pub fn forget(&mut self, gone: &HashSet<HostKey>, groups: &HostGroups) {
        for group in gone.iter().filter_map(|host| groups.of(host)) {
            self.known.remove(&group);
        }
        for id in self.ids() {
            if let Some(entry) = self.gates.get_mut(&id) {
                entry.gate.forget(gone);
                self.settle(id);
            }
        }
    }

    /// Marks a group as known. Returns true if it was not, so that requests that an earlier run or another node may
    /// have sent to it must be taken into account.
    pub fn mark_known(&mut self, group: HostGroup) -> bool {
        self.known.insert(group)
    }

    /// Admits no host of a group before this time.
    pub fn pause_group(&mut self, group: HostGroup, until: Instant) {
        let id = GateId::Group(group);
        self.gates.entry(id).or_default().gate.pause(until);
        self.settle(id);
    }

    /// Returns when a gate admits the next host, or `None` while it is full.
    pub fn opens(&self, id: GateId) -> Option<Instant> {
        self.gates.get(&id)?.gate.opens(self.terms.of(id))
    }

    /// Returns the hosts that wait at a gate and the end of the pause that the server behind it has asked for, if that
    /// is still in the future.
    pub fn paused(&self, id: GateId, now: Instant) -> Option<(Instant, impl Iterator<Item = &HostKey>)> {
        let gate = &self.gates.get(&id)?.gate;
        (gate.paused_until() > now).then(|| (gate.paused_until(), gate.queue()))
    }

    /// Applies new terms.
    pub fn change(&mut self, terms: GateTerms) {
        self.terms = terms;
        self.ids().into_iter().for_each(|id| self.settle(id));
    }

    fn ids(&self) -> Vec<GateId> {
        self.gates.keys().copied().collect()
    }

    /// Removes unused address gates. Runs only when the number of gates has doubled since the last time.
    fn sweep(&mut self, now: Instant) {
        if self.gates.len() < self.sweep_at {
            return;
        }
        let (terms, last_removed) = (self.terms, &mut self.last_removed);
        self.gates.retain(|id, Entry { gate, .. }| {
            let goes = matches!(id, GateId::Address(_)) && gate.is_as_new(now, terms.of(*id));
            if goes {
                *last_removed = gate.answered().max(*last_removed);
            }
            !goes
        });
        self.sweep_at = (2 * self.gates.len()).max(SWEPT_LEAST);
    }

    /// Updates a gate's entry in `opening`.
    fn settle(&mut self, id: GateId) {
        let terms = self.terms.of(id);
        let Some(Entry { gate, opening }) = self.gates.get_mut(&id) else { return };
        let opens = if gate.is_awaited() { gate.opens(terms) } else { None };
        if *opening != opens {
            if let Some(at) = opening {
                self.opening.remove(&(*at, id));
            }
            self.opening.extend(opens.map(|at| (at, id)));
            *opening = opens;
        }
    }
}

#[cfg(test)]
mod tests;
