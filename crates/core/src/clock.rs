//! The only access to time.
//!
//! Code that makes decisions takes an [`Instant`] as an argument; only actors and the pipeline hold a [`Clock`]. An
//! `Instant` counts microseconds since the Unix epoch but moves monotonically within a run (the wall clock is read
//! once, at the start), so it can be compared and also written to disk. Under tokio's paused time the clock is
//! simulated.

use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: microseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Instant(u64);

impl Instant {
    /// The Unix epoch: earlier than anything a crawl sees.
    pub const EPOCH: Self = Self(0);

    /// Later than anything a crawl sees.
    pub const END: Self = Self(u64::MAX);

    /// Returns the instant `micros` microseconds after the Unix epoch.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Returns the number of microseconds since the Unix epoch.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Returns the time from `earlier` to `self`; zero if `self` is not later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// Returns the calendar time, for records read by people and other tools.
    pub fn timestamp(self) -> jiff::Timestamp {
        i64::try_from(self.0)
            .ok()
            .and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok())
            .unwrap_or(jiff::Timestamp::MAX)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    /// Adds a duration. Saturates, so a far future stays a far future.
    fn add(self, by: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(by.as_micros()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    /// Subtracts a duration. Saturates at the epoch.
    fn sub(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(by.as_micros()).unwrap_or(u64::MAX)))
    }
}

/// Measures the durations of consecutive steps that take less than a microsecond.
#[derive(Debug)]
pub struct Stopwatch {
    last: std::time::Instant,
    /// The part of a lap that is subtracted: the time to read the clock.
    reading: Duration,
}

impl Stopwatch {
    /// Starts a stopwatch whose laps include the time to read the clock once.
    pub fn start() -> Self {
        Self::start_without(Duration::ZERO)
    }

    /// Starts a stopwatch that subtracts `reading`, the result of [`Self::reading`], from each lap.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clocks")]
    pub fn start_without(reading: Duration) -> Self {
        Self { last: std::time::Instant::now(), reading }
    }

    /// Measures the time to read the clock: the median of many empty laps.
    pub fn reading() -> Duration {
        let mut watch = Self::start();
        let mut laps: [Duration; 255] = std::array::from_fn(|_| watch.lap());
        laps.sort_unstable();
        laps[laps.len() / 2]
    }

    /// Returns the time since the start or the last lap, with nanosecond resolution, and begins the next lap.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clocks")]
    pub fn lap(&mut self) -> Duration {
        let now = std::time::Instant::now();
        (now - std::mem::replace(&mut self.last, now)).saturating_sub(self.reading)
    }
}

/// Reads the time. Cheap to clone; all clones of one clock agree.
#[derive(Debug, Clone)]
pub struct Clock {
    started: tokio::time::Instant,
    started_at: Instant,
    /// The speed in thousandths; other than 1,000 only in tests.
    rate: u32,
    /// Whether it shows the machine's time.
    is_system: bool,
}

impl Clock {
    /// Creates a clock that shows the machine's time and proceeds monotonically from there.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clocks")]
    pub fn system() -> Self {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self {
            started: tokio::time::Instant::now(),
            started_at: Instant::EPOCH + since_epoch,
            rate: 1000,
            is_system: true,
        }
    }

    /// Creates a clock that shows `at` now; under tokio's paused time it advances only with tokio's time.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clocks")]
    pub fn starting_at(at: Instant) -> Self {
        Self { started: tokio::time::Instant::now(), started_at: at, rate: 1000, is_system: false }
    }

    /// Creates a clock like [`Self::starting_at`] that counts `rate` thousandths of a second per second.
    pub fn skewed(at: Instant, rate: u32) -> Self {
        Self { rate, ..Self::starting_at(at) }
    }

    /// Returns the time now.
    pub fn now(&self) -> Instant {
        self.started_at + self.started.elapsed() * self.rate / 1000
    }

    /// Returns the time now by the machine's calendar, for what other machines compare with their clocks. Unlike
    /// [`Self::now`] it follows corrections of the machine's clock, and does not stand still while the machine sleeps.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clocks")]
    pub fn calendar(&self) -> Instant {
        if !self.is_system {
            return self.now();
        }
        Instant::EPOCH + std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
    }

    /// Sleeps until `at`; returns at once if that is in the past.
    pub async fn sleep_until(&self, at: Instant) {
        // Rounded up, so that it never wakes too early by its own time.
        let elapsed = at.since(self.started_at).as_nanos() * 1000;
        let elapsed = u64::try_from(elapsed.div_ceil(u128::from(self.rate))).unwrap_or(u64::MAX);
        tokio::time::sleep_until(self.started + Duration::from_nanos(elapsed)).await;
    }

    /// Sleeps for a duration.
    pub async fn sleep(&self, time: Duration) {
        self.sleep_until(self.now() + time).await;
    }
}
