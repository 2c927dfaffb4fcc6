//! The lease of a session, as its holder and as an observer. Correctness depends on the rate of clocks only, not on
//! their absolute time.
//!
//! The holder may fetch until a margin before the lease would expire, counted from *before* its last acknowledged
//! renewal was sent. An observer considers a lease expired if it has not changed for its whole duration since the
//! observer *saw* it change, which was after it was written. With a margin of a fifth the holder always stops first,
//! provided that no clock's rate is off by more than a tenth.

use std::collections::BTreeMap;
use std::time::Duration;

use super::SessionId;
use harvestman_core::clock::Instant;

/// The durations of leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerms {
    /// How long an observer waits after the last change it saw.
    pub lease: Duration,
    /// The renewal interval of the holder.
    pub renew: Duration,
}

impl LeaseTerms {
    /// Returns until when the holder may fetch if a renewal sent at this time was acknowledged.
    pub fn fetch_deadline(&self, sent: Instant) -> Instant {
        sent + self.lease * 4 / 5
    }

    /// Returns when to send the next renewal.
    pub fn next_renewal(&self, sent: Instant) -> Instant {
        sent + self.renew
    }

    /// Returns whether an observer whose own last acknowledged renewal was sent at `renewed` can rule out that it is
    /// the one that is partitioned from the bus.
    pub fn can_judge_others(&self, renewed: Instant, now: Instant) -> bool {
        now.since(renewed) <= self.renew * 3
    }
}

/// The leases of other sessions, as an observer sees them.
#[derive(Debug, Default)]
pub struct LeaseObserver {
    seen: BTreeMap<SessionId, (u64, Instant)>,
    /// The observer could not see changes before this time: a lease that did not change then may still be valid.
    clear_since: Instant,
}

impl LeaseObserver {
    /// Records that a lease has this revision.
    pub fn saw(&mut self, session: &SessionId, revision: u64, now: Instant) {
        match self.seen.get_mut(session) {
            Some((known, _)) if *known >= revision => {}
            Some(known) => *known = (revision, now),
            None => {
                self.seen.insert(session.clone(), (revision, now));
            }
        }
    }

    /// Drops all sessions but these.
    pub fn keep(&mut self, is_left: impl Fn(&SessionId) -> bool) {
        self.seen.retain(|session, _| is_left(session));
    }

    /// Restarts the waiting time of all leases: the observer could see nothing until now.
    pub fn restart_grace_period(&mut self, now: Instant) {
        self.clear_since = self.clear_since.max(now);
    }

    /// Returns the sessions whose lease has not changed for its whole duration, with the revision to evict.
    pub fn expired(&self, terms: &LeaseTerms, now: Instant) -> Vec<(SessionId, u64)> {
        let expired = |since: Instant| now.since(since.max(self.clear_since)) >= terms.lease;
        let expired = self.seen.iter().filter(|(_, (_, since))| expired(*since));
        expired.map(|(session, (revision, _))| (session.clone(), *revision)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TERMS: LeaseTerms = LeaseTerms { lease: Duration::from_secs(10), renew: Duration::from_secs(1) };

    fn session() -> SessionId {
        SessionId("a.1".to_owned())
    }

    /// The time on a clock whose rate is `rate` thousandths, after `micros` of true time.
    fn shown(micros: u64, rate: u64, offset: u64) -> Instant {
        Instant::from_micros(offset + micros * rate / 1000)
    }

    proptest! {
        #[test]
        fn a_holder_is_done_before_anybody_evicts(
            holder in 900_u64..=1100,
            observer in 900_u64..=1100,
            offsets in (0_u64..10_000_000_000, 0_u64..10_000_000_000),
            // For each renewal: the delay after the previous one, the time until it is written, until it is
            // acknowledged (or never), until it is seen.
            renewals in prop::collection::vec((0_u64..4_000_000, 0_u64..3_000_000, prop::option::of(0_u64..3_000_000), 0_u64..20_000_000), 1..30),
        ) {
            let mut seeing = LeaseObserver::default();
            let (mut sent, mut fetch_deadline, mut seen_at, mut revision) = (0, Instant::EPOCH, 0, 0);
            let mut at = 0;
            for (gap, written, acknowledged, seen) in renewals {
                sent = at + gap;
                revision += 1;
                if let Some(acknowledged) = acknowledged {
                    fetch_deadline = fetch_deadline.max(TERMS.fetch_deadline(shown(sent, holder, offsets.0)));
                    at = sent + written + acknowledged;
                } else {
                    at = sent + written;
                }
                // In order, but late.
                seen_at = (sent + written + seen).max(seen_at);
                seeing.saw(&session(), revision, shown(seen_at, observer, offsets.1));
            }
            // The first moment of true time at which the observer evicts the last revision.
            let evicts = (seen_at..).step_by(1_000).find(|at| !seeing.expired(&TERMS, shown(*at, observer, offsets.1)).is_empty());
            let evicts = evicts.unwrap_or(u64::MAX);
            prop_assert!(fetch_deadline < shown(evicts, holder, offsets.0), "holder until {fetch_deadline:?}, evicted at {evicts}, sent {sent}");
        }
    }

    #[test]
    fn a_lease_expires_at_its_length_and_not_before() {
        let mut seeing = LeaseObserver::default();
        seeing.saw(&session(), 7, Instant::from_micros(5));
        assert!(seeing.expired(&TERMS, Instant::from_micros(10_000_004)).is_empty());
        assert_eq!(seeing.expired(&TERMS, Instant::from_micros(10_000_005)), [(session(), 7)]);
    }

    #[test]
    fn what_was_told_twice_or_late_prolongs_nothing() {
        let mut seeing = LeaseObserver::default();
        seeing.saw(&session(), 7, Instant::from_micros(0));
        seeing.saw(&session(), 7, Instant::from_micros(9_000_000));
        seeing.saw(&session(), 6, Instant::from_micros(9_000_000));
        assert_eq!(seeing.expired(&TERMS, Instant::from_micros(10_000_000)).len(), 1);
    }

    #[test]
    fn an_observer_that_was_blind_begins_anew() {
        let mut seeing = LeaseObserver::default();
        seeing.saw(&session(), 7, Instant::from_micros(0));
        seeing.restart_grace_period(Instant::from_micros(60_000_000));
        assert!(seeing.expired(&TERMS, Instant::from_micros(69_999_999)).is_empty());
        assert!(!seeing.expired(&TERMS, Instant::from_micros(70_000_000)).is_empty());
    }
}
