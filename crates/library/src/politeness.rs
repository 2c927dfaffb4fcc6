//! The politeness core alone: when the next request to a host may be sent, and what its robots.txt allows. Pure: the
//! caller passes the time.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//! use harvestman_library::politeness::{HostPace, RequestEnd, RobotsTxt, Turn};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n", "mybot");
//! assert!(robots.allows("/forum/?page=2") && !robots.allows("/private/"));
//!
//! let mut pace = HostPace::new(Duration::from_secs(1), 7);
//! pace.set_crawl_delay(robots.crawl_delay());
//! let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
//! assert_eq!(pace.next(now), Turn::Now);
//! pace.started();
//! assert_eq!(pace.next(now), Turn::WhenAnswered);
//! pace.ended("http://h.test/", RequestEnd::new(now, now).status(200));
//! assert_eq!(pace.next(now), Turn::At(now + Duration::from_secs(2)));
//! ```

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harvestman_core::clock::Instant;
use harvestman_core::config::{Config, RobotsOptions};
use harvestman_core::seed::{Rng, Seed};
use harvestman_core::url::Fingerprint;
use harvestman_stages::host::robots::RobotsRules;
use harvestman_stages::host::{Health, HostRules, Politeness, PolitenessRules, Readiness, RequestEnd as InnerEnd};

/// What the robots.txt of a host allows one crawler (RFC 9309).
#[derive(Debug, Clone)]
pub struct RobotsTxt {
    rules: RobotsRules,
}

impl RobotsTxt {
    /// Reads a robots.txt, whatever its bytes: invalid lines are skipped. `agent` is the product token of the crawler.
    /// Only the first 500 KiB are read.
    pub fn parse(bytes: &[u8], agent: &str) -> Self {
        Self { rules: RobotsRules::parse(bytes, agent) }
    }

    /// Whether the URL with this path and query may be fetched: the longest matching rule decides.
    pub fn allows(&self, path_and_query: &str) -> bool {
        self.rules.decide(path_and_query).allowed
    }

    /// The rule that decides about the URL with this path and query, such as `Disallow: /private/`.
    pub fn rule(&self, path_and_query: &str) -> Option<String> {
        self.rules.decide(path_and_query).rule
    }

    /// The `Crawl-delay` for the crawler, as it is written there.
    pub const fn crawl_delay(&self) -> Option<Duration> {
        self.rules.crawl_delay()
    }

    /// The `Sitemap` lines, as they are written there.
    pub fn sitemaps(&self) -> &[String] {
        self.rules.sitemaps()
    }
}

/// When the next request to a host may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Turn {
    /// Now.
    Now,
    /// Not before this time, because of the delay or of a pause after errors.
    At(SystemTime),
    /// When a request in progress has ended.
    WhenAnswered,
    /// Never: the host failed too often.
    Never,
}

/// The pace of requests to one host: a delay between two of them that grows with the response time of the host,
/// back-off after errors, 429 and 503, and pauses of a host that cannot be reached. Limits that are not given here are
/// the defaults of a crawl's settings.
#[derive(Debug, Clone)]
pub struct HostPace {
    state: Politeness,
    rules: PolitenessRules,
    crawl_delay_max: Duration,
    rng: Rng,
}

/// A request that has ended.
#[derive(Debug, Clone, Copy)]
pub struct RequestEnd<'a> {
    started: SystemTime,
    first_byte: Option<SystemTime>,
    ended: SystemTime,
    status: Option<u16>,
    retry_after: Option<&'a str>,
}

impl<'a> RequestEnd<'a> {
    /// A request without an answer: the host could not be reached.
    pub const fn new(started: SystemTime, ended: SystemTime) -> Self {
        Self { started, ended, first_byte: None, status: None, retry_after: None }
    }

    /// The status of the answer.
    #[must_use]
    pub const fn status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    /// When the head of the answer arrived, from which the delay counts; by default when the request ended.
    #[must_use]
    pub const fn first_byte(self, at: SystemTime) -> Self {
        Self { first_byte: Some(at), ..self }
    }

    /// The value of the header `Retry-After`: a number of seconds or an HTTP date.
    #[must_use]
    pub const fn retry_after(self, value: Option<&'a str>) -> Self {
        Self { retry_after: value, ..self }
    }
}

