//! Decides when a host may be contacted next: delay, concurrency, back-off, circuit breaker, retry budget. Pure: the
//! caller passes the time.
//!
//! Invariants: POL-1 at most `connections_per_host` requests are in progress; POL-2 a request starts no earlier than
//! the delay after the first byte of the previous response (or after the end of the request, if there was none); POL-3
//! an error or a 429 never shortens a wait.

use std::collections::VecDeque;
use std::time::Duration;

use rand::Rng as _;
use serde::{Deserialize, Serialize};

use super::health::Health;
use super::host_rules::PolitenessRules;
use harvestman_core::clock::Instant;
use harvestman_core::seed::Rng;
use harvestman_core::url::Fingerprint;

/// Why a host has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitReason {
    /// The delay between two requests.
    Delay,
    /// Back-off after a failure, a 429 or a 503.
    BackOff,
    /// The circuit breaker is open.
    Breaker,
    /// robots.txt is unavailable for now.
    Robots,
    /// The host is blocked by a user.
    Blocked,
    /// The host sent a block page several times in a row.
    BlockPage,
    /// The crawl is not logged in there.
    LogIn,
    /// Another host of its group has its turn, or the group's delay has not passed.
    Group,
    /// Another host at its address has its turn, or the address's delay has not passed.
    Address,
}

impl WaitReason {
    /// Returns the reason's name in reports and metric labels.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Delay => "delay",
            Self::BackOff => "back_off",
            Self::Breaker => "breaker",
            Self::Robots => "robots",
            Self::Blocked => "blocked",
            Self::BlockPage => "block_page",
            Self::LogIn => "log_in",
            Self::Group => "group",
            Self::Address => "address",
        }
    }
}

/// Whether a host may be contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// It may be contacted now.
    Ready,
    /// Enough requests are in progress.
    Busy,
    /// It must not be contacted before this time.
    Wait {
        /// When it may be contacted.
        until: Instant,
        /// The reason to wait.
        why: WaitReason,
    },
    /// It is never contacted again: it failed too often.
    GivenUp,
}

/// The politeness state of one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Politeness {
    in_flight: u32,
    next_at: Instant,
    backoff_until: Instant,
    breaker_until: Instant,
    openings: u32,
    unreachable_in_a_row: u32,
    trouble_in_a_row: u32,
    /// When the last error was counted: responses to requests sent before then belong to the same error.
    trouble_at: Instant,
    /// Extra delay after 429 and 503: doubles with each, shrinks by a tenth with each good response.
    slowing: Duration,
    /// Smoothed response time of good responses.
    response_time: Option<Duration>,
    crawl_delay: Option<Duration>,
    requests: u64,
    retries: u64,
    /// The end of the pause after a block page, and the number of such pauses since the host answered as it should. Not
    /// persisted: another run sees by its first request whether the host still blocks.
    #[serde(skip)]
    block_page: BlockPagePause,
    /// The URLs whose exchanges failed since the last good response, the latest [`FAILED_URLS_MAX`] of them. Not
    /// persisted.
    #[serde(skip)]
    failed_urls: VecDeque<Fingerprint>,
}

/// The pause of a host that sends block pages.
#[derive(Debug, Clone, Copy, PartialEq)]
struct BlockPagePause {
    until: Instant,
    pauses: u32,
}

impl Default for BlockPagePause {
    fn default() -> Self {
        Self { until: Instant::EPOCH, pauses: 0 }
    }
}

/// A request that has ended.
#[derive(Debug, Clone, Copy)]
pub struct RequestEnd {
    /// The URL that was requested.
    pub url: Fingerprint,
    /// When the request was sent.
    pub started: Instant,
    /// When the response's head arrived, if it did.
    pub first_byte: Option<Instant>,
    /// When the request ended.
    pub ended: Instant,
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
            block_page: BlockPagePause::default(),
            failed_urls: VecDeque::new(),
        }
    }
}

/// The initial slowdown of a host that has no delay to double.
const SLOWING_START: Duration = Duration::from_millis(250);
/// Maximum pause after a block page.
const BLOCK_PAUSE_MAX: Duration = Duration::from_secs(3600);
/// Retries that every host has, however few requests it received.
const RETRIES_FREE: u64 = 10;
/// Number of failed URLs remembered, so that each is counted once. After this many different ones in a row it no longer
/// matters whether one of them occurs twice.
const FAILED_URLS_MAX: usize = 16;

impl Politeness {
    /// Resumes at `now` after a run that may have ended at any moment: its requests in progress are over, and the last
    /// of them may have started just before `now`.
    #[must_use]
    pub fn resumed(self, now: Instant, rules: &PolitenessRules) -> Self {
        let next_at = self.next_at.max(now + self.delay(rules));
        Self { in_flight: 0, next_at, ..self }
    }

