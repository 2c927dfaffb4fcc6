//! Watches the keys.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::context::NodeContext;
use super::options::{End, OnOrders};
use super::records::{CrawlState, SessionRecord};
use crate::bus::WatchEvent;
use harvestman_core::clock::Instant;

pub(super) async fn watch(context: Arc<NodeContext>, orders: OnOrders) {
    let (mut attempt, mut ordered) = (0, 0);
    loop {
        if let Ok(mut channel) = context.client.once(context.client.bus.watch()).await {
            context.view.lock().watch_begins();
            let mut fresh = context.clock.now();
            while let Some(seen) = next(&context, &mut channel).await {
                attempt = 0;
                apply(&context, seen, &orders, &mut ordered);
                if is_stale(&context, &mut fresh) {
                    break;
                }
            }
        }
        context.client.pause(attempt).await;
        attempt += 1;
    }
}

/// Returns the next event, or `None` after so long a silence that the watch must be broken: it would deliver the
/// session's own renewals.
async fn next(context: &NodeContext, channel: &mut tokio::sync::mpsc::Receiver<WatchEvent>) -> Option<WatchEvent> {
    tokio::select! {
        biased;
        seen = channel.recv() => seen,
        () = context.clock.sleep(context.options.terms.lease) => None,
    }
}

fn apply(context: &NodeContext, seen: WatchEvent, orders: &OnOrders, ordered: &mut u64) {
    let mut view = context.view.lock();
    if let Err(error) = view.see(seen) {
        tracing::error!("{error}; ignoring this value");
    }
    let new_orders = view.orders.clone().filter(|(_, revision)| revision > ordered);
    let is_evicted = matches!(view.sessions.get(&context.session), Some((SessionRecord::Evicted, _)));
    let is_over = view.crawl.as_ref().is_some_and(|(crawl, _)| crawl.state == CrawlState::Over);
    drop(view);
    if let Some((value, revision)) = new_orders {
        *ordered = revision;
        orders(&value);
    }
    if is_evicted {
        context.end(End::Lost);
    }
    if is_over {
        context.end(End::Over);
    }
    context.view_changed.raise();
}

/// Returns whether the watch is stale: the session's own renewals are acknowledged, but not seen.
fn is_stale(context: &NodeContext, fresh: &mut Instant) -> bool {
    let now = context.clock.now();
    let view = context.view.lock();
    let seen = view.sessions.get(&context.session).map_or(0, |(_, revision)| *revision);
    // One renewal may be in flight.
    if !view.up_to_date || seen >= context.lease_revision.load(Ordering::Acquire) {
        *fresh = now;
    }
    now.since(*fresh) > context.options.terms.lease
}
