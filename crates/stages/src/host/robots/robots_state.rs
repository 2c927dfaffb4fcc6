//! A host's robots.txt over time (RFC 9309, sections 2.3 and 2.4): when it must be fetched, what a reply means, and
//! what applies until then.
//!
//! ```text
//!            2xx: its rules          ┌── after `cache` ──┐
//!            4xx, too many redirects │                   ▼
//! unknown ─► (everything allowed) ─► known ◄────────── due again: the old rules apply while a refresh fails
//!    │                               ▲
//!    └─► 5xx, 429, no reply ─► unavailable (everything disallowed) ─► after the retry wait: requested again
//! ```
//!
//! Deviation: 429 counts as a server error, not as "no robots.txt" like the other 4xx, because an overloaded server
//! wants less traffic.

use std::sync::Arc;
use std::time::Duration;

use super::RobotsRules;
use harvestman_core::clock::Instant;
use harvestman_core::config::RobotsOptions;

/// Minimum time for which rules are cached, whatever the settings. With less, robots.txt would be due again before the
/// host's delay lets a page through, and the crawl would request nothing else.
const CACHE_MIN: Duration = Duration::from_secs(60);

/// Maximum number of consecutive redirects to a robots.txt, to any host: the five that RFC 9309, section 2.3.1.2, asks
/// for. After more, the host counts as having none.
pub const REDIRECTS_MAX: u32 = 5;

/// After this long with server errors only, a host counts as having no robots.txt, so that everything is allowed: the
/// 30 days that RFC 9309, section 2.3.1.4, names.
const UNAVAILABLE_ALLOW_AFTER: Duration = Duration::from_secs(30 * 86_400);

/// Minimum wait after a failure, whatever the settings, so that a failing host is not contacted continuously.
const RETRY_WAIT_MIN: Duration = Duration::from_secs(1);

/// The result of one request for robots.txt (or for the URL that it redirects to).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply<'a> {
    /// A response.
    Answered {
        /// The status code.
        status: u16,
        /// The `Location` header.
        location: Option<&'a str>,
        /// The wait that the `Retry-After` header asks for.
        retry_after: Option<Duration>,
        /// The body with its content coding removed; may be truncated at the size limit.
        body: &'a [u8],
    },
    /// No response or an incomplete one: the name lookup, the connection or the protocol failed.
    Unreachable,
}

/// What to do after a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Fetch this URL and pass the reply.
    Follow(String),
    /// Nothing: [`RobotsState::verdict`] has the result.
    Settled,
}

/// The verdict of robots.txt on a URL at a given time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may be fetched.
    Allowed,
    /// This rule disallows it.
    Disallowed(String),
    /// robots.txt is unavailable, so nothing may be fetched until it is requested again.
    Unavailable {
        /// When robots.txt is requested again.
        until: Instant,
    },
    /// robots.txt must be fetched first.
    Unknown,
}

/// A host's robots.txt: what is known of it, and the progress of a fetch.
#[derive(Debug, Clone)]
pub struct RobotsState {
    options: Arc<RobotsOptions>,
    /// The URL of the host's robots.txt.
    url: String,
    known: Option<Known>,
    failing: Option<Failing>,
    /// The redirect being followed.
    hop: Option<Hop>,
}

#[derive(Debug, Clone)]
struct Known {
    rules: Arc<RobotsRules>,
    fresh_until: Instant,
}

/// Consecutive failed attempts.
#[derive(Debug, Clone, Copy)]
struct Failing {
    since: Instant,
    tries: u32,
    retry_at: Instant,
}

#[derive(Debug, Clone)]
struct Hop {
    url: String,
    redirects: u32,
}

impl RobotsState {
    /// Creates the state of a host whose robots.txt at `url` has not been requested.
    pub fn new(options: Arc<RobotsOptions>, url: String) -> Self {
        Self { options, url, known: None, failing: None, hop: None }
    }

    /// Restores a robots.txt that was fetched in an earlier run. It is cached no longer than the current settings
    /// allow.
    pub fn recall(&mut self, body: Option<&[u8]>, fresh_until: Instant, now: Instant) {
        let rules = body.map_or_else(RobotsRules::allow_all, |body| RobotsRules::parse(body, &self.options.agent));
        self.settle(rules, now);
        if let Some(known) = &mut self.known {
            known.fresh_until = known.fresh_until.min(fresh_until);
        }
    }

    /// Returns until when the known rules need not be fetched again, or `None` if no rules are known.
    pub fn fresh_until(&self) -> Option<Instant> {
        self.known.as_ref().map(|known| known.fresh_until)
    }

    /// Returns the verdict on the URL with this path and query.
    pub fn verdict(&self, now: Instant, path_and_query: &str) -> Verdict {
        if !self.options.obey {
            return Verdict::Allowed;
        }
        match (self.fetch_due(now), self.failing, &self.known) {
            (true, _, _) => Verdict::Unknown,
            (false, _, Some(known)) => {
                let decision = known.rules.decide(path_and_query);
                if decision.allowed { Verdict::Allowed } else { Verdict::Disallowed(decision.rule.unwrap_or_default()) }
            }
            (false, Some(failing), None) if self.given_up(failing, now) => Verdict::Allowed,
            (false, Some(failing), None) => Verdict::Unavailable { until: failing.retry_at },
            (false, None, None) => Verdict::Unknown,
        }
    }