impl HostPace {
    /// The pace of a host that was not contacted yet, with at least `delay` between two requests. `seed` is that of the
    /// random part of pauses.
    pub fn new(delay: Duration, seed: u64) -> Self {
        let rules = PolitenessRules { delay, ..HostRules::from(&Config::default()).politeness };
        let crawl_delay_max = RobotsOptions::default().crawl_delay_max.0;
        Self { state: Politeness::default(), rules, crawl_delay_max, rng: Seed(seed).rng() }
    }

    /// Sets the `Crawl-delay` of the host, which counts if it is longer than the delay. It is capped as by
    /// `robots.crawl_delay_max`.
    pub fn set_crawl_delay(&mut self, delay: Option<Duration>) {
        self.state.set_crawl_delay(delay.map(|delay| delay.min(self.crawl_delay_max)));
    }

    /// Returns when the next request may be sent.
    pub fn next(&self, now: SystemTime) -> Turn {
        match self.state.readiness(instant(now), 0, &self.rules) {
            Readiness::Ready => Turn::Now,
            Readiness::Busy => Turn::WhenAnswered,
            Readiness::Wait { until, .. } => Turn::At(UNIX_EPOCH + Duration::from_micros(until.as_micros())),
            Readiness::GivenUp => Turn::Never,
        }
    }

    /// Records that a request was sent.
    pub fn started(&mut self) {
        self.state.started();
    }

    /// Records that the request for `url` has ended.
    pub fn ended(&mut self, url: &str, end: RequestEnd<'_>) {
        let ended = instant(end.ended);
        let health = match end.status {
            Some(status) => Health::of_status(status, end.retry_after, ended),
            None => Health::Unreachable,
        };
        let first_byte = end.first_byte.map(instant).or_else(|| end.status.map(|_| ended));
        let end = InnerEnd { url: Fingerprint::of(url), started: instant(end.started), first_byte, ended };
        self.state.ended(end, health, &self.rules, &mut self.rng);
    }

    /// Returns whether a failed request may be repeated: repetitions are a limited share of all requests. If so, it
    /// counts as one.
    pub fn may_repeat(&mut self) -> bool {
        self.state.grant_retry(&self.rules)
    }
}

/// Times before 1970 count as 1970.
fn instant(time: SystemTime) -> Instant {
    Instant::EPOCH + time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// A pace after one request that was answered so at 1,000 s.
    fn after(end: impl FnOnce(RequestEnd<'static>) -> RequestEnd<'static>) -> HostPace {
        let mut pace = HostPace::new(Duration::from_secs(1), 1);
        pace.started();
        pace.ended("http://h.test/", end(RequestEnd::new(at(1_000), at(1_000))));
        pace
    }

    #[test]
    fn a_host_waits_for_as_long_as_it_asks() {
        let pace = after(|end| end.status(503).retry_after(Some("120")));
        let Turn::At(until) = pace.next(at(1_001)) else { panic!("it waits") };
        assert!(until >= at(1_120), "{until:?}");
        assert_eq!(pace.next(until), Turn::Now);
    }

    #[test]
    fn a_host_that_is_never_reached_is_given_up() {
        let mut pace = HostPace::new(Duration::from_secs(1), 1);
        let mut now = at(1_000);
        for _ in 0..10_000 {
            match pace.next(now) {
                Turn::Now => {
                    pace.started();
                    pace.ended("http://h.test/", RequestEnd::new(now, now));
                }
                Turn::At(until) => now = until,
                Turn::WhenAnswered => panic!("nothing is in progress"),
                Turn::Never => return,
            }
        }
        panic!("it is not given up");
    }

    #[test]
    fn a_crawl_delay_is_capped() {
        let mut pace = after(|end| end.status(200));
        pace.set_crawl_delay(Some(Duration::from_secs(1_000_000)));
        pace.started();
        pace.ended("http://h.test/", RequestEnd::new(at(2_000), at(2_000)).status(200));
        let max = RobotsOptions::default().crawl_delay_max.0;
        assert_eq!(pace.next(at(2_000)), Turn::At(at(2_000) + max));
    }
}