    /// Delays the next request until this time at least.
    #[must_use]
    pub fn delayed_until(self, until: Instant) -> Self {
        Self { next_at: self.next_at.max(until), ..self }
    }

    /// Applies new rules. A wait that has begun becomes as long as they require.
    pub fn change_pace(&mut self, old: &PolitenessRules, new: &PolitenessRules) {
        let (before, after) = (self.delay(old), self.delay(new));
        self.next_at = self.next_at - before.saturating_sub(after) + after.saturating_sub(before);
    }

    /// Sets the host's own crawl delay (already capped).
    pub fn set_crawl_delay(&mut self, delay: Option<Duration>) {
        self.crawl_delay = delay;
    }

    /// Returns the number of requests in progress.
    pub const fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Returns the number of consecutive errors: bad responses and failed connections.
    pub const fn failures(&self) -> u32 {
        self.trouble_in_a_row
    }

    /// Returns the delay that applies now.
    pub fn delay(&self, rules: &PolitenessRules) -> Duration {
        let least = rules.delay.max(self.crawl_delay.unwrap_or_default());
        if least.is_zero() {
            return self.slowing;
        }
        let usual = self.response_time.unwrap_or_default().as_secs_f64() * rules.delay_factor.max(0.0);
        let adaptive = Duration::try_from_secs_f64(usual).unwrap_or(rules.delay_max).min(rules.delay_max);
        least.max(adaptive).max(self.slowing)
    }

    /// Returns whether a request may start at `now`, while `promised` more are about to start.
    pub fn readiness(&self, now: Instant, promised: u32, rules: &PolitenessRules) -> Readiness {
        if self.openings > rules.breaker_openings_max || self.block_page.pauses > rules.block_pauses_max {
            return Readiness::GivenUp;
        }
        let under_way = self.in_flight + promised;
        // After an error, a single request probes whether the host has recovered.
        let calm = self.delay(rules).is_zero() && self.trouble_in_a_row == 0 && self.block_page.pauses == 0;
        let at_once = if calm { rules.connections.max(1) } else { 1 };
        if under_way >= at_once {
            return Readiness::Busy;
        }
        let waits = [
            (self.block_page.until, WaitReason::BlockPage),
            (self.breaker_until, WaitReason::Breaker),
            (self.backoff_until, WaitReason::BackOff),
            (self.next_at, WaitReason::Delay),
        ];
        match waits.into_iter().filter(|(until, _)| *until > now).max_by_key(|(until, _)| *until) {
            Some((until, why)) => Readiness::Wait { until, why },
            None => Readiness::Ready,
        }
    }

    /// Records the start of a request.
    pub fn started(&mut self) {
        self.in_flight += 1;
        self.requests += 1;
    }

