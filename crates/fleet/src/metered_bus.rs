//! Counts and times the calls to a bus.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::mpsc::Receiver;

use super::bus::{BoxFuture, Bus, BusError, Flow, KeyValue, Message, Stream, WatchEvent};
use harvestman_core::clock::{Clock, Instant};
use harvestman_metrics::FleetMetrics;

/// A bus whose calls are counted.
pub struct MeteredBus {
    bus: Arc<dyn Bus>,
    clock: Clock,
    metrics: Arc<FleetMetrics>,
    /// Since when no call was answered, excluding time that is already counted.
    unanswered_since: Mutex<Option<Instant>>,
}

/// A call in flight. It is counted when it is dropped, even if its caller gave up.
struct Call<'a> {
    of: &'a MeteredBus,
    kind: &'static str,
    began: Instant,
    outcome: &'static str,
}

impl MeteredBus {
    /// Wraps a bus.
    pub fn new(bus: Arc<dyn Bus>, clock: Clock, metrics: Arc<FleetMetrics>) -> Self {
        Self { bus, clock, metrics, unanswered_since: Mutex::new(None) }
    }

    fn call<'a, T: 'a>(
        &'a self,
        kind: &'static str,
        call: BoxFuture<'a, Result<T, BusError>>,
    ) -> BoxFuture<'a, Result<T, BusError>> {
        Box::pin(async move {
            let mut under_way = Call { of: self, kind, began: self.clock.now(), outcome: "abandoned" };
            let answer = call.await;
            under_way.outcome = match &answer {
                Ok(_) => "ok",
                Err(BusError::Conflict) => "conflict",
                Err(BusError::Unreachable(_)) => "unreachable",
                Err(BusError::Full(_)) => "full",
                Err(BusError::Refused(_)) => "refused",
            };
            answer
        })
    }

    /// Records that a call that began then was answered or not.
    fn record(&self, began: Instant, now: Instant, is_answered: bool) {
        let mut unanswered_since = self.unanswered_since.lock();
        let counted = match (*unanswered_since, is_answered) {
            (None, true) => return,
            (Some(since), true) => now.since(since),
            // Other calls may have been answered meanwhile; only this call's duration is known to be unanswered.
            (None, false) => now.since(began),
            (Some(since), false) => now.since(since),
        };
        *unanswered_since = (!is_answered).then_some(now);
        drop(unanswered_since);
        self.metrics.away_seconds.add(counted);
        self.metrics.reachable.set(u64::from(is_answered));
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        let (metrics, now) = (&self.of.metrics, self.of.clock.now());
        metrics.calls.by(self.kind, self.outcome).inc();
        metrics.call_seconds.by(self.kind).observe(now.since(self.began));
        self.of.record(self.began, now, !matches!(self.outcome, "unreachable" | "abandoned"));
    }
}

impl Bus for MeteredBus {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<KeyValue>, BusError>> {
        self.call("keys", self.bus.get(key))
    }

    fn create<'a>(&'a self, key: &'a str, value: Bytes) -> BoxFuture<'a, Result<u64, BusError>> {
        self.call("keys", self.bus.create(key, value))
    }

    fn update<'a>(&'a self, key: &'a str, value: Bytes, revision: u64) -> BoxFuture<'a, Result<u64, BusError>> {
        self.call("keys", self.bus.update(key, value, revision))
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        self.call("keys", self.bus.delete(key))
    }

    fn watch(&self) -> BoxFuture<'_, Result<Receiver<WatchEvent>, BusError>> {
        self.call("watch", self.bus.watch())
    }

    fn append<'a>(&'a self, stream: Stream, subject: &'a str, payload: Bytes) -> BoxFuture<'a, Result<u64, BusError>> {
        self.call("append", self.bus.append(stream, subject, payload))
    }

    fn read<'a>(
        &'a self,
        stream: Stream,
        subject: &'a str,
        from: u64,
    ) -> BoxFuture<'a, Result<Receiver<Message>, BusError>> {
        self.call("read", self.bus.read(stream, subject, from))
    }

    fn last<'a>(&'a self, stream: Stream, subject: &'a str) -> BoxFuture<'a, Result<u64, BusError>> {
        self.call("last", self.bus.last(stream, subject))
    }

    fn trim<'a>(&'a self, stream: Stream, subject: &'a str, below: u64) -> BoxFuture<'a, Result<(), BusError>> {
        self.call("trim", self.bus.trim(stream, subject, below))
    }

    fn put_object<'a>(&'a self, name: &'a str, object: Bytes) -> BoxFuture<'a, Result<(), BusError>> {
        self.call("objects", self.bus.put_object(name, object))
    }

    fn object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Bytes>, BusError>> {
        self.call("objects", self.bus.object(name))
    }

    fn remove_object<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), BusError>> {
        self.call("objects", self.bus.remove_object(name))
    }

    fn flows(&self) -> Vec<Flow> {
        self.bus.flows()
    }
}

#[cfg(test)]
#[path = "metered_bus_tests.rs"]
mod tests;
