//! Decides what a host does next from what is known of it. Pure: the caller passes the time and executes the steps.
//!
//! A host first resolves its address (for the connections per address), then fetches its robots.txt, its tdmrep.json if
//! the purpose of the crawl depends on it, then the sitemaps named there, or the one at the usual place; after that it
//! asks the frontier for URLs whenever politeness allows. Sub-requests of pages that are rendered come before sitemaps
//! and URLs.

mod auxiliary;
mod conditions;

use std::net::IpAddr;
use std::sync::Arc;

use super::health::{ContentReport, Health};
use super::history::{HostHistory, StoredRobots};
use super::host_rules::{HostRules, PolitenessRules};
use super::politeness::{Politeness, Readiness, RequestEnd, WaitReason};
use super::restricted::CappedDelay;
use super::retry_after;
use super::robots::{Reply, RobotsState, Verdict};
use super::sitemap::{self, SitemapQueue};
use super::step::{Disposition, Errand, RobotsResult, Step};
use super::subrequest::SubrequestQueue;
use super::tdmrep::TdmrepState;
use harvestman_core::clock::Instant;
use harvestman_core::config::RobotsOptions;
use harvestman_core::model::{Exchange, Failure, Fate, RobotsRefusal, Timings, Truncation};
use harvestman_core::seed::Rng;
use harvestman_core::url::{CanonicalUrl, HostKey};

/// The complete state of one host, awake or asleep.
#[derive(Debug)]
pub struct HostCore {
    /// The host.
    pub key: HostKey,
    politeness: Politeness,
    robots: RobotsState,
    robots_under_way: bool,
    /// Number of consecutive attempts for robots.txt at which the host could not be reached, and the last failure.
    unreachable: Option<(u32, Failure)>,
    address: Address,
    sitemaps: SitemapQueue,
    subrequests: SubrequestQueue,
    tdmrep: TdmrepState,
    /// Whether the crawl is logged in, which matters only at the host of a log-in.
    has_session: bool,
    rng: Rng,
    /// The end of the latest pause that the host asked for. If the host is one name of a server, the pause applies to
    /// the other names too.
    asked_pause: Option<Instant>,
    /// Whether it has been reported that the host's crawl delay is capped.
    capped_delay_reported: bool,
    /// Whether robots.txt is requested once more because the server asks for a signature.
    robots_wants_signature: bool,
    /// Whether the crawl waits for the host no longer.
    wait_is_over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Address {
    Unknown,
    Asked,
    Known(Option<IpAddr>),
}

impl HostCore {
    /// Creates the state of a host of which nothing is known yet.
    pub fn new(key: HostKey, options: Arc<RobotsOptions>, rng: Rng) -> Self {
        Self {
            politeness: Politeness::default(),
            sitemaps: SitemapQueue::new(&options),
            subrequests: SubrequestQueue::default(),
            tdmrep: TdmrepState::new(Arc::clone(&options), &key),
            has_session: false,
            robots: RobotsState::new(options, format!("{key}/robots.txt")),
            key,
            robots_under_way: false,
            unreachable: None,
            address: Address::Unknown,
            rng,
            asked_pause: None,
            capped_delay_reported: false,
            robots_wants_signature: false,
            wait_is_over: false,
        }
    }

    /// Returns what another run of the crawl should know of the host.
    pub const fn memory(&self) -> &Politeness {
        &self.politeness
    }

    /// Resumes at `now` with the state of an earlier run. Even without such state the host is not contacted for its
    /// delay, because that run may have sent a request to it, or to another host at its address, just before it ended.
    #[must_use]
    pub fn resumed(mut self, past: HostHistory, now: Instant, rules: &HostRules) -> Self {
        past.sitemaps_read.iter().for_each(|url| self.sitemaps.mark_read(url));
        if let Some(StoredRobots { body, fresh_until }) = &past.robots {
            self.robots.recall(body.as_deref(), *fresh_until, now);
        }
        let mut politeness = past.politeness.unwrap_or_default();
        if past.robots.is_some() {
            // The cap may differ from that of the earlier run.
            politeness.set_crawl_delay(self.robots.crawl_delay());
        }
        let politeness = politeness.resumed(now, &rules.politeness);
        Self { politeness: politeness.delayed_until(now + rules.delay_per_ip), ..self }
    }

