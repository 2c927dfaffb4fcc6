//! When a host may be contacted next: delay, concurrency, back-off, circuit breaker, retry budget. Pure: time is handed in.
//!
//! Invariants: POL-1 at most `connections_per_host` requests are under way; POL-2 a request starts no earlier than the
//! delay after the first byte of the answer before (or after its end, where none came); POL-3 an error or a 429 never shortens a
//! wait.

use std::time::Duration;

use rand::Rng as _;
use serde::{Deserialize, Serialize};

use harvestman_core::clock::Instant;
use harvestman_core::model::Failure;
use harvestman_core::seed::Rng;

/// The settings that the rules need, resolved.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Least time between two requests.
    pub delay: Duration,
    /// Adaptive delay: multiple of the usual response time.
    pub delay_factor: f64,
    /// Upper limit of the adaptive delay and of the slowing-down.
    pub delay_max: Duration,
    /// Requests under way at once.
    pub connections: u32,
    /// First back-off.
    pub backoff_start: Duration,
    /// Longest back-off.
    pub backoff_max: Duration,
    /// Longest honoured `Retry-After`.
    pub retry_after_max: Duration,
    /// Failures in a row that open the breaker.
    pub breaker_failures: u32,
    /// First pause of the breaker.
    pub breaker_pause: Duration,
    /// Openings after which the host is given up.
    pub breaker_openings_max: u32,
    /// Retry budget as a share of the requests.
    pub retry_share: f64,
}

/// Why a host has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitReason {
    /// The delay between two requests.
    Delay,
    /// Back-off after a failure, a 429 or a 503.
    BackOff,
    /// The circuit breaker is open.
    Breaker,
    /// robots.txt cannot be had for now.
    Robots,
    /// Somebody has blocked the host.
    Blocked,
    /// It is another's turn of its group, or the group's delay has not passed.
    Group,
    /// It is another's turn of those at its address, or the delay there has not passed.
    Address,
}

impl WaitReason {
    /// The reason as it stands in reports and metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Delay => "delay",
            Self::BackOff => "back_off",
            Self::Breaker => "breaker",
            Self::Robots => "robots",
            Self::Blocked => "blocked",
            Self::Group => "group",
            Self::Address => "address",
        }
    }
}

/// Whether a host may be contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// It may, now.
    Ready,
    /// Enough requests are under way.
    Busy,
    /// Not before this time.
    Wait {
        /// When it may be.
        until: Instant,
        /// Why not now.
        why: WaitReason,
    },
    /// Never again: it failed too often.
    GivenUp,
}

/// What a request meant for the host's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It answered as it should; 404 and the like are healthy too.
    Good,
    /// It asks to be left alone (429, 503), with `Retry-After` where given.
    Overloaded(Option<Duration>),
    /// It answered with a server error.
    ServerError,
    /// It could not be reached, or broke off.
    Unreachable,
    /// The answer says nothing about the host: the failure was of this one URL or on our side.
    Neutral,
}

impl Health {
    /// The health that a failed request speaks of.
    pub const fn of_failure(failure: Failure) -> Self {
        match failure {
            Failure::Http(429 | 503) => Self::Overloaded(None),
            Failure::Http(500..=599) => Self::ServerError,
            Failure::Http(_) => Self::Good,
            Failure::Dns
            | Failure::Connect
            | Failure::ConnectTimeout
            | Failure::Tls
            | Failure::TlsTimeout
            | Failure::FirstByteTimeout
            | Failure::WholeTimeout
            | Failure::Disconnected
            | Failure::Protocol => Self::Unreachable,
            _ => Self::Neutral,
        }
    }
}

/// What politeness remembers of one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Politeness {
    in_flight: u32,
    next_at: Instant,
    backoff_until: Instant,
    breaker_until: Instant,
    openings: u32,
    unreachable_in_a_row: u32,
    trouble_in_a_row: u32,
    /// When the last trouble was counted: answers to requests sent before that are part of the same trouble.
    trouble_at: Instant,
    /// Extra delay after 429s: doubles with each, shrinks by a tenth with each good answer.
    slowing: Duration,
    /// Smoothed response time of good answers.
    response_time: Option<Duration>,
    crawl_delay: Option<Duration>,
    requests: u64,
    retries: u64,
}

