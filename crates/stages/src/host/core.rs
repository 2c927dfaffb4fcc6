//! What a host does next, as a decision over what is known of it. Pure: time is handed in, nothing is sent from here.
//!
//! A host first learns its address (for the connections per address), then its robots.txt, then the sitemaps named there; after
//! that it asks the frontier for URLs whenever politeness allows.

use std::net::IpAddr;
use std::sync::Arc;

use super::capped::CappedDelay;
use super::health::Health;
use super::history::{HostHistory, StoredRobots};
use super::politeness::{Politeness, Readiness, RequestEnd, WaitReason};
use super::retry_after;
use super::robots::{Reply, RobotsState, Verdict};
use super::rules::{HostRules, PolitenessRules};
use super::sitemap::{self, SitemapQueue};
use super::step::{Disposition, Errand, RobotsResult, Step};
use harvestman_core::clock::Instant;
use harvestman_core::config::RobotsOptions;
use harvestman_core::model::{Exchange, Failure, Fate, Lease, RobotsRefusal, Timings, Truncation};
use harvestman_core::seed::Rng;
use harvestman_core::url::{CanonicalUrl, HostKey};

/// Everything that is remembered of one host, awake or asleep.
#[derive(Debug)]
pub struct HostCore {
    /// Who it is.
    pub key: HostKey,
    politeness: Politeness,
    robots: RobotsState,
    robots_under_way: bool,
    /// Tries in a row at which the host could not even be asked for robots.txt, and what the last one failed of.
    unreachable: Option<(u32, Failure)>,
    address: Address,
    sitemaps: SitemapQueue,
    rng: Rng,
    /// Until when the host asked to be left alone the last time, and not only itself if it is but a name of a server.
    asked_pause: Option<Instant>,
    /// Whether it was reported that the host's crawl delay is capped.
    capped_delay_reported: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Address {
    Unknown,
    Asked,
    Known(Option<IpAddr>),
}

impl HostCore {
    /// A host of which nothing is known yet.
    pub fn new(key: HostKey, options: Arc<RobotsOptions>, rng: Rng) -> Self {
        Self {
            politeness: Politeness::default(),
            sitemaps: SitemapQueue::new(&options),
            robots: RobotsState::new(options, format!("{key}/robots.txt")),
            key,
            robots_under_way: false,
            unreachable: None,
            address: Address::Unknown,
            rng,
            asked_pause: None,
            capped_delay_reported: false,
        }
    }

    /// What another run of the crawl should know of the host.
    pub const fn memory(&self) -> &Politeness {
        &self.politeness
    }

    /// Goes on at `now` with what an earlier run knew; with nothing the host is left alone for its delay all the same, as that run may
    /// have asked it for something just before it ended, or somebody else at its address.
    #[must_use]
    pub fn resumed(mut self, past: HostHistory, now: Instant, rules: &HostRules) -> Self {
        past.sitemaps_read.iter().for_each(|url| self.sitemaps.mark_read(url));
        if let Some(StoredRobots { body, fresh_until }) = &past.robots {
            self.robots.recall(body.as_deref(), *fresh_until, now);
        }
        let mut politeness = past.politeness.unwrap_or_default();
        if past.robots.is_some() {
            // It may be capped otherwise than in that run.
            politeness.set_crawl_delay(self.robots.crawl_delay());
        }
        let politeness = politeness.resumed(now, &rules.politeness);
        Self { politeness: politeness.delayed_until(now + rules.delay_per_ip), ..self }
    }

    /// A robots.txt that was just fetched, to be kept for another run; `body` is its own. None where it could not be had.
    pub fn stored_robots(&self, result: &RobotsResult, body: &[u8]) -> Option<StoredRobots> {
        let body = match result {
            RobotsResult::Rules(_) => Some(body),
            RobotsResult::Absent => None,
            RobotsResult::Redirected | RobotsResult::Unavailable | RobotsResult::Unreachable => return None,
        };
        Some(StoredRobots::new(body, self.robots.fresh_until()?))
    }

    /// Returns the host's crawl delay if it is capped and this was not reported before.
    pub fn report_capped_delay(&mut self, rules: &HostRules) -> Option<CappedDelay> {
        let asked = self.robots.capped_crawl_delay().filter(|_| !self.capped_delay_reported)?;
        let used = self.robots.crawl_delay()?.max(rules.politeness.delay);
        self.capped_delay_reported = used < asked;
        self.capped_delay_reported.then(|| CappedDelay::new(&self.key, asked, used))
    }

    /// Goes by other rules from now on.
    pub fn change_pace(&mut self, old: &HostRules, new: &HostRules) {
        self.politeness.change_pace(&old.politeness, &new.politeness);
    }

