//! Evicts sessions whose lease has expired.

use std::sync::Arc;

use rand::Rng as _;

use super::context::NodeContext;
use super::records::{self, SessionRecord, session_key};
use crate::SessionId;
use crate::lease::LeaseObserver;
use harvestman_core::seed::Seed;

pub(super) async fn evict(context: Arc<NodeContext>, seed: Seed) {
    let (mut observer, mut rng, mut seen) = (LeaseObserver::default(), seed.rng(), 0);
    loop {
        seen = context.changed_or_timeout(&context.view_changed, seen).await;
        let now = context.clock.now();
        if !context.may_act() {
            observer.restart_grace_period(now);
        }
        observe_leases(&context, &mut observer);
        let expired = observer.expired(&context.options.terms, now);
        if expired.is_empty() {
            continue;
        }
        // Waits for a random time, so that not all nodes write at once; most will find it done.
        let jitter = context.options.look.mul_f64(rng.random_range(0.0..1.0));
        context.clock.sleep(jitter).await;
        for (session, revision) in expired {
            tombstone(&context, &session, revision).await;
        }
        observe_leases(&context, &mut observer);
    }
}

fn observe_leases(context: &NodeContext, observer: &mut LeaseObserver) {
    let now = context.clock.now();
    let view = context.view.lock();
    observer.keep(|session| view.heartbeat(session).is_some());
    let others = view.sessions.iter().filter(|(session, _)| **session != context.session);
    for (session, (record, revision)) in others {
        if matches!(record, SessionRecord::Live(_)) {
            observer.saw(session, *revision, now);
        }
    }
}

async fn tombstone(context: &NodeContext, session: &SessionId, revision: u64) {
    let is_as_seen = |known: &(SessionRecord, u64)| known.1 == revision;
    if !context.view.lock().sessions.get(session).is_some_and(is_as_seen) {
        return;
    }
    let (key, value) = (session_key(session), records::written(&SessionRecord::Evicted));
    let write = context.client.bus.update(&key, value.clone(), revision);
    if let Ok(revision) = context.client.once(write).await {
        tracing::warn!("evicted the session {session}, whose lease expired");
        context.client.metrics.evictions.inc();
        context.wrote(key, value, revision);
    }
}
