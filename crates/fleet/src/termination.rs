//! Detects the termination of a distributed crawl.
//!
//! The crawl has terminated when no URL waits anywhere and no link is in transit. Sessions report at different times,
//! so detection takes four steps, in this order:
//!
//! 1. Every partition is held by a session that has caught up and is idle.
//! 2. *Then* the ends of all shards of the exchange are read: everything in them had been read by then. If the fleet
//!    has a policy, so is the end of its observations: what it proposes for the last of them is work too.
//! 3. *Then* the sessions' leases are read from the leader of their keys.
//! 4. Each session renews its lease twice more with the same activity: the second heartbeat was made after the ends
//!    were read.
//!
//! So at the moment of step 2 all sessions were idle at once, with no unread message in the exchange. An idle session
//! does nothing by itself.

use std::collections::BTreeMap;

use super::watermark::{ReadProgress, reached};
use super::{Partition, Partitions, SessionId};

/// The state that a live session reports.
#[derive(Debug, Clone, Copy)]
pub struct SessionReport<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Counts its heartbeats.
    pub beat: u64,
    /// Whether nothing waits and nothing is in flight.
    pub is_idle: bool,
    /// Changes with every event in the session.
    pub activity: u64,
    /// The partitions that it holds and has caught up with.
    pub held: &'a [Partition],
    /// For each shard: the position that is in its log.
    pub positions: &'a [u64],
}

/// A moment at which all sessions were idle: the positions of the shards, and the activity of each session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quiescence {
    /// The position in each shard.
    pub positions: Vec<u64>,
    /// For each session: its activity, and the heartbeat by which it must still report the same.
    pub sessions: BTreeMap<SessionId, (u64, u64)>,
}

/// Step 1: returns the quiescent state if all sessions are idle and hold all partitions.
pub fn quiet(reports: &[SessionReport<'_>], partitions: &Partitions) -> Option<Quiescence> {
    let readings = reports.iter().map(|report| ReadProgress { held: report.held, positions: report.positions });
    let positions = reached(readings, partitions).into_iter().collect::<Option<Vec<u64>>>()?;
    let sessions = reports.iter().map(|report| (report.session.clone(), (report.activity, u64::MAX))).collect();
    reports.iter().all(|report| report.is_idle).then_some(Quiescence { positions, sessions })
}

impl Quiescence {
    /// Step 2: returns whether everything up to these ends of the shards was read.
    pub fn has_read(&self, ends: &[u64]) -> bool {
        self.positions.len() == ends.len() && self.positions.iter().zip(ends).all(|(position, end)| position >= end)
    }

    /// Step 3: records that a session's key held this heartbeat after the ends were read. Returns false if the session
    /// was active since.
    pub fn looked_up(&mut self, session: &SessionId, beat: u64, activity: u64) -> bool {
        match self.sessions.get_mut(session) {
            Some((known, by)) if *known == activity => {
                *by = beat + 2;
                true
            }
            _ => false,
        }
    }

    /// Step 4: returns whether the crawl has terminated, or `None` if it is no longer quiescent.
    pub fn is_over(&self, reports: &[SessionReport<'_>], partitions: &Partitions) -> Option<bool> {
        let now = quiet(reports, partitions)?;
        let same = |(session, (activity, _)): (&SessionId, &(u64, u64))| {
            self.sessions.get(session).is_some_and(|(known, _)| known == activity)
        };
        if now.sessions.len() != self.sessions.len() || !now.sessions.iter().all(same) {
            return None;
        }
        let has_said =
            |report: &SessionReport<'_>| self.sessions.get(report.session).is_some_and(|(_, by)| report.beat >= *by);
        Some(reports.iter().all(has_said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partitions() -> Partitions {
        Partitions::new(2, 1)
    }

    fn report<'a>(session: &'a SessionId, held: &'a [Partition], beat: u64) -> SessionReport<'a> {
        SessionReport { session, beat, is_idle: true, activity: 3, held, positions: &[7] }
    }

    #[test]
    fn it_is_over_when_all_have_said_the_same_twice_after_the_ends_were_asked_for() {
        let (a, b) = (SessionId("a.1".to_owned()), SessionId("b.1".to_owned()));
        let (of_a, of_b) = ([Partition(0)], [Partition(1)]);
        let at = |beat| [report(&a, &of_a, beat), report(&b, &of_b, beat)];
        let mut quiet = quiet(&at(4), &partitions()).expect("all is quiet");
        assert!(quiet.has_read(&[7]) && quiet.has_read(&[0]) && !quiet.has_read(&[8]));
        assert!(quiet.looked_up(&a, 4, 3) && quiet.looked_up(&b, 5, 3));
        assert_eq!(quiet.is_over(&at(6), &partitions()), Some(false));
        assert_eq!(quiet.is_over(&at(7), &partitions()), Some(true));
        let mut stirred = at(7);
        stirred[1].activity = 4;
        assert_eq!(quiet.is_over(&stirred, &partitions()), None);
        assert_eq!(quiet.is_over(&at(7)[..1], &partitions()), None);
        assert!(!quiet.looked_up(&a, 5, 4));
    }

    #[test]
    fn it_is_not_quiet_while_one_works_or_a_partition_is_held_by_nobody() {
        let a = SessionId("a.1".to_owned());
        let all = [Partition(0), Partition(1)];
        assert!(quiet(&[report(&a, &all, 1)], &partitions()).is_some());
        assert!(quiet(&[report(&a, &all[..1], 1)], &partitions()).is_none());
        assert!(quiet(&[SessionReport { is_idle: false, ..report(&a, &all, 1) }], &partitions()).is_none());
    }

    #[test]
    fn without_a_look_up_nothing_is_over() {
        let a = SessionId("a.1".to_owned());
        let all = [Partition(0), Partition(1)];
        let quiet = quiet(&[report(&a, &all, 1)], &partitions()).expect("all is quiet");
        assert_eq!(quiet.is_over(&[report(&a, &all, 1_000)], &partitions()), Some(false));
    }
}
