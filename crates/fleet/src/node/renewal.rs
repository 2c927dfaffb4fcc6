//! Renews the session's lease. Nothing else waits in this task.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::End;
use super::records::{self, SessionRecord, session_key};
use super::shared::Shared;
use crate::bus::BusError;

pub(super) async fn renew(shared: Arc<Shared>) {
    let key = session_key(&shared.session);
    let born = shared.lease.load(Ordering::Acquire);
    let mut beat = 0;
    loop {
        beat += 1;
        let sent = shared.clock.now();
        let mut heartbeat = shared.heartbeat(beat);
        heartbeat.born = born;
        let value = records::written(&SessionRecord::Live(heartbeat));
        let revision = shared.lease.load(Ordering::Acquire);
        match shared.calls.once(shared.calls.bus.update(&key, value, revision)).await {
            Ok(revision) => shared.renewed(sent, revision),
            Err(BusError::Refused(why)) => tracing::warn!("the renewal of the lease was refused: {why}"),
            // It may have been written all the same, and if not: by whom?
            Err(_) => look_up(&shared, &key, beat, sent).await,
        }
        shared.clock.sleep_until(shared.options.terms.next_renewal(sent)).await;
    }
}

async fn look_up(shared: &Shared, key: &str, beat: u64, sent: harvestman_core::clock::Instant) {
    let Ok(held) = shared.calls.once(shared.calls.bus.get(key)).await else { return };
    let value = held.as_ref().and_then(|held| held.value.as_deref());
    let record = value.map(records::read::<SessionRecord>);
    match (held.as_ref(), record) {
        (Some(held), Some(Ok(SessionRecord::Live(heartbeat)))) if heartbeat.beat == beat => {
            shared.renewed(sent, held.revision);
        }
        // An earlier one, whose answer was lost.
        (Some(held), Some(Ok(SessionRecord::Live(_)))) => shared.lease.store(held.revision, Ordering::Release),
        _ => {
            tracing::warn!("the session {} was taken for dead", shared.session);
            shared.end(End::Lost);
        }
    }
}