    /// Records that a request was aborted at `now`, through no fault of the host. It may have been sent just before.
    pub fn aborted(&mut self, now: Instant, rules: &PolitenessRules) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.next_at = self.next_at.max(now + self.delay(rules));
    }

    /// Records the end of a request.
    pub fn ended(&mut self, end: RequestEnd, health: Health, rules: &PolitenessRules, rng: &mut Rng) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let RequestEnd { url, started, first_byte, ended: now } = end;
        let answered = first_byte.unwrap_or(now);
        let is_new = started >= self.trouble_at;
        match health {
            Health::Good if is_new => self.good(answered.since(started)),
            // Sent before the error and answered after it: the host is reachable.
            Health::Good if answered > self.trouble_at => self.close_breaker(),
            Health::Overloaded(retry_after) => self.overloaded(now, is_new, retry_after, rules, rng),
            Health::ServerError if is_new => self.record_error(now, rules, rng),
            // An error of many requests sent together is one failure: it must not make the crawl give up the host at
            // once.
            Health::Unreachable if is_new => self.failed(now, rules, rng),
            Health::Broken if is_new && self.is_first_failure_of(url) => self.failed(now, rules, rng),
            // This URL alone must not make the pauses of its host longer and longer.
            Health::Broken if is_new => self.back_off(now, rules, rng),
            Health::ServerError | Health::Unreachable | Health::Broken => {}
            Health::Good | Health::Neutral => {}
        }
        self.next_at = self.next_at.max(answered + self.delay(rules));
    }

    /// Returns whether the host's retry budget allows one more retry. If so, the retry is counted.
    pub fn grant_retry(&mut self, rules: &PolitenessRules) -> bool {
        let allowed = RETRIES_FREE + (self.requests as f64 * rules.retry_share.max(0.0)) as u64;
        let granted = self.retries < allowed;
        self.retries += u64::from(granted);
        granted
    }

    /// Pauses because the host sent a block page, twice as long as the last time, an hour at most. Pages that were on
    /// their way when the pause began do not count again. Returns the end of a pause that begins now.
    pub fn pause_for_block_page(&mut self, now: Instant, rules: &PolitenessRules) -> Option<Instant> {
        if now < self.block_page.until {
            return None;
        }
        let pause = doubled(rules.block_pause, self.block_page.pauses, BLOCK_PAUSE_MAX.max(rules.block_pause));
        self.block_page = BlockPagePause { until: now + pause, pauses: self.block_page.pauses.saturating_add(1) };
        Some(self.block_page.until)
    }

    /// Records that the host sends what is asked for again.
    pub fn end_block_page(&mut self) {
        self.block_page = BlockPagePause::default();
    }

    /// Returns the end of the pause caused by errors, or the epoch if there was none.
    pub fn paused_until(&self) -> Instant {
        self.backoff_until.max(self.breaker_until)
    }

    fn good(&mut self, response_time: Duration) {
        self.close_breaker();
        self.trouble_in_a_row = 0;
        self.slowing = self.slowing.mul_f64(0.9);
        if self.slowing < Duration::from_millis(10) {
            self.slowing = Duration::ZERO;
        }
        let smoothed =
            self.response_time.map_or(response_time, |usual| usual.mul_f64(0.8) + response_time.mul_f64(0.2));
        self.response_time = Some(smoothed);
    }

    /// Ends the breaker's pause after a good response, and resets everything that counts towards the next pause.
    fn close_breaker(&mut self) {
        self.breaker_until = Instant::EPOCH;
        self.openings = 0;
        self.unreachable_in_a_row = 0;
        self.failed_urls.clear();
    }

    fn overloaded(
        &mut self,
        now: Instant,
        is_new: bool,
        asked: Option<Duration>,
        rules: &PolitenessRules,
        rng: &mut Rng,
    ) {
        let asked = asked.unwrap_or_default().min(rules.retry_after_max);
        self.backoff_until = self.backoff_until.max(now + asked);
        if is_new {
            let current = self.delay(rules).max(SLOWING_START / 2);
            self.slowing = (current * 2).min(rules.delay_max.max(rules.delay));
            self.record_error(now, rules, rng);
        }
    }

    /// Records a failure that counts towards the breaker.
    fn failed(&mut self, now: Instant, rules: &PolitenessRules, rng: &mut Rng) {
        self.record_error(now, rules, rng);
        self.count_failure(now, rules);
    }

    /// Counts a failure towards the breaker, and opens it after too many.
    fn count_failure(&mut self, now: Instant, rules: &PolitenessRules) {
        self.unreachable_in_a_row += 1;
        if self.unreachable_in_a_row >= rules.breaker_failures.max(1) {
            let pause = doubled(rules.breaker_pause, self.openings, rules.breaker_pause * 64);
            self.breaker_until = self.breaker_until.max(now + pause);
            self.openings += 1;
            self.unreachable_in_a_row = 0;
        }
    }

    /// Returns whether no exchange of this URL has failed since the last good response, and records that one has.
    fn is_first_failure_of(&mut self, url: Fingerprint) -> bool {
        let is_first = !self.failed_urls.contains(&url);
        if is_first {
            if self.failed_urls.len() >= FAILED_URLS_MAX {
                self.failed_urls.pop_front();
            }
            self.failed_urls.push_back(url);
        }
        is_first
    }

    /// Records an error and backs off for twice as long as after the previous one. Must only be called for new errors:
    /// sixteen refusals of sixteen requests sent together are one error.
    fn record_error(&mut self, now: Instant, rules: &PolitenessRules, rng: &mut Rng) {
        self.trouble_in_a_row += 1;
        self.back_off(now, rules, rng);
    }

    /// Backs off exponentially, with up to half of the pause added as jitter; never for less than the host asked for.
    fn back_off(&mut self, now: Instant, rules: &PolitenessRules, rng: &mut Rng) {
        let base = doubled(rules.backoff_start, self.trouble_in_a_row.saturating_sub(1), rules.backoff_max);
        self.trouble_at = now;
        let jittered = base.mul_f64(1.0 + rng.random::<f64>() / 2.0);
        self.backoff_until = self.backoff_until.max(now + jittered);
    }
}

/// Returns `start` doubled `times` times, at most `max`.
fn doubled(start: Duration, times: u32, max: Duration) -> Duration {
    start.saturating_mul(1_u32.checked_shl(times).unwrap_or(u32::MAX)).min(max)
}
