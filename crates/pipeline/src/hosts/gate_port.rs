//! The gates that hosts of one group or one address share: hosts are notified when they are admitted, and one timer
//! serves the next one.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::HostDirectory;
use harvestman_core::clock::Instant;
use harvestman_core::url::{HostGroup, HostKey};
use harvestman_stages::host::{GateId, GatePassed, GatePort, GateTerms, HostHistory, HostRules, Return};

impl GatePort for HostDirectory {
    fn enter(&self, gate: GateId, host: &HostKey, delay: Duration) -> bool {
        let now = self.setup.clock.now();
        let (entered, paused) = {
            let mut gates = self.gates.gates.lock();
            let entered = gates.enter(gate, host, delay, now);
            let paused = gates.paused(gate, now).map(|(until, _)| until).filter(|_| !entered);
            (entered, paused)
        };
        if let Some(until) = paused {
            self.waits.add(host, until, gate.reason());
        }
        if !entered {
            self.serve_gates();
        }
        entered
    }

    fn leave(&self, gate: GateId, host: &HostKey, by: Return) {
        let now = self.setup.clock.now();
        let paused: Vec<(HostKey, Instant)> = {
            let mut gates = self.gates.gates.lock();
            gates.leave(gate, host, by, now);
            let news = by.answered.and_then(|_| gates.paused(gate, now));
            news.into_iter().flat_map(|(until, hosts)| hosts.map(move |host| (host.clone(), until))).collect()
        };
        paused.iter().for_each(|(host, until)| self.waits.add(host, *until, gate.reason()));
        self.serve_gates();
    }

    fn change_delay(&self, group: HostGroup, host: &HostKey, delay: Duration) {
        self.gates.gates.lock().change_delay(group, host, delay);
        self.serve_gates();
    }

    fn opens(&self, gate: GateId) -> Option<Instant> {
        self.gates.gates.lock().opens(gate)
    }
}

impl HostDirectory {
    /// Applies other terms to all gates.
    pub(super) fn change_gates(&self, terms: GateTerms) {
        self.gates.gates.lock().change(terms);
        self.serve_gates();
    }

    /// Removes the delay of a host that has gone to sleep from its group.
    pub(super) fn leave_group(&self, host: &HostKey) {
        if let Some(group) = self.setup.groups.of(host) {
            self.gates.gates.lock().asleep(group, host);
            self.serve_gates();
        }
    }

    /// Forgets hosts that another node owns from now on.
    pub(super) fn forget_at_gates(&self, gone: &HashSet<HostKey>) {
        self.gates.gates.lock().forget(gone, &self.setup.groups);
        self.serve_gates();
    }

    /// Delays a group once by the longest delay that is remembered of its hosts: another run or another node may just
    /// have sent a request to one of them.
    pub(super) fn delay_group(&self, host: &HostKey, remembered: &HashMap<HostKey, HostHistory>, rules: &HostRules) {
        let Some(group) = self.setup.groups.of(host) else { return };
        let mut gates = self.gates.gates.lock();
        if gates.mark_known(group) {
            let of_group = remembered.iter().filter(|(host, _)| self.setup.groups.of(host) == Some(group));
            let delays =
                of_group.filter_map(|(_, past)| past.politeness.as_ref()).map(|past| past.delay(&rules.politeness));
            let longest = delays.max().unwrap_or_default().max(rules.politeness.delay);
            gates.pause_group(group, self.setup.clock.now() + longest);
        }
    }

    /// Notifies the hosts that are admitted, and sets the timer for the next one.
    fn serve_gates(&self) {
        let now = self.setup.clock.now();
        loop {
            let next = self.gates.gates.lock().admit_next(now);
            let Some((gate, host)) = next else { break };
            self.send(&host, GatePassed(gate));
        }
        let due = self.gates.gates.lock().next_due();
        if let Some(due) = due {
            self.serve_gates_at(due);
        }
    }

    fn serve_gates_at(&self, at: Instant) {
        let mut timer = self.gates.timer.lock();
        // An earlier timer sets the next one then.
        if timer.as_ref().is_some_and(|(set, _)| *set <= at) {
            return;
        }
        if let Some((_, task)) = timer.take() {
            task.abort();
        }
        let (clock, directory) = (self.setup.clock.clone(), self.me.clone());
        let task = actix::spawn(async move {
            clock.sleep_until(at).await;
            if let Some(directory) = directory.upgrade() {
                *directory.gates.timer.lock() = None;
                directory.serve_gates();
            }
        });
        *timer = Some((at, task));
    }
}