    /// Returns a newly fetched robots.txt in the form that is persisted for another run; `body` is its own. Returns
    /// `None` if it could not be fetched.
    pub fn stored_robots(&self, result: &RobotsResult, body: &[u8]) -> Option<StoredRobots> {
        let body = match result {
            RobotsResult::Rules(_) => Some(body),
            RobotsResult::Absent => None,
            RobotsResult::Redirected
            | RobotsResult::SignatureWanted
            | RobotsResult::Unavailable
            | RobotsResult::Unreachable => return None,
        };
        Some(StoredRobots::new(body, self.robots.fresh_until()?))
    }

    /// Returns the host's crawl delay if it is capped and this has not been reported before.
    pub fn report_capped_delay(&mut self, rules: &HostRules) -> Option<CappedDelay> {
        let asked = self.robots.capped_crawl_delay().filter(|_| !self.capped_delay_reported)?;
        let used = self.robots.crawl_delay()?.max(rules.politeness.delay);
        self.capped_delay_reported = used < asked;
        self.capped_delay_reported.then(|| CappedDelay::new(&self.key, asked, used))
    }

    /// Applies new rules.
    pub fn change_pace(&mut self, old: &HostRules, new: &HostRules) {
        self.politeness.change_pace(&old.politeness, &new.politeness);
    }

    /// Ends the wait for the host: for the rest of this run, its URLs fail.
    pub const fn end_wait(&mut self) {
        self.wait_is_over = true;
    }

    /// Returns the address whose connections the host shares, if known.
    pub const fn address(&self) -> Option<IpAddr> {
        match self.address {
            Address::Known(ip) => ip,
            Address::Unknown | Address::Asked => None,
        }
    }

    /// Returns the end of the latest pause that the host asked for (429, 503), if any.
    pub const fn asked_pause(&self) -> Option<Instant> {
        self.asked_pause
    }

    /// Records the result of the address lookup: `None` if it failed (the fetch will report why) or the address does
    /// not matter (proxy).
    pub fn resolved(&mut self, ip: Option<IpAddr>) {
        self.address = Address::Known(ip);
    }

    /// Returns the next step, while `promised` URLs have been requested from the frontier and not received.
    pub fn next(&self, now: Instant, promised: u32, rules: &HostRules) -> Step {
        match self.address {
            Address::Unknown => return Step::Resolve,
            Address::Asked => return Step::Busy,
            Address::Known(_) => {}
        }
        // Pages in progress wait for sub-requests. These therefore do not wait for a promised URL, which the frontier
        // may grant only when one of those pages ends.
        let promised = if self.subrequests.is_empty() { promised } else { 0 };
        let refuse = if promised == 0 { Step::AskToRefuse } else { Step::Busy };
        let readiness = self.politeness.readiness(now, promised, &rules.politeness);
        if readiness == Readiness::GivenUp || self.wait_is_over {
            return refuse;
        }
        match (self.robots.verdict(now, "/"), readiness) {
            _ if self.robots_under_way || self.tdmrep.is_under_way() => Step::Busy,
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
                if let Some(url) = self.tdmrep_due(now, rules) {
                    return Step::Errand(Errand::Tdmrep(url));
                }
                let sitemap = |entry: &sitemap::Entry| {
                    let url = CanonicalUrl::from_canonical(entry.url.as_str());
                    Errand::Sitemap { url, nesting: entry.depth, attempts: entry.attempts }
                };
                let subrequest = self.subrequests.first().cloned().map(Errand::Subrequest);
                if self.waits_for_session(rules) {
                    return self.log_in_or_wait(now);
                }
                subrequest.or_else(|| self.sitemaps.first().map(sitemap)).map_or(Step::Ask, Step::Errand)
            }
        }
    }