    /// Returns the URL to fetch if robots.txt is due: at first, when it has expired, or when the wait after a failure
    /// is over. During a redirect this is the redirect's target.
    pub fn fetch_url(&self, now: Instant) -> Option<&str> {
        self.fetch_due(now).then(|| self.hop.as_ref().map_or(self.url.as_str(), |hop| &hop.url))
    }

    /// Processes the reply to a request for the URL.
    pub fn on_reply(&mut self, reply: Reply<'_>, now: Instant) -> Next {
        let hop = self.hop.take();
        match reply {
            Reply::Answered { status: 200..=299, body, .. } => {
                self.settle(RobotsRules::parse(body, &self.options.agent), now);
            }
            Reply::Answered { status: 300..=399, location, .. } => return self.redirect(hop, location, now),
            Reply::Answered { status: 429, retry_after, .. } => self.fail(retry_after, now),
            Reply::Answered { status: 400..=499, .. } => self.settle(RobotsRules::allow_all(), now),
            Reply::Answered { retry_after, .. } => self.fail(retry_after, now),
            Reply::Unreachable => self.fail(None, now),
        }
        Next::Settled
    }

    /// Returns the number of consecutive failed attempts.
    pub fn failed_tries(&self) -> u32 {
        self.failing.map_or(0, |failing| failing.tries)
    }

    /// Returns the current rules, if any are known; they may have expired.
    pub fn rules(&self) -> Option<&RobotsRules> {
        self.known.as_ref().map(|known| &*known.rules)
    }

    /// Returns the crawl delay that robots.txt asks for, capped at the configured maximum; `None` if robots.txt is not
    /// obeyed.
    pub fn crawl_delay(&self) -> Option<Duration> {
        let delay = self.rules().filter(|_| self.options.obey)?.crawl_delay()?;
        Some(delay.min(self.options.crawl_delay_max.0))
    }

    /// Returns the crawl delay that robots.txt asks for if it exceeds the configured maximum.
    pub fn capped_crawl_delay(&self) -> Option<Duration> {
        let asked = self.rules().filter(|_| self.options.obey)?.crawl_delay()?;
        (asked > self.options.crawl_delay_max.0).then_some(asked)
    }

    /// Returns the absolute URLs of the sitemaps that robots.txt names; empty if sitemaps are not followed.
    pub fn sitemaps(&self) -> Vec<String> {
        let Some(rules) = self.rules().filter(|_| self.options.sitemaps) else { return Vec::new() };
        rules.sitemaps().iter().filter_map(|sitemap| http_url(&self.url, sitemap)).collect()
    }

    /// Returns whether the host's robots.txt is known, names no sitemap, and the usual place of one is to be tried.
    pub fn wants_sitemap_guess(&self) -> bool {
        let tries = self.options.obey && self.options.sitemaps && self.options.sitemap_guess;
        tries && self.rules().is_some() && self.sitemaps().is_empty()
    }

    fn fetch_due(&self, now: Instant) -> bool {
        let fresh = self.known.as_ref().is_some_and(|known| now < known.fresh_until);
        let waiting = self.failing.is_some_and(|failing| now < failing.retry_at);
        self.hop.is_some() || !fresh && !waiting
    }

    fn given_up(&self, failing: Failing, now: Instant) -> bool {
        now.since(failing.since) >= UNAVAILABLE_ALLOW_AFTER
    }

    fn settle(&mut self, rules: RobotsRules, now: Instant) {
        let fresh = self.options.cache.0.max(CACHE_MIN);
        self.known = Some(Known { rules: Arc::new(rules), fresh_until: now + fresh });
        self.failing = None;
    }

    /// Follows a redirect. One without a valid target, or one too many, means that there is no robots.txt (RFC 9309,
    /// section 2.3.1.2).
    fn redirect(&mut self, hop: Option<Hop>, location: Option<&str>, now: Instant) -> Next {
        let (base, redirects) = hop.map_or((self.url.clone(), 0), |hop| (hop.url, hop.redirects));
        let target = location.and_then(|location| http_url(&base, location));
        match target.filter(|_| redirects < REDIRECTS_MAX) {
            Some(url) => {
                self.hop = Some(Hop { url: url.clone(), redirects: redirects + 1 });
                Next::Follow(url)
            }
            None => {
                self.settle(RobotsRules::allow_all(), now);
                Next::Settled
            }
        }
    }

    /// Records a failure. The wait grows with each consecutive failure and is at least what the server asks for, up to
    /// the configured maximum.
    fn fail(&mut self, retry_after: Option<Duration>, now: Instant) {
        let (since, tries) = self.failing.map_or((now, 0), |failing| (failing.since, failing.tries));
        let doubled = self.options.unavailable_retry.0.saturating_mul(1 << tries.min(20));
        let asked = doubled.max(retry_after.unwrap_or_default()).min(self.options.unavailable_retry_max.0);
        let wait = asked.max(RETRY_WAIT_MIN);
        self.failing = Some(Failing { since, tries: tries.saturating_add(1), retry_at: now + wait });
    }
}

/// Resolves `reference` to an absolute http or https URL.
pub fn http_url(base: &str, reference: &str) -> Option<String> {
    let url = ::url::Url::parse(base).ok()?.join(reference.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

#[cfg(test)]
#[path = "robots_state_tests.rs"]
mod tests;
