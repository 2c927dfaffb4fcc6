//! Grants leases, and detects the end of the crawl.

use super::FrontierActor;
use crate::frontier::budgets::EndReason;
use crate::frontier::host_queue::NotReady;
use harvestman_core::clock::Instant;
use harvestman_core::model::{Decision, Lease, Priority};
use harvestman_core::url::HostKey;

/// Weight of the latest URL in the moving average of the scores of granted URLs.
const SCORE_SHARE: f64 = 0.02;

/// After a forecast over very many classes, no other is made for this many times its duration.
const LOOK_PAUSE: u32 = 50;

impl FrontierActor {
    /// Records on a lease why that URL was chosen.
    pub(super) fn explain(&mut self, lease: &mut Lease) {
        let Some(snapshot) = self.setup.order.version else { return };
        let score = self.setup.order.scores.score(lease.item.class);
        // A pinned URL keeps the score of the policy.
        let score = if lease.item.priority == Priority::Pinned { score } else { lease.item.priority.rank(score) };
        lease.decision = Some(Decision { score, snapshot });
        if score.is_finite() {
            // URLs that are queued last count as 0, however low their score.
            let score = score.max(0.0);
            let worth = self.worth.map_or(score, |worth| worth + SCORE_SHARE * (score - worth));
            self.worth = Some(worth);
            self.setup.metrics.expected_worth.set(worth);
        }
    }

    /// Makes a forecast if one is due, and stops the crawl if the expected yield is too low.
    pub(super) fn look_ahead(&mut self, now: Instant) {
        let made = self.setup.ledger.lock().requests();
        if now < self.next_look || !self.early_stop.is_due(made) {
            return;
        }
        let forecast = self.frontier.forecast(self.early_stop.requests());
        if let Some(forecast) = forecast {
            self.setup.allowance.set_forecast(forecast);
            self.setup.metrics.expected_yield.set(forecast.expected_yield);
        }
        if self.early_stop.look(made, forecast) {
            self.setup.allowance.stop(EndReason::LowYield);
        }
        let done = self.setup.clock.now();
        self.next_look = done + LOOK_PAUSE * done.since(now);
    }

    pub(super) fn wake(&mut self, host: HostKey) {
        if !self.awake.contains(&host) {
            self.setup.hosts.wake(&host);
            self.awake.insert(host);
        }
    }

    /// Grants leases while budgets, credits and due hosts last.
    pub(super) fn grant(&mut self, now: Instant) {
        self.setup.allowance.set_leases(self.frontier.leased());
        if self.frontier.lost() > 0 {
            self.setup.allowance.stop(EndReason::Lost);
        }
        while !self.paused
            && self.frontier.leased() as u64 + self.uncommitted < u64::from(self.setup.in_flight_max)
            && self.setup.allowance.begin_lease(now, !self.due.is_empty())
        {
            let is_some_due = self.grant_one(now);
            // The started lease is either granted by now, or does not exist.
            self.setup.allowance.set_leases(self.frontier.leased());
            if !is_some_due {
                break;
            }
        }
        self.report();
        self.finish_if_over(now);
    }

    /// Grants a lease to the best due host, or turns it away. Returns false if no host is due.
    pub(super) fn grant_one(&mut self, now: Instant) -> bool {
        let frontier = &mut self.frontier;
        let Some(host) = self.due.take(|host| frontier.best(host, now).ok()) else { return false };
        if !self.setup.ownership.holds(host.as_str()) {
            self.turn_away(&host, NotReady::Empty);
            return true;
        }
        match self.frontier.pop(&host, now) {
            Ok(mut lease) => {
                self.explain(&mut lease);
                self.setup.metrics.stage.sent.inc();
                self.setup.hosts.grant(lease);
            }
            Err(reason) => self.turn_away(&host, reason),
        }
        true
    }

    pub(super) fn turn_away(&mut self, host: &HostKey, reason: NotReady) {
        self.awake.remove(host);
        let until = match reason {
            NotReady::Empty => None,
            NotReady::Wait { until } => Some(until),
        };
        self.setup.hosts.no_work(host, until);
    }

    pub(super) fn finish_if_over(&mut self, now: Instant) {
        let under_way = self.frontier.leased() as u64 + self.uncommitted + self.setup.allowance.errands();
        if under_way > 0 || !self.begun {
            return;
        }
        let over = match self.setup.allowance.ends(now) {
            Some(why) => Some(why),
            None if self.frontier.queued() == 0 && self.errands == 0 && self.holds == 0 => Some(EndReason::Empty),
            None => None,
        };
        if let Some(why) = over
            && let Some(finished) = self.finished.take()
        {
            debug_assert!(self.setup.ledger.lock().balances(self.frontier.queued()), "ACC-1");
            // After a second signal the pipeline may be gone already; then nothing waits for the reason.
            let _ = finished.send(why);
        }
    }

    pub(super) fn report(&self) {
        let metrics = &self.setup.metrics;
        metrics.queued.set(self.frontier.queued());
        metrics.leased.set(self.frontier.leased() as u64);
        metrics.uncommitted.set(self.uncommitted);
        metrics.lost.set(self.frontier.lost());
        let under_way =
            self.frontier.leased() as u64 + self.uncommitted + self.errands + self.setup.allowance.errands();
        self.setup.activity.publish(self.frontier.queued(), under_way, self.events);
    }
}