    /// Returns whether robots.txt has failed so often that the URLs that wait for it are dropped.
    fn gives_up_robots(&self, rules: &HostRules) -> bool {
        self.unreachable.is_some() || self.robots.failed_tries() >= rules.robots_tries
    }

    /// Records that the address lookup starts.
    pub fn begin_resolve(&mut self) {
        self.address = Address::Asked;
    }

    /// Records the start of the auxiliary request that [`HostCore::next`] returned.
    pub fn begin_errand(&mut self, errand: &Errand) {
        match errand {
            Errand::Robots(_) => self.robots_under_way = true,
            Errand::Sitemap { .. } => drop(self.sitemaps.take()),
            Errand::Subrequest(_) => self.subrequests.begin(),
            Errand::Tdmrep(_) => self.tdmrep.begin(),
        }
        self.politeness.started();
    }

    /// Returns why `url` may not be fetched, or `None` if it may.
    pub fn refusal(&self, url: &CanonicalUrl, now: Instant, rules: &HostRules) -> Option<Fate> {
        if self.politeness.readiness(now, 0, &rules.politeness) == Readiness::GivenUp {
            return Some(Fate::Failed(Failure::HostGivenUp));
        }
        if self.wait_is_over {
            return Some(Fate::Failed(Failure::WaitOver));
        }
        match self.robots.verdict(now, url.path_and_query()) {
            Verdict::Allowed | Verdict::Unknown => self.refused_use(url, rules),
            Verdict::Disallowed(_) if rules.searches.iter().any(|search| search.is_answer(url.as_str())) => {
                self.refused_use(url, rules)
            }
            Verdict::Disallowed(_) => Some(Fate::Robots(RobotsRefusal::Disallowed)),
            Verdict::Unavailable { .. } => Some(match self.unreachable {
                Some((_, failure)) => Fate::Failed(failure),
                None => Fate::Robots(RobotsRefusal::Unavailable),
            }),
        }
    }

    /// Returns whether politeness allows a request to start now.
    pub fn may_send(&self, now: Instant, rules: &HostRules) -> bool {
        !self.waits_for_session(rules) && self.politeness.readiness(now, 0, &rules.politeness) == Readiness::Ready
    }

    /// Records what the host's pages turned out to be. Returns the end of a pause that begins now.
    pub fn content_reported(&mut self, report: &ContentReport, now: Instant, rules: &HostRules) -> Option<Instant> {
        match report {
            ContentReport::BlockPage => self.politeness.pause_for_block_page(now, &rules.politeness),
            ContentReport::AsAsked => {
                self.politeness.end_block_page();
                None
            }
            ContentReport::SessionLost | ContentReport::SessionFound => {
                self.has_session = matches!(report, ContentReport::SessionFound);
                None
            }
        }
    }

    /// Records the start of a page's request.
    pub fn started(&mut self) {
        self.politeness.started();
    }

    /// Records the end of a page's request and decides whether it is retried. `attempts` includes this request.
    pub fn page_ended(&mut self, exchange: &Exchange, attempts: u8, now: Instant, rules: &HostRules) -> Disposition {
        self.record_end(exchange, now, &rules.politeness);
        let may_pass = match &exchange.result {
            Err(failure) => failure.is_transient(),
            Ok(answer) if answer.truncated == Some(Truncation::Disconnect) => true,
            Ok(answer) => answer.status >= 400 && Failure::Http(answer.status).is_transient(),
        };
        // Once more for the signature, even where nothing is retried otherwise.
        let wants_signature = exchange.signature.is_wanted;
        let attempts_max = rules.retries_max.max(u8::from(wants_signature));
        if (may_pass || wants_signature) && attempts <= attempts_max && self.politeness.grant_retry(&rules.politeness) {
            return Disposition::Retry(self.politeness.paused_until().max(now));
        }
        Disposition::Final
    }

