//! Evicts sessions whose lease has expired.

use std::sync::Arc;

use rand::Rng as _;

use super::records::{self, SessionRecord, session_key};
use super::shared::Shared;
use crate::SessionId;
use crate::lease::Observer;
use harvestman_core::seed::Seed;

pub(super) async fn evict(shared: Arc<Shared>, seed: Seed) {
    let (mut observer, mut rng, mut seen) = (Observer::default(), seed.rng(), 0);
    loop {
        seen = shared.look(&shared.seen, seen).await;
        let now = shared.clock.now();
        if !shared.is_sure() {
            observer.was_blind(now);
        }
        look_at_leases(&shared, &mut observer);
        let expired = observer.expired(&shared.options.terms, now);
        if expired.is_empty() {
            continue;
        }
        // Not everybody at once: most will find it done.
        let patience = shared.options.look.mul_f64(rng.random_range(0.0..1.0));
        shared.clock.sleep(patience).await;
        for (session, revision) in expired {
            tombstone(&shared, &session, revision).await;
        }
        look_at_leases(&shared, &mut observer);
    }
}

fn look_at_leases(shared: &Shared, observer: &mut Observer) {
    let now = shared.clock.now();
    let view = shared.view.lock();
    observer.keep(|session| view.heartbeat(session).is_some());
    let others = view.sessions.iter().filter(|(session, _)| **session != shared.session);
    for (session, (record, revision)) in others {
        if matches!(record, SessionRecord::Live(_)) {
            observer.saw(session, *revision, now);
        }
    }
}

async fn tombstone(shared: &Shared, session: &SessionId, revision: u64) {
    let is_as_seen = |known: &(SessionRecord, u64)| known.1 == revision;
    if !shared.view.lock().sessions.get(session).is_some_and(is_as_seen) {
        return;
    }
    let (key, value) = (session_key(session), records::written(&SessionRecord::Evicted));
    let write = shared.calls.bus.update(&key, value.clone(), revision);
    if let Ok(revision) = shared.calls.once(write).await {
        tracing::warn!("the lease of the session {session} has expired: it is taken for dead");
        shared.calls.metrics.evictions.inc();
        shared.wrote(key, value, revision);
    }
}
