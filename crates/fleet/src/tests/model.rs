//! A model of JetStream: what it stores, and the faults that its clients can experience.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use rand::Rng as _;

use super::trace::Trace;
use crate::bus::{BusError, KeyValue, MESSAGE_MAX, Stream};
use crate::node::records;
use crate::node::signal::Signal;
use crate::policy::{POLICY, PolicyRecord};
use crate::wire::{Observations, WireCodec};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::seed::{Rng, Seed};

/// A stream, as its leader stores it.
#[derive(Default)]
pub(super) struct StoredStream {
    pub(super) messages: BTreeMap<u64, (String, Bytes, Instant)>,
    pub(super) last: u64,
}

/// The component of the bus that an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Keys,
    Objects,
    Stream(Stream),
}

/// The content of the bus, and its faults.
pub(super) struct State {
    pub(super) keys: BTreeMap<String, KeyValue>,
    pub(super) revision: u64,
    pub(super) streams: BTreeMap<Stream, StoredStream>,
    pub(super) objects: BTreeMap<String, Bytes>,
    /// Until when a component has no leader.
    pub(super) away: BTreeMap<Place, Instant>,
    /// The outages of the whole bus, in order: their beginnings and ends.
    outages: Vec<(Instant, Instant)>,
    /// Until when a node cannot reach the bus.
    pub(super) cut: BTreeMap<String, Instant>,
    pub(super) full: Instant,
    pub(super) slow_objects: Instant,
    /// All observations ever appended.
    pub(super) observed: BTreeSet<String>,
    /// Violations in the policy's key.
    pub(super) wrong: Vec<String>,
    /// When sessions were evicted.
    pub(super) evicted: BTreeMap<String, Instant>,
    rng: Rng,
}

impl State {
    /// Begins an outage of the whole bus.
    pub(super) fn go_away(&mut self, now: Instant, until: Instant) {
        self.outages.push((now.max(self.all_away()), until));
    }

    /// Returns the end of the last outage of the whole bus.
    fn all_away(&self) -> Instant {
        self.outages.last().map_or(Instant::EPOCH, |(_, until)| *until)
    }

    /// Returns how long the bus was available between two times.
    pub(super) fn there(&self, from: Instant, to: Instant) -> Duration {
        let away = self.outages.iter().map(|(gone, back)| (*back).min(to).since((*gone).max(from)));
        to.since(from).saturating_sub(away.sum())
    }

    /// Returns all that clients have written and that is stored.
    pub(super) fn stored(&self) -> Vec<Bytes> {
        let messages =
            self.streams.values().flat_map(|stream| stream.messages.values().map(|(_, bytes, _)| bytes.clone()));
        let keys = self.keys.values().filter_map(|held| held.value.clone());
        messages.chain(keys).chain(self.objects.values().cloned()).collect()
    }

    /// Returns the objects that have an identical copy.
    pub(super) fn whole_objects(&self) -> Vec<String> {
        let twin = |name: &str| name.strip_suffix(".copy").map_or_else(|| format!("{name}.copy"), str::to_owned);
        let is_whole = |(name, object): &(&String, &Bytes)| self.objects.get(&twin(name)) == Some(*object);
        self.objects.iter().filter(is_whole).map(|(name, _)| name.clone()).collect()
    }
}

/// What happens to one call.
pub(super) struct Fate {
    pub(super) there: Duration,
    pub(super) back: Duration,
    pub(super) lost: Lost,
    /// Whether the call waits for an unavailable component; otherwise it is lost.
    pub(super) is_patient: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    Nothing,
    Request,
    Answer,
}

pub(super) struct Model {
    pub(super) state: Mutex<State>,
    pub(super) changed: Signal,
    /// True time.
    pub(super) clock: Clock,
    pub(super) trace: Arc<Trace>,
    /// Short delays only, and no losses.
    pub(super) is_calm: bool,
}

impl Model {
    pub(super) fn new(clock: Clock, trace: Arc<Trace>, seed: Seed, is_calm: bool) -> Self {
        let state = State {
            keys: BTreeMap::new(),
            revision: 0,
            streams: BTreeMap::new(),
            objects: BTreeMap::new(),
            away: BTreeMap::new(),
            outages: Vec::new(),
            cut: BTreeMap::new(),
            full: Instant::EPOCH,
            slow_objects: Instant::EPOCH,
            observed: BTreeSet::new(),
            wrong: Vec::new(),
            evicted: BTreeMap::new(),
            rng: seed.rng(),
        };
        Self { state: Mutex::new(state), changed: Signal::default(), clock, trace, is_calm }
    }

    /// Draws the fate of a call; mostly it succeeds.
    pub(super) fn fate(&self, place: Place) -> Fate {
        let mut state = self.state.lock();
        let slow = place == Place::Objects && self.clock.now() < state.slow_objects;
        let rng = &mut state.rng;
        if self.is_calm {
            let there = Duration::from_micros(rng.random_range(500..3_000));
            return Fate { there, back: there, lost: Lost::Nothing, is_patient: true };
        }
        let there =
            delay(rng) + if slow { Duration::from_millis(rng.random_range(500..4_000)) } else { Duration::ZERO };
        let back = delay(rng);
        let lost = match rng.random_range(0..200) {
            0 => Lost::Request,
            1..4 => Lost::Answer,
            _ => Lost::Nothing,
        };
        Fate { there, back, lost, is_patient: rng.random_bool(0.5) }
    }

