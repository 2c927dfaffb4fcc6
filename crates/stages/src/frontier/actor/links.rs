//! Accepts links, and applies the orders by which they are queued.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::FrontierActor;
use crate::frontier::messages::{DiscoveredLinks, Order};
use harvestman_core::model::{Admission, Change, Ended, Fate, PolicyRefusal, Priority, ProgressRecord, ScheduledUrl};
use harvestman_core::url::HostKey;

impl FrontierActor {
    /// Accepts links that belong to no lease, persists `change` with them, and grants the leases that they allow.
    pub(super) fn take_in_event(&mut self, links: DiscoveredLinks, mut change: Change) {
        let now = self.setup.clock.now();
        self.take_in(links, &mut change);
        self.keep(change);
        self.grant(now);
        self.worked_since(now);
    }

    pub(super) fn take_in(&mut self, found: DiscoveredLinks, change: &mut Change) {
        self.events += 1;
        let accepted = found.accepted.len() as u64;
        self.begun = true;
        self.setup.ledger.lock().discover(&found.settled, accepted);
        if !found.foreign.is_empty() {
            change.fleet_effects.get_or_insert_default().foreign.extend(found.foreign);
        }
        change.lastmods.extend(found.lastmods);
        self.setup.crawl_metrics.discovered.add(found.settled.total() + accepted);
        for (fate, count) in found.settled.iter() {
            self.setup.crawl_metrics.count_fate(fate, count);
        }
        self.setup.metrics.stage.received.add(accepted);
        let mut hosts = BTreeSet::new();
        let outdated = found.generation < self.setup.order.generation;
        for mut item in found.accepted {
            if !self.setup.ownership.holds(item.url.origin()) {
                self.hand_over(item, change);
                continue;
            }
            if outdated {
                match self.readmit(&item).queued() {
                    Ok(queue) => item.move_to(queue),
                    Err(why) => {
                        let fate = Fate::Policy(why);
                        self.discard(fate, 1);
                        change.ended.push(never_waited(&item, fate));
                        continue;
                    }
                }
            }
            match self.frontier.push(&item) {
                Ok(host) => {
                    hosts.insert(host.clone());
                    self.wake(host);
                    change.waiting.push((self.frontier.last_number(), item));
                }
                Err(budget) => {
                    self.setup.metrics.stage.dropped.by(budget.label()).inc();
                    let fate = Fate::OverBudget(budget);
                    self.settle(fate);
                    change.ended.push(never_waited(&item, fate));
                }
            }
        }
        let admitted = |host: HostKey| ProgressRecord::Admitted(host.clone(), self.frontier.admitted(&host));
        change.progress.extend(hosts.into_iter().map(admitted));
    }

    /// Hands over a URL whose host this node owned when it was found, to the node that owns it now.
    pub(super) fn hand_over(&self, item: ScheduledUrl, change: &mut Change) {
        self.setup.ownership.allow_return(&item);
        self.discard(Fate::HandedOver, 1);
        change.fleet_effects.get_or_insert_default().foreign.push(item);
    }

    /// Passes a change on to be persisted.
    pub(super) fn keep(&mut self, mut change: Change) {
        let Some(changes) = &self.changes else { return };
        change.ledger = self.setup.ledger.lock().clone();
        self.uncommitted += u64::from(change.leases);
        let waiting = &self.setup.metrics.waiting_seconds;
        let began = waiting.is_on().then(|| self.setup.clock.now());
        changes.keep(change);
        if let Some(began) = began {
            waiting.add(self.setup.clock.now().since(began));
        }
    }

    /// Decides about a URL again, in the order's generation.
    pub(super) fn readmit(&self, item: &ScheduledUrl) -> Admission {
        (self.setup.order.readmit)(item.class, item.url.as_str(), item.via.as_deref())
    }

    /// Moves a URL that is to be retried to its class in the order's generation. A URL that is now rejected is retried
    /// nevertheless; after all others if its URL pattern is a trap.
    pub(super) fn renew(&self, item: &mut ScheduledUrl) {
        match self.readmit(item) {
            Admission::Queue(class, priority) => (item.class, item.priority) = (class, priority),
            Admission::Reject(PolicyRefusal::StructureTrap) => item.priority = Priority::Last,
            Admission::Reject(_) => item.priority = Priority::Normal,
        }
    }

    /// Applies a new order of the policy. Returns how many waiting URLs it rejected.
    pub(super) fn follow(&mut self, order: Order) -> u64 {
        self.frontier.set_order(Arc::clone(&order.scores));
        let mut gone = 0;
        if order.generation != self.setup.order.generation {
            let ended = self.frontier.reclassify(&*order.generation_at, &*order.readmit);
            gone = ended.len() as u64;
            self.end_waiting(ended);
        }
        self.setup.order = order;
        gone
    }

    /// Applies the order that waits in the slot, if any.
    pub(super) fn follow_waiting(&mut self) -> u64 {
        let Some(order) = self.setup.orders.take() else { return 0 };
        let gone = self.follow(order);
        // It is possible that no URL waits any more, and the crawl is over.
        self.grant(self.setup.clock.now());
        gone
    }

    /// Records waiting URLs that are no longer to be fetched, and persists that.
    pub(super) fn end_waiting(&mut self, ended: Vec<Ended>) {
        ended.iter().for_each(|gone| self.discard(gone.fate, 1));
        self.keep(Change { ended, ..Change::default() });
    }

    /// Records links that are dropped with this fate.
    pub(super) fn discard(&self, fate: Fate, count: u64) {
        self.setup.ledger.lock().discard(fate, count);
        self.setup.crawl_metrics.count_fate(fate, count);
        self.setup.metrics.stage.dropped.by(fate.reason().unwrap_or_default()).add(count);
    }

    pub(super) fn settle(&self, fate: Fate) {
        self.setup.ledger.lock().settle(fate);
        self.setup.crawl_metrics.count_fate(fate, 1);
    }
}

/// Returns the end of a URL that was dropped before it waited.
fn never_waited(item: &ScheduledUrl, fate: Fate) -> Ended {
    Ended { number: None, url: item.url.fingerprint(), host: item.url.host_key(), fate }
}
