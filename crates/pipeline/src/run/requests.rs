//! Requests for pages and auxiliary requests: the network with its counters, and the budgets and permits of auxiliary
//! requests.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::{Semaphore, watch};

use crate::operate::tally::Tally;
use crate::page::visits::{Visits, conditions};
use crate::run::environment::Network;
use crate::run::local_failures::LocalRetry;
use crate::search::searches::Searches;
use harvestman_consent::TDMREP_BYTES_MAX;
use harvestman_core::clock::Clock;
use harvestman_core::config::RobotsOptions;
use harvestman_core::model::{Exchange, Failure, Initiator, Lease, LocalFailure, PolicyRefusal, ScheduledUrl};
use harvestman_core::url::{CanonicalUrl, HostKey};
use harvestman_login::avoided_address;
use harvestman_metrics::Metrics;
use harvestman_stages::fetch::{self, DecodeLimits};
use harvestman_stages::frontier::Allowance;
use harvestman_stages::host::robots::BYTE_LIMIT;
use harvestman_stages::host::{Errand, ErrandEnded, HostReply, HostRequest, RequestPort};

/// The interval at which an auxiliary request that begins while the crawl is paused checks whether the crawl continues.
const PAUSE_CHECK_EVERY: Duration = Duration::from_millis(100);

/// The network and its counters.
pub(crate) struct Fetching {
    pub(crate) network: Arc<dyn Network>,
    pub(crate) robots: Arc<RobotsOptions>,
    /// The searches, whose answers may be of any type.
    pub(crate) searches: Option<Arc<Searches>>,
    pub(crate) decode: DecodeLimits,
    pub(crate) tally: Arc<Tally>,
    pub(crate) metrics: Metrics,
    pub(crate) local: LocalRetry,
}

impl Fetching {
    /// Requests a page, with these additional headers. Returns `None` if the crawl ends before this machine can.
    async fn page(&self, host: &HostKey, item: &ScheduledUrl, headers: HeaderMap) -> Option<Exchange> {
        let page = match &self.searches {
            Some(searches) => searches.request(item),
            None => fetch::Request::page(item.url.clone()),
        };
        let request = fetch::Request { headers, ..page };
        self.counted(host, &request).await
    }

    /// Sends an auxiliary request. Returns the exchange, and the body with its content coding removed; `None` if the
    /// crawl ends before this machine can send it.
    async fn errand(&self, host: &HostKey, errand: &Errand) -> Option<(Exchange, Bytes)> {
        let url = errand.url().clone();
        // A file of the host may redirect to any other.
        let own = || allowed_initiator(&url, Initiator::Origin(host.clone()));
        let side_file = |bytes_max| fetch::Request::of_any_type(url.clone(), bytes_max, own());
        let request = match errand {
            Errand::Robots(_) => side_file(BYTE_LIMIT as u64),
            Errand::Tdmrep(_) => side_file(TDMREP_BYTES_MAX as u64),
            Errand::Sitemap { .. } => side_file(self.robots.sitemap_max_bytes.0),
            Errand::Subrequest(wanted) => {
                let (body, headers, initiator) =
                    (wanted.body().cloned(), wanted.headers().clone(), wanted.initiator().clone());
                let initiator = if wanted.is_of_log_in() { initiator } else { allowed_initiator(&url, initiator) };
                fetch::Request { body, ..fetch::Request::part_of_page(url, headers, initiator) }
            }
        };
        let exchange = self.counted(host, &request).await?;
        let bytes_max =
            request.body_max.map_or(self.decode.bytes_max, |max| usize::try_from(max).unwrap_or(usize::MAX));
        let limits = DecodeLimits { bytes_max, ..self.decode };
        let body = match &exchange.result {
            Ok(answer) => {
                let decoded = fetch::decode_answer(answer, &limits);
                if let Some(error) = decoded.error.as_ref().filter(|_| decoded.is_unreadable()) {
                    tracing::warn!(url = exchange.url.as_str(), %error, "the body of an answer cannot be read");
                }
                decoded.bytes
            }
            Err(_) => Bytes::new(),
        };
        Some((exchange, body))
    }

    /// Returns the address of a host, for the limit of connections per address; `None` if it cannot be resolved: the
    /// fetch will report why.
    async fn address_of(&self, host: &HostKey) -> Option<IpAddr> {
        let found = self.local.run(host, || self.network.address_of(host), lack).await;
        found.and_then(Result::ok).flatten()
    }

    async fn counted(&self, host: &HostKey, request: &fetch::Request) -> Option<Exchange> {
        let metrics = &self.metrics.fetch;
        metrics.stage.received.inc();
        metrics.in_flight.inc();
        let exchange = self.local.run(host, || self.network.fetch(request), |exchange| lack(&exchange.result)).await;
        metrics.in_flight.dec();
        let exchange = exchange?;
        self.tally.count(host, &exchange);
        if let Some(reason) = exchange.signature.reason {
            metrics.signed.by(reason.label()).inc();
        }
        if exchange.signature.is_wanted {
            metrics.signature_wanted.inc();
        }
        let timings = &exchange.timings;
        metrics.duration.by("whole").observe(timings.ended.since(timings.started));
        if let Some(first_byte) = timings.first_byte {
            metrics.duration.by("first_byte").observe(first_byte.since(timings.started));
        }
        match &exchange.result {
            Ok(answer) => {
                metrics.stage.sent.inc();
                metrics.count_status(answer.status);
                metrics.received_bytes.add(answer.body.len() as u64);
                if let Some(why) = answer.truncated {
                    metrics.truncated.by(why.label()).inc();
                }
            }
            Err(failure) => metrics.stage.dropped.by(failure.label()).inc(),
        }
        Some(exchange)
    }
}

