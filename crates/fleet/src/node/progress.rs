//! Reports the progress of a node and its fleet in metrics and to a callback. Read-only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::context::NodeContext;
use super::log::EXCHANGE;
use super::view::FleetView;
use crate::SessionId;
use crate::bus::{Flow, Stream};
use crate::status::fleet_status;
use harvestman_core::clock::Instant;
use harvestman_core::model::{FleetProgress, FleetStatus};

/// Receives the progress of a node once a second and when its session ends. Must not block.
pub type OnProgress = Arc<dyn Fn(FleetProgress) + Send + Sync>;

/// The reporting interval.
const REPORT_EVERY: Duration = Duration::from_secs(1);
/// The interval at which the ends of the exchange are read: one request per shard.
const POLL_EVERY: Duration = Duration::from_secs(10);

/// A receiver of progress, and the name of the crawl.
pub(super) struct ProgressSink {
    pub(super) crawl: String,
    pub(super) report: OnProgress,
}

/// When each session last changed its heartbeat.
#[derive(Debug, Default)]
struct Liveness(BTreeMap<SessionId, (u64, Instant)>);

impl Liveness {
    /// Returns the sessions whose heartbeat has changed within `patience`.
    fn heard(&mut self, view: &FleetView, now: Instant, patience: Duration) -> BTreeSet<SessionId> {
        self.0.retain(|session, _| view.heartbeat(session).is_some());
        let mut heard = BTreeSet::new();
        for (session, heartbeat) in view.live() {
            let last = self.0.entry(session.clone()).or_insert((heartbeat.beat, now));
            if last.0 != heartbeat.beat {
                *last = (heartbeat.beat, now);
            }
            if now.since(last.1) <= patience {
                heard.insert(session.clone());
            }
        }
        heard
    }
}

/// Reports to a sink.
pub(super) struct ProgressReporter<'a> {
    context: &'a NodeContext,
    sink: &'a ProgressSink,
    /// The last known message of each shard.
    ends: Mutex<Vec<u64>>,
    liveness: Mutex<Liveness>,
}

impl<'a> ProgressReporter<'a> {
    pub(super) fn new(context: &'a NodeContext, sink: &'a ProgressSink) -> Self {
        let ends = Mutex::new(vec![0; usize::from(context.options.partitions.shards())]);
        Self { context, sink, ends, liveness: Mutex::default() }
    }

    /// Reports for as long as it is polled. Never ends.
    pub(super) async fn run(&self) {
        let report = async {
            loop {
                self.context.clock.sleep(REPORT_EVERY).await;
                self.report();
            }
        };
        tokio::join!(report, self.poll_ends());
    }

    /// Reads the ends of the shards that this node reads. While the bus is unavailable the previous values stay.
    async fn poll_ends(&self) {
        let context = self.context;
        loop {
            let partitions = &context.options.partitions;
            let shards: BTreeSet<u16> =
                context.held.lock().keys().map(|partition| partitions.shard(*partition)).collect();
            for shard in shards {
                let last = context.client.once(context.client.bus.last(Stream::Exchange(shard), EXCHANGE)).await;
                if let (Ok(last), Some(end)) = (last, self.ends.lock().get_mut(usize::from(shard))) {
                    *end = last.max(*end);
                }
            }
            context.clock.sleep(POLL_EVERY).await;
        }
    }

    /// Reports the current progress.
    pub(super) fn report(&self) {
        let (context, sink) = (self.context, self.sink);
        let progress = {
            let view = context.view.lock();
            // No position can be beyond the end of its shard.
            let mut ends = self.ends.lock();
            raise(&mut ends, view.live().map(|(_, heartbeat)| &*heartbeat.positions));
            let heard = self.liveness.lock().heard(&view, context.clock.now(), context.options.terms.renew * 5 / 2);
            let fleet = fleet_status(&sink.crawl, &view, &heard, &context.options.partitions, &ends);
            progress(context, fleet)
        };
        measure(context, &progress);
        (sink.report)(progress);
    }
}

fn raise<'a>(ends: &mut [u64], positions: impl Iterator<Item = &'a [u64]>) {
    for positions in positions {
        ends.iter_mut().zip(positions).for_each(|(end, position)| *end = (*end).max(*position));
    }
}

fn progress(context: &NodeContext, fleet: FleetStatus) -> FleetProgress {
    let margin = context.fetch_deadline.until().since(context.clock.now());
    FleetProgress { session: context.session.to_string(), margin_seconds: margin.as_secs_f64(), fleet }
}

fn measure(context: &NodeContext, progress: &FleetProgress) {
    let metrics = &context.client.metrics;
    let fleet = &progress.fleet;
    for state in ["live", "leaving", "silent"] {
        let nodes = fleet.nodes.iter().filter(|node| node.state == state).count();
        metrics.nodes.by(state).set(nodes as u64);
    }
    metrics.unheld.set(fleet.partitions.saturating_sub(fleet.held));
    let own = fleet.nodes.iter().find(|node| node.session == progress.session);
    metrics.leads.set(own.map_or(0, |own| u64::from(own.leads)));
    metrics.behind.set(own.map_or(0, |own| own.behind));
    let (held, caught_up) = {
        let held = context.held.lock();
        (held.len(), held.values().filter(|held| held.caught_up).count())
    };
    metrics.partitions.by("held").set(held as u64);
    metrics.partitions.by("caught_up").set(caught_up as u64);
    metrics.lease_margin.set(Duration::from_secs_f64(progress.margin_seconds));
    metrics.lease.set(context.options.terms.fetch_deadline(Instant::EPOCH).since(Instant::EPOCH));
    for Flow { about, way, messages, bytes } in context.client.bus.flows() {
        metrics.messages.by(about, way).raise_to(messages);
        metrics.message_bytes.by(about, way).raise_to(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::records::{Heartbeat, SessionRecord};

    fn session(name: &str) -> SessionId {
        SessionId(name.to_owned())
    }

    #[test]
    fn who_says_nothing_new_for_long_is_not_heard_and_who_says_something_again_is() {
        let (mut liveness, mut view) = (Liveness::default(), FleetView::default());
        let patience = Duration::from_secs(2);
        let mut heard = |beats: &[(&str, u64)], seconds: u64| -> Vec<String> {
            let live = |beat| (SessionRecord::Live(Heartbeat { beat, ..Heartbeat::default() }), 1);
            view.sessions = beats.iter().map(|(name, beat)| (session(name), live(*beat))).collect();
            let heard = liveness.heard(&view, Instant::EPOCH + Duration::from_secs(seconds), patience);
            heard.iter().map(ToString::to_string).collect()
        };
        assert_eq!(heard(&[("a", 1), ("b", 1)], 10), ["a", "b"], "whoever was not known yet");
        assert_eq!(heard(&[("a", 2), ("b", 1)], 12), ["a", "b"]);
        assert_eq!(heard(&[("a", 3), ("b", 1)], 13), ["a"]);
        assert_eq!(heard(&[("a", 3), ("b", 2)], 14), ["a", "b"]);
        assert_eq!(heard(&[("a", 4)], 15), ["a"]);
        assert_eq!(heard(&[("a", 4), ("b", 2)], 17), ["a", "b"], "it was forgotten");
    }

    #[test]
    fn the_exchange_is_at_least_as_long_as_it_was_read() {
        let mut ends = vec![5, 5, 0];
        raise(&mut ends, [&[4, 9, 1][..], &[6][..], &[]].into_iter());
        assert_eq!(ends, [6, 9, 1]);
    }
}