impl Default for Politeness {
    fn default() -> Self {
        Self {
            in_flight: 0,
            next_at: Instant::EPOCH,
            backoff_until: Instant::EPOCH,
            breaker_until: Instant::EPOCH,
            openings: 0,
            unreachable_in_a_row: 0,
            trouble_in_a_row: 0,
            trouble_at: Instant::EPOCH,
            slowing: Duration::ZERO,
            response_time: None,
            crawl_delay: None,
            requests: 0,
            retries: 0,
        }
    }
}

/// The slowing-down starts here when there is no delay that could be doubled.
const SLOWING_START: Duration = Duration::from_millis(250);
/// Retries that a host always has, however few requests it got.
const RETRIES_FREE: u64 = 10;

impl Politeness {
    /// Goes on at `now`, after a run that ended at some time in the middle of it: what was under way then is over, and the last of it
    /// may have started just before now.
    #[must_use]
    pub fn go_on(self, now: Instant, rules: &Rules) -> Self {
        let next_at = self.next_at.max(now + self.delay(rules));
        Self { in_flight: 0, next_at, ..self }
    }

    /// Is left alone until this time at least.
    #[must_use]
    pub fn resting(self, until: Instant) -> Self {
        Self { next_at: self.next_at.max(until), ..self }
    }

    /// Goes by other rules from now on: the wait that has begun is as long as they say.
    pub fn change_pace(&mut self, old: &Rules, new: &Rules) {
        let (before, after) = (self.delay(old), self.delay(new));
        self.next_at = self.next_at - before.saturating_sub(after) + after.saturating_sub(before);
    }

    /// Sets the host's own crawl-delay (already capped).
    pub fn set_crawl_delay(&mut self, delay: Option<Duration>) {
        self.crawl_delay = delay;
    }

    /// Requests under way.
    pub const fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Troubles in a row: answers that are no good, and hosts that cannot be reached.
    pub const fn failures(&self) -> u32 {
        self.trouble_in_a_row
    }

    /// The delay that holds now.
    pub fn delay(&self, rules: &Rules) -> Duration {
        let least = rules.delay.max(self.crawl_delay.unwrap_or_default());
        if least.is_zero() {
            return self.slowing;
        }
        let usual = self.response_time.unwrap_or_default().as_secs_f64() * rules.delay_factor.max(0.0);
        let adaptive = Duration::try_from_secs_f64(usual).unwrap_or(rules.delay_max).min(rules.delay_max);
        least.max(adaptive).max(self.slowing)
    }

    /// Whether a request may start at `now`, while `promised` more are about to.
    pub fn readiness(&self, now: Instant, promised: u32, rules: &Rules) -> Readiness {
        if self.openings > rules.breaker_openings_max {
            return Readiness::GivenUp;
        }
        let under_way = self.in_flight + promised;
        // After trouble one request goes ahead, to see whether the host is well again.
        let calm = self.delay(rules).is_zero() && self.trouble_in_a_row == 0;
        let at_once = if calm { rules.connections.max(1) } else { 1 };
        if under_way >= at_once {
            return Readiness::Busy;
        }
        let waits = [
            (self.breaker_until, WaitReason::Breaker),
            (self.backoff_until, WaitReason::BackOff),
            (self.next_at, WaitReason::Delay),
        ];
        match waits.into_iter().filter(|(until, _)| *until > now).max_by_key(|(until, _)| *until) {
            Some((until, why)) => Readiness::Wait { until, why },
            None => Readiness::Ready,
        }
    }

    /// A request starts.
    pub fn started(&mut self) {
        self.in_flight += 1;
        self.requests += 1;
    }

