//! Requests that fail because of this machine: they are made again until they get through or the crawl ends, and the
//! operator is told. No host is blamed, and no retry of a URL is spent.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::run::environment::Later;
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::{HostOwnership, LocalFailure};
use harvestman_core::url::HostKey;
use harvestman_metrics::Metrics;
use harvestman_stages::frontier::Allowance;

/// The first pause before a request is made again; it doubles with each further one.
const PAUSE_START: Duration = Duration::from_millis(250);
/// The longest such pause. What returns is noticed so soon.
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// How often a request that waits checks whether the crawl ends.
const END_CHECK_EVERY: Duration = Duration::from_millis(100);
/// The interval at which the same failure is logged at most, as thousands of requests may meet it.
const LOGGED_EVERY: Duration = Duration::from_secs(60);

/// One failure of this machine.
#[derive(Debug, Clone, Copy, Default)]
struct Outage {
    /// Requests that wait for its end.
    waiting: u64,
    /// When the first of them began to wait.
    since: Option<Instant>,
    /// When it was last logged.
    logged: Option<Instant>,
}

impl Outage {
    /// Records that a request begins to wait. Returns whether that is to be logged.
    fn begin(&mut self, now: Instant) -> bool {
        self.waiting += 1;
        self.since.get_or_insert(now);
        let is_logged = self.logged.is_some_and(|logged| now.since(logged) < LOGGED_EVERY);
        if !is_logged {
            self.logged = Some(now);
        }
        !is_logged
    }

    /// Records that a request waits no longer. Returns how long the outage lasted if that is its end and its beginning
    /// was logged.
    fn end(&mut self, now: Instant) -> Option<Duration> {
        self.waiting = self.waiting.saturating_sub(1);
        let since = self.since.filter(|_| self.waiting == 0)?;
        self.since = None;
        self.logged.filter(|logged| *logged >= since).map(|_| now.since(since))
    }
}

/// The failures of this machine that requests wait for now.
#[derive(Debug, Default)]
pub(crate) struct Outages(Mutex<[Outage; LocalFailure::ALL.len()]>);

impl Outages {
    /// Describes the failure that most requests wait for, if there is one.
    pub(crate) fn now(&self, now: Instant) -> Option<String> {
        let outages = self.0.lock();
        let open = LocalFailure::ALL.into_iter().zip(outages.iter()).filter(|(_, outage)| outage.waiting > 0);
        let (why, outage) = open.max_by_key(|(_, outage)| outage.waiting)?;
        let seconds = outage.since.map_or(0, |since| now.since(since).as_secs());
        let waiting = outage.waiting;
        Some(format!(
            "{}; {waiting} requests wait, for {seconds} s so far, and no host is given up for it",
            why.meaning()
        ))
    }
}

/// Makes requests again that failed because of this machine.
pub(crate) struct LocalRetry {
    pub(crate) outages: Arc<Outages>,
    pub(crate) allowance: Arc<Allowance>,
    /// The hosts that this node may contact: it waits for no others, or it could not hand them over.
    pub(crate) ownership: Arc<dyn HostOwnership>,
    pub(crate) clock: Clock,
    pub(crate) metrics: Metrics,
}

impl LocalRetry {
    /// Returns the result of the first attempt at `host` that does not fail because of this machine (`lack`), or `None`
    /// if before that the crawl ends, or the host becomes another node's.
    pub(crate) async fn run<'a, T>(
        &self,
        host: &HostKey,
        attempt: impl Fn() -> Later<'a, T>,
        lack: fn(&T) -> Option<LocalFailure>,
    ) -> Option<T> {
        let mut waiting: Option<Waiting<'_>> = None;
        for tries in 0_u32.. {
            let result = attempt().await;
            let Some(why) = lack(&result) else { return Some(result) };
            self.metrics.fetch.local_failures.by(why.label()).inc();
            if waiting.as_ref().is_none_or(|waiting| waiting.why != why) {
                waiting = Some(self.begin(why));
            }
            if !self.pause(host, pause(tries)).await {
                break;
            }
        }
        None
    }

    fn begin(&self, why: LocalFailure) -> Waiting<'_> {
        if self.outages.0.lock()[why as usize].begin(self.clock.now()) {
            tracing::warn!("{}; requests wait for it, and no host is given up for it", why.meaning());
        }
        Waiting { of: self, why }
    }

    /// Waits. Returns false if there is nothing to wait for any more.
    async fn pause(&self, host: &HostKey, time: Duration) -> bool {
        let until = self.clock.now() + time;
        loop {
            let now = self.clock.now();
            if self.allowance.is_over(now) || !self.ownership.may_fetch(host, now) {
                return false;
            }
            if now >= until {
                return true;
            }
            self.clock.sleep(until.since(now).min(END_CHECK_EVERY)).await;
        }
    }
}

