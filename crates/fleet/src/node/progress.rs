//! Shows where a node and its fleet stand: in metrics, and to whoever watches. Changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::context::NodeContext;
use super::log::EXCHANGE;
use super::view::FleetView;
use crate::SessionId;
use crate::bus::{Flow, Stream};
use crate::status::{FleetProgress, FleetStatus};
use harvestman_core::clock::Instant;

/// What is done with where a node stands, once a second and when its session ends. Must not block.
pub type OnProgress = Arc<dyn Fn(FleetProgress) + Send + Sync>;

/// How often it is shown.
const SHOWN_EVERY: Duration = Duration::from_secs(1);
/// How often the ends of the exchange are asked for: a question a shard.
const ASKED_EVERY: Duration = Duration::from_secs(10);

/// Who watches, and the name of the crawl that they watch.
pub(super) struct ProgressSink {
    pub(super) crawl: String,
    pub(super) told: OnProgress,
}

/// When each session was last heard to say something new.
#[derive(Debug, Default)]
struct Liveness(BTreeMap<SessionId, (u64, Instant)>);

impl Liveness {
    /// The sessions that have said something new for no longer than `patience`.
    fn heard(&mut self, view: &FleetView, now: Instant, patience: Duration) -> BTreeSet<SessionId> {
        self.0.retain(|session, _| view.heartbeat(session).is_some());
        let mut heard = BTreeSet::new();
        for (session, said) in view.live() {
            let last = self.0.entry(session.clone()).or_insert((said.beat, now));
            if last.0 != said.beat {
                *last = (said.beat, now);
            }
            if now.since(last.1) <= patience {
                heard.insert(session.clone());
            }
        }
        heard
    }
}

/// Shows it to a watcher.
pub(super) struct ProgressReporter<'a> {
    context: &'a NodeContext,
    watcher: &'a ProgressSink,
    /// The last message of each shard that is known of.
    ends: Mutex<Vec<u64>>,
    hearing: Mutex<Liveness>,
}

impl<'a> ProgressReporter<'a> {
    pub(super) fn new(context: &'a NodeContext, watcher: &'a ProgressSink) -> Self {
        let ends = Mutex::new(vec![0; usize::from(context.options.partitions.shards())]);
        Self { context, watcher, ends, hearing: Mutex::default() }
    }

    /// Shows it for as long as it is polled. Never ends.
    pub(super) async fn observe(&self) {
        let show = async {
            loop {
                self.context.clock.sleep(SHOWN_EVERY).await;
                self.show();
            }
        };
        tokio::join!(show, self.ask());
    }

    /// Asks for the ends of the shards that this node reads. While the bus is away they stay what they were.
    async fn ask(&self) {
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
            context.clock.sleep(ASKED_EVERY).await;
        }
    }

    /// Shows it as it is now.
    pub(super) fn show(&self) {
        let (context, watcher) = (self.context, self.watcher);
        let standing = {
            let view = context.view.lock();
            // Nobody can have read further than to the end.
            let mut ends = self.ends.lock();
            raise(&mut ends, view.live().map(|(_, said)| &*said.positions));
            let heard = self.hearing.lock().heard(&view, context.clock.now(), context.options.terms.renew * 5 / 2);
            let fleet = FleetStatus::of(&watcher.crawl, &view, &heard, &context.options.partitions, &ends);
            standing(context, fleet)
        };
        measure(context, &standing);
        (watcher.told)(standing);
    }
}

fn raise<'a>(ends: &mut [u64], positions: impl Iterator<Item = &'a [u64]>) {
    for positions in positions {
        ends.iter_mut().zip(positions).for_each(|(end, position)| *end = (*end).max(*position));
    }
}

fn standing(context: &NodeContext, fleet: FleetStatus) -> FleetProgress {
    let margin = context.fetch_deadline.until().since(context.clock.now());
    FleetProgress { session: context.session.to_string(), margin_seconds: margin.as_secs_f64(), fleet }
}

fn measure(context: &NodeContext, standing: &FleetProgress) {
    let metrics = &context.client.metrics;
    let fleet = &standing.fleet;
    for state in ["live", "leaving", "silent"] {
        let nodes = fleet.nodes.iter().filter(|node| node.state == state).count();
        metrics.nodes.by(state).set(nodes as u64);
    }
    metrics.unheld.set(fleet.partitions.saturating_sub(fleet.held));
    let own = fleet.nodes.iter().find(|node| node.session == standing.session);
    metrics.leads.set(own.map_or(0, |own| u64::from(own.leads)));
    metrics.behind.set(own.map_or(0, |own| own.behind));
    let (held, caught_up) = {
        let held = context.held.lock();
        (held.len(), held.values().filter(|holding| holding.caught_up).count())
    };
    metrics.partitions.by("held").set(held as u64);
    metrics.partitions.by("caught_up").set(caught_up as u64);
    metrics.lease_margin.set(Duration::from_secs_f64(standing.margin_seconds));
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
        let (mut hearing, mut view) = (Liveness::default(), FleetView::default());
        let patience = Duration::from_secs(2);
        let mut heard = |beats: &[(&str, u64)], seconds: u64| -> Vec<String> {
            let live = |beat| (SessionRecord::Live(Heartbeat { beat, ..Heartbeat::default() }), 1);
            view.sessions = beats.iter().map(|(name, beat)| (session(name), live(*beat))).collect();
            let heard = hearing.heard(&view, Instant::EPOCH + Duration::from_secs(seconds), patience);
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