    /// The address whose connections the host shares, where known.
    pub const fn address(&self) -> Option<IpAddr> {
        match self.address {
            Address::Known(ip) => ip,
            Address::Unknown | Address::Asked => None,
        }
    }

    /// Until when the host asked to be left alone (429, 503) the last time, if ever.
    pub const fn asked_pause(&self) -> Option<Instant> {
        self.asked_pause
    }

    /// The address was looked up; none where it cannot be had (the fetch will say why) or does not matter (proxy).
    pub fn resolved(&mut self, ip: Option<IpAddr>) {
        self.address = Address::Known(ip);
    }

    /// What to do next, while `promised` URLs have been asked for and not yet come.
    pub fn next(&self, now: Instant, promised: u32, rules: &HostRules) -> Step {
        match self.address {
            Address::Unknown => return Step::Resolve,
            Address::Asked => return Step::Busy,
            Address::Known(_) => {}
        }
        let refuse = if promised == 0 { Step::AskToRefuse } else { Step::Busy };
        let readiness = self.politeness.readiness(now, promised, &rules.politeness);
        if readiness == Readiness::GivenUp {
            return refuse;
        }
        match (self.robots.verdict(now, "/"), readiness) {
            _ if self.robots_under_way => Step::Busy,
            (Verdict::Unavailable { .. }, _) if self.gives_up_robots(rules) => refuse,
            (Verdict::Unavailable { until }, _) => Step::Wait { until, why: WaitReason::Robots },
            (_, Readiness::Wait { until, why }) => Step::Wait { until, why },
            (_, Readiness::Busy | Readiness::GivenUp) => Step::Busy,
            (_, Readiness::Ready) if promised > 0 => Step::Busy,
            (Verdict::Unknown, Readiness::Ready) => match self.robots.fetch_url(now) {
                Some(url) => Step::Errand(Errand::Robots(CanonicalUrl::from_canonical(url))),
                None => Step::Ask,
            },
            (Verdict::Allowed | Verdict::Disallowed(_), Readiness::Ready) => {
                self.sitemaps.first().map_or(Step::Ask, |entry| {
                    let url = CanonicalUrl::from_canonical(entry.url.as_str());
                    Step::Errand(Errand::Sitemap { url, nesting: entry.depth, attempts: entry.attempts })
                })
            }
        }
    }

    /// Whether robots.txt was asked for so often in vain that the URLs that wait for it are let go.
    fn gives_up_robots(&self, rules: &HostRules) -> bool {
        self.unreachable.is_some() || self.robots.failed_tries() >= rules.robots_tries
    }

    /// The address is being looked up.
    pub fn begin_resolve(&mut self) {
        self.address = Address::Asked;
    }

    /// The errand that [`HostCore::next`] named starts.
    pub fn begin_errand(&mut self, errand: &Errand) {
        match errand {
            Errand::Robots(_) => self.robots_under_way = true,
            Errand::Sitemap { .. } => drop(self.sitemaps.take()),
        }
        self.politeness.started();
    }

    /// Why `lease` may not be fetched, if so.
    pub fn refusal(&self, lease: &Lease, now: Instant, rules: &HostRules) -> Option<Fate> {
        if self.politeness.readiness(now, 0, &rules.politeness) == Readiness::GivenUp {
            return Some(Fate::Failed(Failure::HostGivenUp));
        }
        match self.robots.verdict(now, lease.item.url.path_and_query()) {
            Verdict::Allowed | Verdict::Unknown => None,
            Verdict::Disallowed(_) => Some(Fate::Robots(RobotsRefusal::Disallowed)),
            Verdict::Unavailable { .. } => Some(match self.unreachable {
                Some((_, failure)) => Fate::Failed(failure),
                None => Fate::Robots(RobotsRefusal::Unavailable),
            }),
        }
    }

    /// Whether politeness lets a request start now.
    pub fn may_send(&self, now: Instant, rules: &HostRules) -> bool {
        self.politeness.readiness(now, 0, &rules.politeness) == Readiness::Ready
    }

    /// A page's request starts.
    pub fn started(&mut self) {
        self.politeness.started();
    }

    /// A page's request has ended: books it with politeness and decides whether it is tried again. `attempts` counts it.
    pub fn page_ended(&mut self, exchange: &Exchange, attempts: u8, now: Instant, rules: &HostRules) -> Disposition {
        self.book(exchange, now, &rules.politeness);
        let may_pass = match &exchange.result {
            Err(failure) => failure.is_transient(),
            Ok(answer) if answer.truncated == Some(Truncation::Disconnect) => true,
            Ok(answer) => answer.status >= 400 && Failure::Http(answer.status).is_transient(),
        };
        if may_pass && attempts <= rules.retries_max && self.politeness.grant_retry(&rules.politeness) {
            return Disposition::Retry(self.politeness.paused_until().max(now));
        }
        Disposition::Final
    }