/// A request that waits, until it is dropped.
struct Waiting<'a> {
    of: &'a LocalRetry,
    why: LocalFailure,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let ended = self.of.outages.0.lock()[self.why as usize].end(self.of.clock.now());
        if let Some(lasted) = ended {
            tracing::info!(
                failure = self.why.label(),
                seconds = lasted.as_secs(),
                "requests no longer wait for this machine"
            );
        }
    }
}

/// Returns the pause after this many failed attempts before the last one.
fn pause(tries: u32) -> Duration {
    PAUSE_START.saturating_mul(1_u32.checked_shl(tries).unwrap_or(u32::MAX)).min(PAUSE_MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use harvestman_core::model::{ScheduledUrl, SingleNode};
    use harvestman_core::url::Fingerprint;
    use harvestman_stages::frontier::Budgets;

    /// A node that holds nothing any more.
    struct Leaving;

    impl HostOwnership for Leaving {
        fn holds(&self, _: &str) -> bool {
            false
        }

        fn may_fetch(&self, _: &HostKey, _: Instant) -> bool {
            false
        }

        fn record_handover(&self, _: Fingerprint) -> bool {
            false
        }

        fn allow_return(&self, _: &ScheduledUrl) {}
    }

    fn host() -> HostKey {
        HostKey::from_origin("http://a.test")
    }

    fn at(seconds: u64) -> Instant {
        Instant::from_micros(seconds * 1_000_000)
    }

    fn retry(budgets: Budgets) -> LocalRetry {
        let allowance = Arc::new(Allowance::new(budgets, Arc::default()));
        let (ownership, clock) = (SingleNode::shared(), Clock::system());
        LocalRetry { outages: Arc::default(), allowance, ownership, clock, metrics: Metrics::new() }
    }

    #[test]
    fn an_outage_is_logged_once_however_many_requests_meet_it() {
        let mut outage = Outage::default();
        let logged = (0..1_000).filter(|n| outage.begin(at(n / 100))).count();
        assert_eq!(logged, 1);
        assert!(outage.begin(at(70)), "it lasts: said again");
        let ends: Vec<_> = (0..1_001).filter_map(|_| outage.end(at(80))).collect();
        assert_eq!(ends, [Duration::from_secs(80)]);
        assert!(!outage.begin(at(81)) && outage.end(at(82)).is_none(), "one that comes and goes is not said again");
    }

    #[test]
    fn pauses_become_longer_and_are_bounded() {
        assert_eq!([0, 1, 2].map(pause), [250, 500, 1_000].map(Duration::from_millis));
        assert_eq!(pause(40), PAUSE_MAX);
    }

    #[tokio::test]
    async fn a_request_is_made_again_until_this_machine_allows_it() {
        let retry = retry(Budgets::default());
        let tries = AtomicU32::new(0);
        let attempt = || -> Later<'_, Result<(), LocalFailure>> {
            let (tries, outages) = (&tries, Arc::clone(&retry.outages));
            Box::pin(async move {
                let made = tries.fetch_add(1, Ordering::Relaxed);
                assert_eq!(outages.now(at(0)).is_some(), made > 0, "the operator sees it while it lasts");
                if made < 2 { Err(LocalFailure::Proxy) } else { Ok(()) }
            })
        };
        let result = retry.run(&host(), attempt, |result| result.err()).await;
        assert_eq!((result, tries.load(Ordering::Relaxed)), (Some(Ok(())), 3));
        assert_eq!(retry.outages.now(at(0)), None);
        assert!(retry.metrics.encode().contains("harvestman_fetch_local_failures_total{reason=\"proxy\"} 2\n"));
    }

    #[tokio::test]
    async fn a_request_waits_no_longer_than_the_crawl_may_take() {
        let retry = retry(Budgets { until: Some(Instant::EPOCH), ..Budgets::default() });
        let attempt = || -> Later<'_, Result<(), LocalFailure>> { Box::pin(async { Err(LocalFailure::NameServers) }) };
        assert_eq!(retry.run(&host(), attempt, |result| result.err()).await, None);
        assert_eq!(retry.outages.now(at(0)), None);
    }

    #[tokio::test]
    async fn a_host_that_this_node_hands_over_is_not_waited_for() {
        let retry = LocalRetry { ownership: Arc::new(Leaving), ..retry(Budgets::default()) };
        let attempt = || -> Later<'_, Result<(), LocalFailure>> { Box::pin(async { Err(LocalFailure::Proxy) }) };
        assert_eq!(retry.run(&host(), attempt, |result| result.err()).await, None);
    }
}
