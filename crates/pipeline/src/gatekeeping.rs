//! What hosts share, served: who is let in is told, and one timer looks whose turn comes next. All of it on the arbiter's thread.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::switchboard::Switchboard;
use harvestman_core::clock::Instant;
use harvestman_core::url::{HostGroup, HostKey};
use harvestman_stages::host::{GateId, HostPast, HostRules, LetIn, Return};

impl Switchboard {
    /// Lets a host pass a gate, or has it wait.
    pub(super) fn enter_gate(self: &Arc<Self>, gate: GateId, host: &HostKey, delay: Duration) -> bool {
        let now = self.clock.now();
        let (entered, paused) = {
            let mut gates = self.gates.lock();
            let entered = gates.enter(gate, host, delay, now);
            let paused = gates.paused(gate, now).map(|(until, _)| until).filter(|_| !entered);
            (entered, paused)
        };
        if let Some(until) = paused {
            self.waits.lock().insert(host.clone(), (until, gate.reason()));
        }
        if !entered {
            self.serve_gates();
        }
        entered
    }

    /// Takes a host back through a gate.
    pub(super) fn leave_gate(self: &Arc<Self>, gate: GateId, host: &HostKey, by: Return) {
        let now = self.clock.now();
        let paused: Vec<(HostKey, Instant)> = {
            let mut gates = self.gates.lock();
            gates.leave(gate, host, by, now);
            let news = by.answered.and_then(|_| gates.paused(gate, now));
            news.into_iter().flat_map(|(until, hosts)| hosts.map(move |host| (host.clone(), until))).collect()
        };
        self.waits.lock().extend(paused.into_iter().map(|(host, until)| (host, (until, gate.reason()))));
        self.serve_gates();
    }

    /// A host has gone to sleep: its delay no longer counts for its group.
    pub(super) fn leave_group(self: &Arc<Self>, host: &HostKey) {
        if let Some(group) = self.group_of(host) {
            self.gates.lock().asleep(group, host);
            self.serve_gates();
        }
    }

    /// These hosts are another node's from now on.
    pub(super) fn forget_at_gates(self: &Arc<Self>, gone: &HashSet<HostKey>) {
        let Some(setup) = self.setup.get() else { return };
        self.gates.lock().forget(gone, &setup.groups);
        self.serve_gates();
    }

    /// Where another run, or another node, may have asked hosts of a group for something just before, the group rests once for the longest
    /// delay that is remembered of its hosts.
    pub(super) fn rest_group(&self, host: &HostKey, remembered: &HashMap<HostKey, HostPast>, rules: &HostRules) {
        let Some(group) = self.group_of(host) else { return };
        let mut gates = self.gates.lock();
        if gates.is_strange(group) {
            let of_group = remembered.iter().filter(|(host, _)| self.group_of(host) == Some(group));
            let delays =
                of_group.filter_map(|(_, past)| past.politeness.as_ref()).map(|past| past.delay(&rules.politeness));
            let longest = delays.max().unwrap_or_default().max(rules.politeness.delay);
            gates.rest(group, self.clock.now() + longest);
        }
    }

    fn group_of(&self, host: &HostKey) -> Option<HostGroup> {
        self.setup.get()?.groups.of(host)
    }

    /// Tells the hosts whose turn has come, and sees to it that somebody looks again when the next one's has.
    pub(super) fn serve_gates(self: &Arc<Self>) {
        let now = self.clock.now();
        loop {
            let next = self.gates.lock().let_in(now);
            let Some((gate, host)) = next else { break };
            self.to_host(&host, LetIn(gate));
        }
        let due = self.gates.lock().next_due();
        if let Some(due) = due {
            self.look_at_gates(due);
        }
    }

    fn look_at_gates(self: &Arc<Self>, at: Instant) {
        let mut timer = self.gate_timer.lock();
        // One that comes earlier looks again then.
        if timer.as_ref().is_some_and(|(set, _)| *set <= at) {
            return;
        }
        if let Some((_, task)) = timer.take() {
            task.abort();
        }
        let (clock, board) = (self.clock.clone(), Arc::downgrade(self));
        let task = actix::spawn(async move {
            clock.sleep_until(at).await;
            if let Some(board) = board.upgrade() {
                *board.gate_timer.lock() = None;
                board.serve_gates();
            }
        });
        *timer = Some((at, task));
    }
}