    /// Draws the delay of a delivery over a channel; `None`: the channel ends.
    pub(super) fn delivery(&self) -> Option<Duration> {
        let rng = &mut self.state.lock().rng;
        if self.is_calm {
            return Some(Duration::from_millis(1));
        }
        (!rng.random_bool(0.001)).then(|| delay(rng))
    }

    /// Returns until when a node cannot use a component; `None`: it can.
    pub(super) fn unavailable(&self, node: &str, place: Place) -> Option<Instant> {
        let state = self.state.lock();
        let away = state.away.get(&place).copied().unwrap_or_default();
        let cut = state.cut.get(node).copied().unwrap_or_default();
        let until = away.max(cut).max(state.all_away());
        (until > self.clock.now()).then_some(until)
    }

    /// Changes the content of the bus.
    pub(super) fn act<T>(&self, what: impl FnOnce(&mut State, Instant) -> T) -> T {
        let result = what(&mut self.state.lock(), self.clock.now());
        self.changed.raise();
        result
    }

    /// Writes a key that has this revision, or that does not exist.
    pub(super) fn write(&self, key: &str, value: Option<Bytes>, expected: Option<u64>) -> Result<u64, BusError> {
        self.act(|state, now| {
            let held = state.keys.get(key).filter(|held| held.value.is_some()).map(|held| held.revision);
            if value.is_some() && held != expected {
                return Err(BusError::Conflict);
            }
            state.revision += 1;
            let revision = state.revision;
            self.trace.note(now, || format!("{revision} {key} = {}", shown(value.as_ref())));
            if let (Some(session), Some(b"\"evicted\"")) = (key.strip_prefix("session."), value.as_deref()) {
                state.evicted.insert(session.to_owned(), now);
            }
            if key == POLICY {
                let before = state.keys.get(key).and_then(|held| held.value.as_ref());
                state.wrong.extend(goes_back(before, value.as_ref()));
            }
            state.keys.insert(key.to_owned(), KeyValue { key: key.to_owned(), value, revision });
            Ok(revision)
        })
    }

    /// Appends a message.
    pub(super) fn append(&self, stream: Stream, subject: &str, payload: Bytes) -> Result<u64, BusError> {
        self.act(|state, now| {
            if payload.len() > MESSAGE_MAX {
                return Err(BusError::Refused("it is too long".to_owned()));
            }
            if state.full > now {
                return Err(BusError::Full("a test".to_owned()));
            }
            // Observations that arrive after the end of the crawl do not count.
            let crawl = state.keys.get(records::CRAWL).and_then(|held| held.value.as_ref());
            let is_over = crawl.is_some_and(|value| String::from_utf8_lossy(value).contains("\"over\""));
            if !is_over
                && stream == Stream::Observations
                && let Ok(batch) = Observations::read(&payload, &mut WireCodec::new())
            {
                let names = batch.observations.iter().map(|name| String::from_utf8_lossy(name).into_owned());
                state.observed.extend(names);
            }
            let kept = state.streams.entry(stream).or_default();
            kept.last += 1;
            self.trace.note(now, || format!("{stream:?} {subject} {}: {} bytes", kept.last, payload.len()));
            kept.messages.insert(kept.last, (subject.to_owned(), payload, now));
            Ok(kept.last)
        })
    }

    /// Returns whether a session's key says that it is alive.
    pub(super) fn lives(&self, session: &str) -> bool {
        let state = self.state.lock();
        let held = state.keys.get(&format!("session.{session}"));
        held.is_some_and(|held| held.value.is_some()) && !state.evicted.contains_key(session)
    }

    /// Returns the value of a key.
    pub(super) fn value(&self, key: &str) -> Option<Bytes> {
        self.state.lock().keys.get(key).and_then(|held| held.value.clone())
    }
}

/// Checks that a value of the policy's key is not older than the previous one.
fn goes_back(before: Option<&Bytes>, after: Option<&Bytes>) -> Option<String> {
    let read = |value: &Bytes| records::read::<PolicyRecord>(value).ok();
    let (before, after) = (before.and_then(read)?, after.and_then(read)?);
    let version = |record: &PolicyRecord| record.newest.as_ref().map_or(0, |newest| newest.version);
    let of = |record: &PolicyRecord| (record.token, version(record), record.through);
    let (before, after) = (of(&before), of(&after));
    let grows = before.0 <= after.0 && before.1 <= after.1 && before.2 <= after.2;
    (!grows).then(|| format!("the policy's key goes back from {before:?} to {after:?} (token, version, kept)"))
}

fn shown(value: Option<&Bytes>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| String::from_utf8_lossy(value).into_owned())
}

/// Mostly some milliseconds, rarely so long that the caller times out.
fn delay(rng: &mut Rng) -> Duration {
    let micros = match rng.random_range(0..1_000) {
        0 => rng.random_range(1_000_000..8_000_000),
        1..30 => rng.random_range(50_000..800_000),
        _ => rng.random_range(300..8_000),
    };
    Duration::from_micros(micros)
}
