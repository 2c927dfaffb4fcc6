//! Calls to the bus with timeouts, retries with jittered exponential back-off, and a look-up where the outcome of a
//! write is unknown.

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

/// The minimum interval between warnings of one kind.
const WARN_EVERY: Duration = Duration::from_secs(30);
/// The number of consecutive unanswered calls that causes a warning. Fewer are normal while servers elect a leader.
const UNANSWERED_MIN: u32 = 6;

/// Limits of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallOptions {
    /// The time after which a call counts as unanswered.
    pub timeout: Duration,
    /// The longest pause before a retry; the first is a hundredth of it.
    pub pause_max: Duration,
}

/// The outcome of a conditional write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwapOutcome {
    /// The write happened. Holds the new revision of the key.
    Done(u64),
    /// The key has another revision. Holds its current entry.
    Conflict(Option<KeyValue>),
}

/// The bus, with retries. To cancel a call, drop its future.
pub struct BusClient {
    /// The bus.
    pub bus: Arc<dyn Bus>,
    /// The metrics of this node.
    pub metrics: Arc<FleetMetrics>,
    clock: Clock,
    options: CallOptions,
    rng: Mutex<Rng>,
    /// When it was last warned that servers do not answer, and that they are full. The two are throttled separately:
    /// servers that are full sometimes also fail to answer, which must not hide the cause.
    warned: Mutex<[Option<Instant>; 2]>,
}

impl BusClient {
    /// Creates a client of a bus.
    pub fn new(bus: Arc<dyn Bus>, clock: Clock, options: CallOptions, seed: Seed, metrics: Arc<FleetMetrics>) -> Self {
        Self { bus, metrics, clock, options, rng: Mutex::new(seed.rng()), warned: Mutex::default() }
    }

    /// Calls once, with a timeout.
    pub async fn once<T>(&self, call: impl Future<Output = Result<T, BusError>>) -> Result<T, BusError> {
        with_timeout(&self.clock, self.options.timeout, call).await
    }

    /// Waits before the next attempt.
    pub async fn pause(&self, attempt: u32) {
        self.metrics.repeats.inc();
        let longest = (self.options.pause_max / 100) * 2_u32.saturating_pow(attempt.min(7));
        let share = self.rng.lock().random_range(0.5..1.0);
        self.clock.sleep(longest.min(self.options.pause_max).mul_f64(share)).await;
    }

    /// Warns that this node waits for the bus, and says what to check.
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
                "the NATS servers are full ({why}): this node pauses without losing data and resumes when there is space. \
                 Increase JetStream's max_file_store, or remove data that is no longer needed"
            ),
            error => {
                tracing::warn!(
                    "{error}: this node pauses without losing data and resumes when the servers answer. If this persists, check that \
                     the NATS servers are running, reachable, and not full"
                )
            }
        }
    }

    /// Retries while the bus is unreachable or full. Returns any other answer.
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

    /// Retries until the call succeeds. Refusals are retried too, slowly: an operator can fix their cause.
    pub async fn retry_until_ok<'a, T, F>(&'a self, what: &str, mut call: impl FnMut() -> F) -> T
    where
        F: Future<Output = Result<T, BusError>> + 'a,
    {
        let mut attempt = 0;
        loop {
            match self.retry(&mut call).await {
                Ok(answer) => return answer,
                Err(error) => tracing::warn!("{what}: {error}; retrying"),
            }
            self.pause(attempt.max(5)).await;
            attempt += 1;
        }
    }

    /// Reads a key.
    pub async fn get(&self, key: &str) -> Option<KeyValue> {
        self.retry_until_ok(key, || self.bus.get(key)).await
    }

    /// Writes a key that has this revision, or that does not exist. A write whose outcome is unknown is looked up
    /// before it is repeated; its value identifies the writer.
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
                Err(error) => tracing::warn!("{key}: {error}; retrying"),
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

    /// Reads the messages of a subject from one sequence number to another, both inclusive.
    ///
    /// # Errors
    /// Any refusal of the bus.
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
            // The last of them may have been trimmed: then no message will come.
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