/// Returns what this machine lacked for a request, if that is why it failed.
fn lack<T>(result: &Result<T, Failure>) -> Option<LocalFailure> {
    match result {
        Err(Failure::Local(why)) => Some(*why),
        _ => None,
    }
}

/// Aborts all requests in progress, when this node must not send any more.
#[derive(Clone)]
pub(crate) struct RequestAbort(Arc<watch::Sender<u64>>);

impl RequestAbort {
    /// Aborts what is in progress; later requests are not affected.
    pub(crate) fn abort(&self) {
        self.0.send_modify(|aborts| *aborts += 1);
    }
}

impl Default for RequestAbort {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

/// Sends the requests of hosts, each as a task of the runtime.
pub(crate) struct RequestSender {
    fetching: Arc<Fetching>,
    visits: Arc<Visits>,
    allowance: Arc<Allowance>,
    permits: Arc<Semaphore>,
    abort: RequestAbort,
    clock: Clock,
}

impl RequestSender {
    /// Creates a sender of at most `errands_max` auxiliary requests at once.
    pub(crate) fn new(fetching: Fetching, visits: Arc<Visits>, errands_max: usize) -> Self {
        let (allowance, clock) = (Arc::clone(&fetching.local.allowance), fetching.local.clock.clone());
        let permits = Arc::new(Semaphore::new(errands_max));
        Self { fetching: Arc::new(fetching), visits, allowance, permits, abort: RequestAbort::default(), clock }
    }

    /// Aborts the requests in progress.
    pub(crate) const fn abort(&self) -> &RequestAbort {
        &self.abort
    }
}

impl RequestPort for RequestSender {
    fn fetch_page(&self, HostRequest { host, reply_to }: HostRequest, lease: Lease) {
        reply_to.expect_answer();
        let fetching = Arc::clone(&self.fetching);
        let headers = self.visits.before(&lease.item.url).map(|before| conditions(&before)).unwrap_or_default();
        let mut aborts = self.abort.0.subscribe();
        tokio::spawn(async move {
            let exchange = tokio::select! {
                biased;
                exchange = fetching.page(&host, &lease.item, headers) => exchange,
                _ = aborts.changed() => None,
            };
            match exchange {
                Some(exchange) => reply_to.answer(HostReply::PageEnded(lease, exchange)),
                None => reply_to.answer(HostReply::PageAborted(lease)),
            }
        });
    }

    fn begin_errand(&self, for_page: bool) -> bool {
        let now = self.clock.now();
        if for_page { self.allowance.begin_errand_for_page(now) } else { self.allowance.begin_errand(now) }
    }

    fn is_over(&self) -> bool {
        self.allowance.is_over_for_pages(self.clock.now())
    }

    fn run_errand(&self, HostRequest { host, reply_to }: HostRequest, errand: Errand) {
        reply_to.expect_answer();
        let (fetching, permits) = (Arc::clone(&self.fetching), Arc::clone(&self.permits));
        let (allowance, clock) = (Arc::clone(&self.allowance), self.clock.clone());
        let mut aborts = self.abort.0.subscribe();
        tokio::spawn(async move {
            // The semaphore is never closed.
            let Ok(permit) = permits.acquire_owned().await else { return };
            // The crawl may have been paused meanwhile.
            let errands = async {
                match continues(&allowance, &clock).await {
                    true => fetching.errand(&host, &errand).await,
                    false => None,
                }
            };
            let ended = tokio::select! {
                biased;
                ended = errands => ended,
                _ = aborts.changed() => None,
            };
            match ended {
                Some((exchange, body)) => {
                    let ended = ErrandEnded { errand, exchange, body, permit };
                    reply_to.answer(HostReply::ErrandEnded(ended));
                }
                None => reply_to.answer(HostReply::ErrandAborted(errand)),
            }
        });
    }

    fn resolve(&self, HostRequest { host, reply_to }: HostRequest) {
        reply_to.expect_answer();
        let fetching = Arc::clone(&self.fetching);
        tokio::spawn(async move {
            let ip = fetching.address_of(&host).await;
            reply_to.answer(HostReply::Resolved(ip));
        });
    }
}

/// Returns who may count as the one who causes an auxiliary request. What ends a session is requested as by a guest:
/// other sites and authors of pages can name its address.
fn allowed_initiator(url: &CanonicalUrl, initiator: Initiator) -> Initiator {
    let ends_session = avoided_address(url.path_and_query()) == Some(PolicyRefusal::LogOut);
    if ends_session { Initiator::Unknown } else { initiator }
}

/// Waits while the crawl is paused. Returns false if it is stopped meanwhile.
async fn continues(allowance: &Allowance, clock: &Clock) -> bool {
    while allowance.is_paused() {
        if allowance.is_stopped() {
            return false;
        }
        clock.sleep(PAUSE_CHECK_EVERY).await;
    }
    true
}
