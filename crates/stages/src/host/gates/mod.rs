//! What hosts share: the machine at one address, the server behind a group of names. Before each stands a gate.
//!
//! A host passes the gates of its group and its address before each request, and comes back through them when the request has ended. A gate
//! lets in as many at once as its terms say, or one at a time where there is a delay, and that one no earlier than the delay after the
//! first byte of the answer before it (POL-2 for all that share it; POL-1 too). Hosts queue in the order of their asking; one that has nothing
//! to send any more when its turn comes goes back at once, and the next is let in. Nobody waits for a host that leaves the queue.
//!
//! The delay of a group is the longest that holds for one of its hosts in use (awake): whatever one name of a server has asked for or
//! shown by its slowness, the machine behind it has. A host that sleeps counts no longer, but the answers to it still do. A host
//! that is answered by 429 or 503 pauses its group as itself; other failures may be of that one name, and are its own.
//!
//! Pure: the caller hands in the time, delivers the news, and asks again when [`Gates::next_due`] has come. A call costs O(log n).

mod gate;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::net::IpAddr;
use std::time::Duration;

pub use self::gate::Return;
use self::gate::{Gate, Terms};
use super::politeness::WaitReason;
use super::rules::HostRules;
use harvestman_core::clock::Instant;
use harvestman_core::url::{HostGroup, HostGroups, HostKey};

/// Gates of addresses that are kept at least before those that are as new are looked for.
const SWEPT_LEAST: usize = 64;

/// Which gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GateId {
    /// That of a group of hosts.
    Group(HostGroup),
    /// That of the hosts at one address.
    Address(IpAddr),
}

impl GateId {
    /// Why a host waits that waits there.
    pub const fn reason(self) -> WaitReason {
        match self {
            Self::Group(_) => WaitReason::Group,
            Self::Address(_) => WaitReason::Address,
        }
    }
}

/// What holds at all gates.
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
    /// The gates that are awaited and not full, by when they open.
    opening: BTreeSet<(Instant, GateId)>,
    /// Groups whose requests are known since their hosts came here.
    known: HashSet<HostGroup>,
    sweep_at: usize,
    /// The latest answer at gates that were let go. New ones begin with it, so that a delay that is set meanwhile is kept there too.
    last_removed: Option<Instant>,
}

#[derive(Debug, Default)]
struct Entry {
    gate: Gate,
    /// Where it stands in `opening`.
    opening: Option<Instant>,
}

impl Gates {
    /// No gate yet; they are made as hosts come.
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

    /// Lets a host in, or has it wait and returns false: it must not ask again before it was let in. `delay` holds for the host.
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

    /// A host that was let in comes back.
    pub fn leave(&mut self, id: GateId, host: &HostKey, by: Return, now: Instant) {
        let terms = self.terms.of(id);
        let Some(Entry { gate, .. }) = self.gates.get_mut(&id) else { return };
        match id {
            GateId::Group(_) => {
                gate.set_delay(host, Some(by.delay));
                gate.leave(by);
            }
            // What one customer of a machine has asked for or shown is not the others'.
            GateId::Address(_) => gate.leave(Return { pause: None, ..by }),
        }
        self.settle(id);
        if matches!(id, GateId::Address(_)) && self.gates.get(&id).is_some_and(|entry| entry.gate.is_as_new(now, terms))
        {
            let gone = self.gates.remove(&id);
            self.last_removed = self.last_removed.max(gone.and_then(|entry| entry.gate.answered()));
        }
    }

    /// A host that waits or is inside goes by another delay from now on.
    pub fn change_delay(&mut self, group: HostGroup, host: &HostKey, delay: Duration) {
        let id = GateId::Group(group);
        if let Some(entry) = self.gates.get_mut(&id) {
            entry.gate.set_delay(host, Some(delay));
            self.settle(id);
        }
    }

    /// The next host that is let in by now, as its turn has come; it must be told. To be asked until it says none.
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

    /// When the next host is to be let in; none where none waits for a time to come.
    pub fn next_due(&self) -> Option<Instant> {
        self.opening.first().map(|(at, _)| *at)
    }

    /// A host of a group has gone to sleep.
    pub fn asleep(&mut self, group: HostGroup, host: &HostKey) {
        let id = GateId::Group(group);
        if let Some(entry) = self.gates.get_mut(&id) {
            entry.gate.set_delay(host, None);
            self.settle(id);
        }
    }

    /// These hosts are another's from now on: they do not wait here any more, and their groups are strange.
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

    /// Whether nothing is known yet of what was sent to a group before its hosts came here. From now on it is.
    pub fn mark_known(&mut self, group: HostGroup) -> bool {
        self.known.insert(group)
    }

    /// Lets nobody of a group in before this time.
    pub fn pause_group(&mut self, group: HostGroup, until: Instant) {
        let id = GateId::Group(group);
        self.gates.entry(id).or_default().gate.pause(until);
        self.settle(id);
    }

    /// When a gate lets the next host in; none while enough are inside.
    pub fn opens(&self, id: GateId) -> Option<Instant> {
        self.gates.get(&id)?.gate.opens(self.terms.of(id))
    }

    /// The hosts that wait at a gate, and until when the server behind it has asked to be left alone, if that is still to come.
    pub fn paused(&self, id: GateId, now: Instant) -> Option<(Instant, impl Iterator<Item = &HostKey>)> {
        let gate = &self.gates.get(&id)?.gate;
        (gate.paused_until() > now).then(|| (gate.paused_until(), gate.queue()))
    }

    /// Other terms hold from now on.
    pub fn change(&mut self, terms: GateTerms) {
        self.terms = terms;
        self.ids().into_iter().for_each(|id| self.settle(id));
    }

    fn ids(&self) -> Vec<GateId> {
        self.gates.keys().copied().collect()
    }

    /// Now and then, gates of addresses that nobody uses are let go.
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

    /// Puts a gate where it belongs in `opening`.
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