    /// Records that a request was aborted, through no fault of the host. A sitemap is queued again, a sub-request is
    /// not.
    pub fn aborted(&mut self, errand: Option<Errand>, now: Instant, rules: &HostRules) {
        self.politeness.aborted(now, &rules.politeness);
        match errand {
            None => {}
            Some(Errand::Subrequest(wanted)) => drop(self.subrequests.end(&wanted)),
            Some(Errand::Robots(_)) => self.robots_under_way = false,
            Some(Errand::Tdmrep(_)) => self.tdmrep.aborted(),
            Some(Errand::Sitemap { url, nesting, attempts }) => {
                self.sitemaps.put_back(sitemap::Entry { url: url.as_str().to_owned(), depth: nesting, attempts });
            }
        }
    }

    /// Records the end of a robots.txt request with `body` (content coding removed). Returns the result, with the
    /// sitemaps that the file names.
    pub fn robots_ended(&mut self, exchange: &Exchange, body: &[u8], now: Instant, rules: &HostRules) -> RobotsResult {
        self.robots_under_way = false;
        let answer = match &exchange.result {
            Ok(answer) => answer,
            Err(failure) => {
                self.record_end(exchange, now, &rules.politeness);
                return self.robots_unreachable(*failure, now, rules);
            }
        };
        self.unreachable = None;
        self.robots_wants_signature = exchange.signature.is_wanted && !self.robots_wants_signature;
        if self.robots_wants_signature {
            self.record_end(exchange, now, &rules.politeness);
            return RobotsResult::SignatureWanted;
        }
        let location = answer.header(http::header::LOCATION);
        let asked = answer.header(http::header::RETRY_AFTER);
        let retry_after = asked.and_then(|value| retry_after::parse(value, now));
        self.robots.on_reply(Reply::Answered { status: answer.status, location, retry_after, body }, now);
        self.politeness.set_crawl_delay(self.robots.crawl_delay());
        // Only after the crawl delay is set, so that the first request after robots.txt respects it.
        self.record_end(exchange, now, &rules.politeness);
        match self.robots.verdict(now, "/") {
            Verdict::Unknown => RobotsResult::Redirected,
            Verdict::Unavailable { .. } => RobotsResult::Unavailable,
            Verdict::Allowed | Verdict::Disallowed(_) if answer.status >= 300 => RobotsResult::Absent,
            Verdict::Allowed | Verdict::Disallowed(_) => RobotsResult::Rules(self.robots.sitemaps()),
        }
    }

    /// Records that the host could not be reached. It is retried after the usual back-off, like any URL; only when the
    /// retries are used up does robots.txt count as unavailable.
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

    /// Returns whether nothing is in progress and no auxiliary request waits, so that the host's actor may end.
    pub fn is_idle(&self) -> bool {
        self.politeness.in_flight() == 0
            && self.sitemaps.first().is_none()
            && self.subrequests.is_empty()
            && !self.robots_under_way
            && !self.tdmrep.is_under_way()
            && self.address != Address::Asked
    }

    fn record_end(&mut self, exchange: &Exchange, now: Instant, rules: &PolitenessRules) {
        let health = Health::of(exchange, now);
        let Timings { started, first_byte, .. } = exchange.timings;
        let end = RequestEnd { url: exchange.url.fingerprint(), started, first_byte, ended: now };
        self.politeness.ended(end, health, rules, &mut self.rng);
        if matches!(health, Health::Overloaded(_)) {
            self.asked_pause = Some(self.politeness.paused_until());
        }
    }
}

#[cfg(test)]
#[path = "core/signature_tests.rs"]
mod signature_tests;
