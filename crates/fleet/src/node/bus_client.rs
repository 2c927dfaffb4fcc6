//! BusClient to the bus: with a time-out, repeated with a growing and random pause, and looked up where nobody knows whether they happened.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use rand::Rng as _;

use crate::bus::{Bus, BusError, KeyValue, Message, Stream};
use crate::retry::with_timeout;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::seed::{Rng, Seed};
use harvestman_metrics::FleetMetrics;

/// What goes on is warned at most so often.
const WARN_EVERY: Duration = Duration::from_secs(30);
/// What is unanswered so often in a row is warned; less is nothing unusual where servers choose a leader.
const UNANSWERED_MIN: u32 = 6;

/// Bounds of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallOptions {
    /// A call that takes longer counts as unanswered.
    pub timeout: Duration,
    /// The longest pause before a call is repeated; the first is a hundredth of it.
    pub pause_max: Duration,
}

/// What became of a conditional write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwapOutcome {
    /// It happened; the key's revision.
    Done(u64),
    /// The key holds something else.
    Conflict(Option<KeyValue>),
}

/// The bus, called with patience. Whoever no longer wants an answer drops the call.
pub struct BusClient {
    /// The bus.
    pub bus: Arc<dyn Bus>,
    /// Where the node that calls counts.
    pub metrics: Arc<FleetMetrics>,
    clock: Clock,
    options: CallOptions,
    rng: Mutex<Rng>,
    /// When it was warned last that servers do not answer, and that they are full. Servers that are full also fail to answer now and then,
    /// which must not hide why.
    warned: Mutex<[Option<Instant>; 2]>,
}

impl BusClient {
    /// BusClient to a bus.
    pub fn new(bus: Arc<dyn Bus>, clock: Clock, options: CallOptions, seed: Seed, metrics: Arc<FleetMetrics>) -> Self {
        Self { bus, metrics, clock, options, rng: Mutex::new(seed.rng()), warned: Mutex::default() }
    }

    /// One call, and no answer where it takes too long.
    pub async fn once<T>(&self, call: impl Future<Output = Result<T, BusError>>) -> Result<T, BusError> {
        with_timeout(&self.clock, self.options.timeout, call).await
    }

    /// Pauses before the next attempt.
    pub async fn pause(&self, attempt: u32) {
        self.metrics.repeats.inc();
        let longest = (self.options.pause_max / 100) * 2_u32.saturating_pow(attempt.min(7));
        let share = self.rng.lock().random_range(0.5..1.0);
        self.clock.sleep(longest.min(self.options.pause_max).mul_f64(share)).await;
    }

    /// Tells people that this node rests, and what they can do.
    fn warn(&self, error: &BusError, attempt: u32) {
        if matches!(error, BusError::Unreachable(_)) && attempt < UNANSWERED_MIN {
            return;
        }
        let (now, mut warned) = (self.clock.now(), self.warned.lock());
        let warned = &mut warned[usize::from(matches!(error, BusError::Full(_)))];
        if warned.is_some_and(|at| now.since(at) < WARN_EVERY) {
            return;
        }
        *warned = Some(now);
        match error {
            BusError::Full(why) => tracing::warn!(
                "the NATS servers have no room left ({why}): this node rests, loses nothing, and goes on by itself once there is some. \
                 Give JetStream more (max_file_store), or remove what is not needed any more"
            ),
            error => {
                tracing::warn!(
                    "{error}: this node rests, loses nothing, and goes on by itself once there is an answer. If it stays so, look whether \
                     the NATS servers run, can be reached, and have room left"
                )
            }
        }
    }

    /// BusClient until there is an answer other than none or full.
    pub async fn retry<'a, T, F>(&'a self, mut call: impl FnMut() -> F) -> Result<T, BusError>
    where
        F: Future<Output = Result<T, BusError>> + 'a,
    {
        let mut attempt = 0;
        loop {
            match self.once(call()).await {
                Err(error @ (BusError::Unreachable(_) | BusError::Full(_))) => self.warn(&error, attempt),
                answer => return answer,
            }
            self.pause(attempt).await;
            attempt += 1;
        }
    }

    /// BusClient until it has happened. What is refused is tried again too, slowly: people can mend it.
    pub async fn retry_until_ok<'a, T, F>(&'a self, what: &str, mut call: impl FnMut() -> F) -> T
    where
        F: Future<Output = Result<T, BusError>> + 'a,
    {
        let mut attempt = 0;
        loop {
            match self.retry(&mut call).await {
                Ok(answer) => return answer,
                Err(error) => tracing::warn!("{what}: {error}; it is tried again"),
            }
            self.pause(attempt.max(5)).await;
            attempt += 1;
        }
    }

    /// What a key holds.
    pub async fn get(&self, key: &str) -> Option<KeyValue> {
        self.retry_until_ok(key, || self.bus.get(key)).await
    }

    /// Writes a key that has this revision, or that is not there. A write that may have happened is looked up before it is repeated; values
    /// tell by themselves who wrote them.
    pub async fn swap(&self, key: &str, value: &Bytes, revision: Option<u64>) -> SwapOutcome {
        let (mut attempt, mut uncertain) = (0, false);
        loop {
            let written = match revision {
                Some(revision) => self.once(self.bus.update(key, value.clone(), revision)).await,
                None => self.once(self.bus.create(key, value.clone())).await,
            };
            match written {
                Ok(revision) => return SwapOutcome::Done(revision),
                Err(BusError::Conflict) => {}
                Err(BusError::Unreachable(_)) => uncertain = true,
                Err(error) => tracing::warn!("{key}: {error}; it is tried again"),
            }
            let held = self.get(key).await;
            let is_mine = held.as_ref().is_some_and(|held| uncertain && held.value.as_ref() == Some(value));
            let is_as_before = held.as_ref().map(|held| held.revision) == revision;
            match held {
                Some(held) if is_mine => return SwapOutcome::Done(held.revision),
                held if !is_as_before => return SwapOutcome::Conflict(held),
                _ => {}
            }
            self.pause(attempt).await;
            attempt += 1;
        }
    }

    /// The messages of a subject from a sequence number on, up to and with `to`.
    ///
    /// # Errors
    /// What the bus refuses.
    pub async fn read_range(
        &self,
        stream: Stream,
        subject: &str,
        from: u64,
        to: u64,
    ) -> Result<Vec<Message>, BusError> {
        let mut messages: Vec<Message> = Vec::new();
        let (mut next, mut attempt) = (from, 0);
        while next <= to {
            let mut channel = self.retry(|| self.bus.read(stream, subject, next)).await?;
            loop {
                let waited = self.once(async { channel.recv().await.ok_or(BusError::Unreachable(String::new())) });
                let Ok(message) = waited.await else { break };
                if message.sequence > to {
                    return Ok(messages);
                }
                next = message.sequence + 1;
                messages.push(message);
                if next > to {
                    return Ok(messages);
                }
            }
            // The last may be gone by now: then nothing will come.
            let last = self.retry(|| self.bus.last(stream, subject)).await?;
            if last < next {
                return Ok(messages);
            }
            self.pause(attempt).await;
            attempt += 1;
        }
        Ok(messages)
    }
}
