//! A bounded buffer of observations on their way to the holder of the policy.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::pacing::batch_delay;
use harvestman_core::clock::Instant;
use harvestman_metrics::FleetMetrics;

/// The most observations of a batch.
pub const BATCH: usize = 64;
/// The most bytes of a batch before compression; more only if a single observation exceeds it.
const BATCH_BYTES: usize = 384 << 10;
/// The most observations that wait while the bus is unavailable or full; beyond it the oldest are dropped.
const WAITING_MAX: usize = 4_096;
/// The most bytes of waiting observations.
const WAITING_BYTES_MAX: usize = 32 << 20;

/// The observations of a node. Adding to it never blocks: while the bus is unavailable or full the oldest observations
/// are dropped, because the policy can afford the loss and the crawl must not stop.
#[derive(Debug)]
pub struct Outbox {
    state: Mutex<State>,
    metrics: Arc<FleetMetrics>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<(Bytes, Instant)>,
    bytes: usize,
    /// The number of observations ever added.
    seen: u64,
    under_way: u64,
    dropped: u64,
}

impl State {
    fn pop(&mut self) -> Option<Bytes> {
        let (observation, _) = self.waiting.pop_front()?;
        self.bytes -= observation.len();
        Some(observation)
    }

    fn fits(&self, count: usize, bytes: usize) -> bool {
        let next = self.waiting.front().map_or(0, |(observation, _)| observation.len());
        count == 0 || (count < BATCH && bytes + next <= BATCH_BYTES)
    }
}

impl Outbox {
    /// Creates an empty outbox. Drops are counted in `metrics`.
    pub fn new(metrics: Arc<FleetMetrics>) -> Self {
        Self { state: Mutex::default(), metrics }
    }

    /// Adds an encoded observation.
    pub fn push(&self, observation: Bytes, now: Instant) {
        let state = &mut *self.state.lock();
        state.bytes += observation.len();
        state.seen += 1;
        state.waiting.push_back((observation, now));
        while state.waiting.len() > WAITING_MAX || (state.bytes > WAITING_BYTES_MAX && state.waiting.len() > 1) {
            state.pop();
            state.dropped += 1;
            self.metrics.dropped_observations.inc();
        }
    }

    /// Returns whether a batch is due: it is full, or its oldest observation has waited long enough.
    pub fn is_due(&self, now: Instant) -> bool {
        let state = self.state.lock();
        let is_full = state.waiting.len() >= BATCH || state.bytes >= BATCH_BYTES;
        is_full || state.waiting.front().is_some_and(|(_, since)| now.since(*since) >= batch_delay(state.seen))
    }

    /// Takes the next batch, which is in flight until [`Self::sent`] or [`Self::lost`].
    pub fn take(&self) -> Vec<Bytes> {
        let state = &mut *self.state.lock();
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while state.fits(batch.len(), bytes) {
            let Some(observation) = state.pop() else { break };
            bytes += observation.len();
            batch.push(observation);
        }
        state.under_way = batch.len() as u64;
        batch
    }

    /// Records that the batch in flight was appended to the stream.
    pub fn sent(&self) {
        self.state.lock().under_way = 0;
    }

    /// Records that the batch in flight was dropped.
    pub fn lost(&self) {
        let state = &mut *self.state.lock();
        let lost = std::mem::take(&mut state.under_way);
        state.dropped += lost;
        self.metrics.dropped_observations.add(lost);
    }

    /// Returns the number of observations that are not in the stream yet.
    pub fn pending(&self) -> u64 {
        let state = self.state.lock();
        state.waiting.len() as u64 + state.under_way
    }

    /// Returns the number of dropped observations.
    pub fn dropped(&self) -> u64 {
        self.state.lock().dropped
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use harvestman_metrics::Metrics;

    const NOW: Instant = Instant::from_micros(1_000_000_000);

    fn one(bytes: usize) -> Bytes {
        vec![7; bytes].into()
    }

    #[test]
    fn a_batch_goes_when_it_is_full_or_has_waited() {
        let outbox = Outbox::new(Arc::new(FleetMetrics::off()));
        assert!(!outbox.is_due(NOW) && outbox.take().is_empty());
        outbox.push(one(10), NOW);
        let due = NOW + batch_delay(1);
        assert!(!outbox.is_due(NOW + (due.since(NOW) - Duration::from_micros(1))) && outbox.is_due(due));
        (1..BATCH).for_each(|_| outbox.push(one(10), NOW));
        assert!(outbox.is_due(NOW));
        outbox.push(one(10), NOW);
        assert_eq!((outbox.take().len(), outbox.pending()), (BATCH, 1 + BATCH as u64));
        outbox.sent();
        assert_eq!((outbox.pending(), outbox.take().len()), (1, 1));
        outbox.lost();
        assert_eq!((outbox.pending(), outbox.dropped()), (0, 1));
    }

    #[test]
    fn long_observations_travel_in_smaller_batches_and_the_longest_alone() {
        let outbox = Outbox::new(Arc::new(FleetMetrics::off()));
        for bytes in [BATCH_BYTES / 2, BATCH_BYTES / 2, 1, 3 * BATCH_BYTES, 1] {
            outbox.push(one(bytes), NOW);
        }
        let sizes: Vec<usize> = (0..4).map(|_| outbox.take().len()).collect();
        assert_eq!(sizes, [2, 1, 1, 1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..ProptestConfig::default() })]

        #[test]
        fn whatever_waits_has_a_bound_and_what_is_left_out_is_counted(
            sizes in prop::collection::vec(0..(WAITING_BYTES_MAX / 20), 1..60), small in 0..5_000_usize,
        ) {
            let metrics = Metrics::of_node("a").fleet;
            let outbox = Outbox::new(Arc::clone(&metrics));
            sizes.iter().for_each(|size| outbox.push(one(*size), NOW));
            (0..small).for_each(|_| outbox.push(one(1), NOW));
            let (pending, bytes) = (outbox.pending(), outbox.state.lock().bytes);
            prop_assert!(pending <= WAITING_MAX as u64 && bytes <= WAITING_BYTES_MAX);
            prop_assert_eq!(pending + outbox.dropped(), (sizes.len() + small) as u64);
            prop_assert_eq!(metrics.dropped_observations.get(), outbox.dropped());
            let mut taken = 0;
            while outbox.pending() > 0 {
                taken += outbox.take().len() as u64;
                outbox.sent();
            }
            prop_assert_eq!((taken, outbox.state.lock().bytes), (pending, 0));
        }
    }
}
