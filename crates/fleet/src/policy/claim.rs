//! The election of the policy's holder.

use super::PolicyRecord;
use crate::SessionId;

/// A session as others see it.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The revision that it was created with; 0 if not known yet.
    pub born: u64,
    /// Whether it is leaving.
    pub leaving: bool,
}

/// Returns the record with which `me`, which does not hold the policy now, takes it, or `None` if `me` must not take
/// it. The oldest session that is not leaving is preferred. A holder keeps the policy for as long as it is alive.
pub fn claim(record: &PolicyRecord, me: &SessionId, live: &[Candidate<'_>]) -> Option<PolicyRecord> {
    let is_held = record.holder.as_ref().is_some_and(|holder| {
        // A record with its own name is from an earlier attempt.
        holder != me && live.iter().any(|candidate| candidate.session == holder)
    });
    let staying = live.iter().filter(|candidate| candidate.born > 0 && !candidate.leaving);
    let oldest = staying.min_by_key(|candidate| candidate.born)?;
    let is_mine = oldest.session == me;
    (!is_held && is_mine).then(|| PolicyRecord { token: record.token + 1, holder: Some(me.clone()), ..record.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId(name.to_owned())
    }

    fn claims(holder: Option<&str>, me: &str, live: &[(&str, u64, bool)]) -> Option<PolicyRecord> {
        let sessions: Vec<(SessionId, u64, bool)> =
            live.iter().map(|(name, born, leaving)| (session(name), *born, *leaving)).collect();
        let record = PolicyRecord { token: 4, holder: holder.map(session), ..PolicyRecord::default() };
        let live =
            sessions.iter().map(|(session, born, leaving)| Candidate { session, born: *born, leaving: *leaving });
        claim(&record, &session(me), &live.collect::<Vec<_>>())
    }

    #[test]
    fn the_oldest_that_stays_takes_what_nobody_who_lives_holds() {
        let live = [("a", 7, false), ("b", 5, false), ("c", 0, false)];
        assert_eq!(claims(None, "b", &live).map(|record| (record.token, record.holder)), Some((5, Some(session("b")))));
        assert_eq!(claims(Some("dead"), "b", &live).map(|record| record.token), Some(5));
        assert_eq!(claims(None, "a", &live), None);
        assert_eq!(claims(None, "c", &live), None, "nobody knows how old it is");
        assert_eq!(claims(None, "b", &[("a", 7, false), ("b", 5, true)]), None, "it is about to leave");
        assert!(claims(None, "a", &[("a", 7, false), ("b", 5, true)]).is_some());
        assert_eq!(claims(None, "b", &[]), None);
    }

    #[test]
    fn who_holds_it_keeps_it_whoever_is_older() {
        let live = [("a", 7, false), ("b", 5, false)];
        assert_eq!(claims(Some("a"), "b", &live), None);
        assert!(claims(Some("b"), "b", &live).is_some(), "an attempt of its own that it does not know the outcome of");
    }
}