    /// A request was broken off, through no fault of the host. A sitemap's is taken on again.
    pub fn aborted(&mut self, errand: Option<Errand>, now: Instant, rules: &HostRules) {
        self.politeness.aborted(now, &rules.politeness);
        match errand {
            None => {}
            Some(Errand::Robots(_)) => self.robots_under_way = false,
            Some(Errand::Sitemap { url, nesting, attempts }) => {
                self.sitemaps.put_back(sitemap::Entry { url: url.as_str().to_owned(), depth: nesting, attempts });
            }
        }
    }

    /// A robots.txt request has ended with `body` (content coding removed). Says what came of it, and the sitemaps named there.
    pub fn robots_ended(&mut self, exchange: &Exchange, body: &[u8], now: Instant, rules: &HostRules) -> RobotsResult {
        self.robots_under_way = false;
        let answer = match &exchange.result {
            Ok(answer) => answer,
            Err(failure) => {
                self.book(exchange, now, &rules.politeness);
                return self.robots_unreachable(*failure, now, rules);
            }
        };
        self.unreachable = None;
        let location = answer.header(http::header::LOCATION);
        let asked = answer.header(http::header::RETRY_AFTER);
        let retry_after = asked.and_then(|value| retry_after::parse(value, now));
        self.robots.on_reply(Reply::Answered { status: answer.status, location, retry_after, body }, now);
        self.politeness.set_crawl_delay(self.robots.crawl_delay());
        // Only now, so that the first request after robots.txt keeps the delay that it asks for.
        self.book(exchange, now, &rules.politeness);
        match self.robots.verdict(now, "/") {
            Verdict::Unknown => RobotsResult::Redirected,
            Verdict::Unavailable { .. } => RobotsResult::Unavailable,
            Verdict::Allowed | Verdict::Disallowed(_) if answer.status >= 300 => RobotsResult::Absent,
            Verdict::Allowed | Verdict::Disallowed(_) => RobotsResult::Rules(self.robots.sitemaps()),
        }
    }

    /// A host that cannot be reached is tried again after the usual back-off, as any URL is; only then is robots.txt counted as
    /// unavailable.
    fn robots_unreachable(&mut self, failure: Failure, now: Instant, rules: &HostRules) -> RobotsResult {
        let tries = self.unreachable.map_or(0, |(tries, _)| tries) + 1;
        if failure.is_transient() && tries <= u32::from(rules.retries_max) {
            self.unreachable = Some((tries, failure));
        } else {
            self.unreachable = Some((0, failure));
            self.robots.on_reply(Reply::Unreachable, now);
        }
        RobotsResult::Unreachable
    }

    /// A sitemap request has ended: books it, and takes the sitemap on again where a page would be tried again.
    pub fn sitemap_ended(
        &mut self,
        entry: sitemap::Entry,
        exchange: &Exchange,
        now: Instant,
        rules: &HostRules,
    ) -> Disposition {
        let entry = sitemap::Entry { attempts: entry.attempts.saturating_add(1), ..entry };
        let disposition = self.page_ended(exchange, entry.attempts, now, rules);
        if disposition != Disposition::Final {
            self.sitemaps.put_back(entry);
        }
        disposition
    }

    /// Takes on sitemaps to fetch, as far as they are new and the limits allow; returns how many.
    pub fn take_on_sitemaps(&mut self, urls: Vec<String>, nesting: u32) -> u32 {
        urls.into_iter().map(|url| u32::from(self.sitemaps.add(url, nesting))).sum()
    }

    /// Drops the sitemaps that are still to be fetched, as they cannot be had; returns how many.
    pub fn drop_sitemaps(&mut self) -> u32 {
        std::iter::from_fn(|| self.sitemaps.take()).map(|_| 1).sum()
    }

    /// Whether nothing is under way and no errand waits, so that the host's actor may end.
    pub fn is_idle(&self) -> bool {
        self.politeness.in_flight() == 0
            && self.sitemaps.first().is_none()
            && !self.robots_under_way
            && self.address != Address::Asked
    }

    fn book(&mut self, exchange: &Exchange, now: Instant, rules: &PolitenessRules) {
        let health = Health::of(exchange, now);
        let Timings { started, first_byte, .. } = exchange.timings;
        let end = RequestEnd { url: exchange.url.fingerprint(), started, first_byte, ended: now };
        self.politeness.ended(end, health, rules, &mut self.rng);
        if matches!(health, Health::Overloaded(_)) {
            self.asked_pause = Some(self.politeness.paused_until());
        }
    }
}
