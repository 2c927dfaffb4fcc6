//! When a crawl is over.
//!
//! Nothing waits anywhere and nothing is on its way. Sessions say so at different moments, so it takes four steps, in this order:
//!
//! 1. Every partition is held by a session that has caught up and is idle.
//! 2. *Then* the ends of all shards of the exchange are asked for: everything in them had been read by then.
//! 3. *Then* the sessions' leases are looked up, as their keys' leader knows them.
//! 4. Each session renews its lease twice more, and says the same: the second heartbeat was made after the ends were asked for.
//!
//! So at the moment of 2 all were idle at once, with nothing in the exchange that was not read. Whoever is idle does nothing by itself.

use std::collections::BTreeMap;

use super::watermark::{ReadProgress, reached};
use super::{Partition, Partitions, SessionId};

/// What a session that lives says.
#[derive(Debug, Clone, Copy)]
pub struct SessionReport<'a> {
    /// Who.
    pub session: &'a SessionId,
    /// Counts its heartbeats.
    pub beat: u64,
    /// Nothing waits, nothing is under way.
    pub is_idle: bool,
    /// Changes with everything that happens in it.
    pub activity: u64,
    /// The partitions that it holds and has caught up with.
    pub held: &'a [Partition],
    /// Of each shard: how far it is in its log.
    pub positions: &'a [u64],
}

/// All was quiet once: how far each shard was read, and what each session said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quiescence {
    /// Of each shard.
    pub positions: Vec<u64>,
    /// Of each session: its activity, and the heartbeat by which it must say the same.
    pub sessions: BTreeMap<SessionId, (u64, u64)>,
}

/// Step 1: whether all are idle and hold everything.
pub fn quiet(reports: &[SessionReport<'_>], partitions: &Partitions) -> Option<Quiescence> {
    let readings = reports.iter().map(|report| ReadProgress { held: report.held, positions: report.positions });
    let positions = reached(readings, partitions).into_iter().collect::<Option<Vec<u64>>>()?;
    let sessions = reports.iter().map(|report| (report.session.clone(), (report.activity, u64::MAX))).collect();
    reports.iter().all(|report| report.is_idle).then_some(Quiescence { positions, sessions })
}

impl Quiescence {
    /// Step 2: whether everything up to these ends of the shards was read.
    pub fn has_read(&self, ends: &[u64]) -> bool {
        self.positions.len() == ends.len() && self.positions.iter().zip(ends).all(|(position, end)| position >= end)
    }

    /// Step 3: a session's key held this heartbeat after the ends were asked for. False: something has happened.
    pub fn looked_up(&mut self, session: &SessionId, beat: u64, activity: u64) -> bool {
        match self.sessions.get_mut(session) {
            Some((known, by)) if *known == activity => {
                *by = beat + 2;
                true
            }
            _ => false,
        }
    }

    /// Step 4: whether it is over; none where it is not quiet any more.
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