    /// A request was broken off at `now`, through no fault of the host: it may have been sent just before.
    pub fn broken_off(&mut self, now: Instant, rules: &Rules) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.next_at = self.next_at.max(now + self.delay(rules));
    }

    /// A request has ended at `now`. `first_byte` is when the answer's head came and `started` when it was sent.
    pub fn ended(
        &mut self,
        (started, first_byte, now): (Instant, Option<Instant>, Instant),
        health: Health,
        rules: &Rules,
        rng: &mut Rng,
    ) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let news = started >= self.trouble_at;
        match health {
            Health::Good if news => self.good(first_byte.unwrap_or(now).since(started)),
            Health::Overloaded(retry_after) => self.overloaded(now, news, retry_after, rules, rng),
            Health::ServerError => self.back_off(now, news, None, rules, rng),
            Health::Unreachable => self.unreachable(now, news, rules, rng),
            Health::Good | Health::Neutral => {}
        }
        let spaced = first_byte.unwrap_or(now) + self.delay(rules);
        self.next_at = self.next_at.max(spaced);
    }

    /// Whether the host's retry budget allows one more try; if so, it is booked.
    pub fn grant_retry(&mut self, rules: &Rules) -> bool {
        let allowed = RETRIES_FREE + (self.requests as f64 * rules.retry_share.max(0.0)) as u64;
        let granted = self.retries < allowed;
        self.retries += u64::from(granted);
        granted
    }

    /// Until when the host is left alone because of failures; the epoch where it is not.
    pub fn paused_until(&self) -> Instant {
        self.backoff_until.max(self.breaker_until)
    }

    fn good(&mut self, response_time: Duration) {
        self.unreachable_in_a_row = 0;
        self.trouble_in_a_row = 0;
        self.openings = 0;
        self.slowing = self.slowing.mul_f64(0.9);
        if self.slowing < Duration::from_millis(10) {
            self.slowing = Duration::ZERO;
        }
        let smoothed =
            self.response_time.map_or(response_time, |usual| usual.mul_f64(0.8) + response_time.mul_f64(0.2));
        self.response_time = Some(smoothed);
    }

    fn overloaded(&mut self, now: Instant, news: bool, asked: Option<Duration>, rules: &Rules, rng: &mut Rng) {
        if news {
            let current = self.delay(rules).max(SLOWING_START / 2);
            self.slowing = (current * 2).min(rules.delay_max.max(rules.delay));
        }
        self.back_off(now, news, asked, rules, rng);
    }

    fn unreachable(&mut self, now: Instant, news: bool, rules: &Rules, rng: &mut Rng) {
        self.back_off(now, news, None, rules, rng);
        // One trouble of many requests that were sent together is one failure: it must not get the host given up at once.
        if !news {
            return;
        }
        self.unreachable_in_a_row += 1;
        if self.unreachable_in_a_row >= rules.breaker_failures.max(1) {
            let pause = doubled(rules.breaker_pause, self.openings, rules.breaker_pause * 64);
            self.breaker_until = self.breaker_until.max(now + pause);
            self.openings += 1;
            self.unreachable_in_a_row = 0;
        }
    }

    /// Exponential back-off with up to half of it again as jitter; never shorter than what the host asked for. Only news
    /// lengthens the next one: sixteen refusals of sixteen requests sent together are one trouble.
    fn back_off(&mut self, now: Instant, news: bool, asked: Option<Duration>, rules: &Rules, rng: &mut Rng) {
        let asked = asked.unwrap_or_default().min(rules.retry_after_max);
        self.backoff_until = self.backoff_until.max(now + asked);
        if !news {
            return;
        }
        let base = doubled(rules.backoff_start, self.trouble_in_a_row, rules.backoff_max);
        self.trouble_in_a_row += 1;
        self.trouble_at = now;
        let jittered = base.mul_f64(1.0 + rng.random::<f64>() / 2.0);
        self.backoff_until = self.backoff_until.max(now + jittered);
    }
}

/// `start` doubled `times` times, at most `max`.
fn doubled(start: Duration, times: u32, max: Duration) -> Duration {
    start.saturating_mul(1_u32.checked_shl(times).unwrap_or(u32::MAX)).min(max)
}
