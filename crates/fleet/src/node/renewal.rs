//! Renews the session's lease. Nothing else runs in this task.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::context::NodeContext;
use super::options::End;
use super::records::{self, SessionRecord, session_key};
use crate::bus::BusError;

pub(super) async fn renew(context: Arc<NodeContext>) {
    let key = session_key(&context.session);
    let born = context.lease_revision.load(Ordering::Acquire);
    let mut beat = 0;
    loop {
        beat += 1;
        let sent = context.clock.now();
        let mut heartbeat = context.heartbeat(beat);
        heartbeat.born = born;
        let value = records::written(&SessionRecord::Live(heartbeat));
        let revision = context.lease_revision.load(Ordering::Acquire);
        match context.client.once(context.client.bus.update(&key, value, revision)).await {
            Ok(revision) => context.renewed(sent, revision),
            Err(BusError::Refused(why)) => tracing::warn!("the bus refused to renew the lease: {why}"),
            // The write may have happened; if it did not, another session may have written the key.
            Err(_) => look_up(&context, &key, beat, sent).await,
        }
        context.clock.sleep_until(context.options.terms.next_renewal(sent)).await;
    }
}

async fn look_up(context: &NodeContext, key: &str, beat: u64, sent: harvestman_core::clock::Instant) {
    let Ok(held) = context.client.once(context.client.bus.get(key)).await else { return };
    let value = held.as_ref().and_then(|held| held.value.as_deref());
    let record = value.map(records::read::<SessionRecord>);
    match (held.as_ref(), record) {
        (Some(held), Some(Ok(SessionRecord::Live(heartbeat)))) if heartbeat.beat == beat => {
            context.renewed(sent, held.revision);
        }
        // An earlier renewal, whose answer was lost.
        (Some(held), Some(Ok(SessionRecord::Live(_)))) => {
            context.lease_revision.store(held.revision, Ordering::Release)
        }
        _ => {
            tracing::warn!("the session {} was evicted", context.session);
            context.end(End::Lost);
        }
    }
}
