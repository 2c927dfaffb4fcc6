//! Watches the keys.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::records::{CrawlState, SessionRecord};
use super::shared::Shared;
use super::{End, OnOrders};
use crate::bus::Seen;
use harvestman_core::clock::Instant;

pub(super) async fn watch(shared: Arc<Shared>, orders: OnOrders) {
    let (mut attempt, mut ordered) = (0, 0);
    loop {
        if let Ok(mut channel) = shared.calls.once(shared.calls.bus.watch()).await {
            shared.view.lock().watch_begins();
            let mut fresh = shared.clock.now();
            while let Some(seen) = next(&shared, &mut channel).await {
                attempt = 0;
                take_in(&shared, seen, &orders, &mut ordered);
                if is_stale(&shared, &mut fresh) {
                    break;
                }
            }
        }
        shared.calls.pause(attempt).await;
        attempt += 1;
    }
}

/// What comes next; none where nothing has come for so long that something must be wrong: the session's own renewals would be seen.
async fn next(shared: &Shared, channel: &mut tokio::sync::mpsc::Receiver<Seen>) -> Option<Seen> {
    tokio::select! {
        biased;
        seen = channel.recv() => seen,
        () = shared.clock.sleep(shared.options.terms.lease) => None,
    }
}

fn take_in(shared: &Shared, seen: Seen, orders: &OnOrders, ordered: &mut u64) {
    let mut view = shared.view.lock();
    if let Err(error) = view.see(seen) {
        tracing::error!("{error}; the others go on without it");
    }
    let new_orders = view.orders.clone().filter(|(_, revision)| revision > ordered);
    let is_evicted = matches!(view.sessions.get(&shared.session), Some((SessionRecord::Evicted, _)));
    let is_over = view.crawl.as_ref().is_some_and(|(crawl, _)| crawl.state == CrawlState::Over);
    drop(view);
    if let Some((value, revision)) = new_orders {
        *ordered = revision;
        orders(&value);
    }
    if is_evicted {
        shared.end(End::Lost);
    }
    if is_over {
        shared.end(End::Over);
    }
    shared.seen.raise();
}

/// Whether the watch no longer tells what is: the session's own renewals are acknowledged, but not seen.
fn is_stale(shared: &Shared, fresh: &mut Instant) -> bool {
    let now = shared.clock.now();
    let view = shared.view.lock();
    let seen = view.sessions.get(&shared.session).map_or(0, |(_, revision)| *revision);
    // One renewal may be on its way.
    if !view.up_to_date || seen >= shared.lease.load(Ordering::Acquire) {
        *fresh = now;
    }
    now.since(*fresh) > shared.options.terms.lease
}
