//! Counters of the traffic, readable at any time.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::bus::{Flow, Stream};

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrafficKind {
    /// Links on the exchange.
    Exchange,
    /// Logs of sessions.
    Log,
    /// Observations for the policy.
    Observations,
    /// Keys: leases, records, orders.
    Keys,
    /// Objects: parts of checkpoints, segments, publications.
    Objects,
    /// Everything else: requests about the servers themselves.
    Servers,
}

impl TrafficKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Exchange, Self::Log, Self::Observations, Self::Keys, Self::Objects, Self::Servers];

    /// Returns the label of the kind in metrics.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Exchange => "exchange",
            Self::Log => "log",
            Self::Observations => "observations",
            Self::Keys => "keys",
            Self::Objects => "objects",
            Self::Servers => "servers",
        }
    }
}

impl From<Stream> for TrafficKind {
    fn from(stream: Stream) -> Self {
        match stream {
            Stream::Exchange(_) => Self::Exchange,
            Stream::Log(_) => Self::Log,
            Stream::Observations => Self::Observations,
        }
    }
}

/// Messages and bytes of one kind. Bytes are those of subjects, headers and payloads, without the protocol overhead
/// (some 20 bytes per message) and TLS.
#[derive(Debug, Default)]
pub struct Counts {
    /// Messages that this node published to be stored.
    pub published: AtomicU64,
    /// Their bytes.
    pub published_bytes: AtomicU64,
    /// Requests that this node sent.
    pub asked: AtomicU64,
    /// Their bytes.
    pub asked_bytes: AtomicU64,
    /// Messages that this node received: stream messages, answers, acknowledgements, heartbeats.
    pub received: AtomicU64,
    /// Their bytes.
    pub received_bytes: AtomicU64,
}

/// The counters of a connection since it was created.
#[derive(Debug, Default)]
pub struct Traffic([Counts; TrafficKind::ALL.len()]);

impl Traffic {
    /// Returns the counters of a kind.
    pub const fn of(&self, kind: TrafficKind) -> &Counts {
        &self.0[kind as usize]
    }

    /// Returns all counters, by kind and direction.
    pub fn flows(&self) -> Vec<Flow> {
        let of = |kind: TrafficKind| {
            let counts = self.of(kind);
            let ways = [
                ("published", &counts.published, &counts.published_bytes),
                ("asked", &counts.asked, &counts.asked_bytes),
                ("received", &counts.received, &counts.received_bytes),
            ];
            let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
            ways.map(|(way, messages, bytes)| Flow {
                about: kind.label(),
                way,
                messages: read(messages),
                bytes: read(bytes),
            })
        };
        TrafficKind::ALL.into_iter().flat_map(of).collect()
    }

    pub(super) fn published(&self, kind: TrafficKind, bytes: usize) {
        let counts = self.of(kind);
        add(&counts.published, &counts.published_bytes, bytes);
    }

    pub(super) fn asked(&self, kind: TrafficKind, bytes: usize) {
        let counts = self.of(kind);
        add(&counts.asked, &counts.asked_bytes, bytes);
    }

    pub(super) fn received(&self, kind: TrafficKind, bytes: usize) {
        let counts = self.of(kind);
        add(&counts.received, &counts.received_bytes, bytes);
    }
}

fn add(messages: &AtomicU64, bytes: &AtomicU64, more: usize) {
    messages.fetch_add(1, Ordering::Relaxed);
    bytes.fetch_add(more as u64, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_counters_of_its_own() {
        let traffic = Traffic::default();
        for (n, kind) in TrafficKind::ALL.into_iter().enumerate() {
            traffic.published(kind, n);
            traffic.received(kind, 100 + n);
        }
        for (n, kind) in TrafficKind::ALL.into_iter().enumerate() {
            let counts = traffic.of(kind);
            assert_eq!(counts.published.load(Ordering::Relaxed), 1);
            assert_eq!(counts.published_bytes.load(Ordering::Relaxed), n as u64);
            assert_eq!(counts.asked.load(Ordering::Relaxed), 0);
            assert_eq!(counts.received_bytes.load(Ordering::Relaxed), 100 + n as u64);
            let flows: Vec<Flow> = traffic.flows().into_iter().filter(|flow| flow.about == kind.label()).collect();
            let shown = |flow: &Flow| (flow.way, flow.messages, flow.bytes);
            let n = n as u64;
            let due = [("published", 1, n), ("asked", 0, 0), ("received", 1, 100 + n)];
            assert_eq!(flows.iter().map(shown).collect::<Vec<_>>(), due);
        }
    }
}
