//! The simulated network: requests take time, some fail, and the servers log what they receive.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::IF_NONE_MATCH;
use http::{HeaderMap, HeaderValue};
use parking_lot::Mutex;
use rand::Rng as _;

use super::web::Web;
use crate::run::environment::{Later, Network};
use harvestman_core::clock::{Clock, Instant};
use harvestman_core::model::{Answer, Exchange, Failure, RequestSignature, Timings};
use harvestman_core::seed::Rng;
use harvestman_core::url::HostKey;
use harvestman_stages::fetch::Request;

/// The maximum number of failures of one URL, over all runs: fewer than it has tries.
const FAULTS_PER_URL: u32 = 2;
/// The maximum number of failures of one host: fewer than its retry budget allows in any case.
const FAULTS_PER_HOST: u32 = 8;

/// A request as the server received it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Met {
    pub(super) url: String,
    pub(super) started: Instant,
    /// When the first byte of the answer arrived; `None` if none did.
    pub(super) first_byte: Option<Instant>,
    /// Whether it was answered correctly.
    pub(super) answered: bool,
}

/// All servers, over all runs of a crawl.
pub(super) struct Servers {
    pub(super) web: Web,
    log: Mutex<Vec<Met>>,
    faults: Mutex<BTreeMap<String, u32>>,
    /// The chance that a request fails.
    pub(super) fault_rate: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Refused,
    /// The server did its work, and its answer was lost.
    Lost,
    Silent,
    Overloaded,
    Broken,
}

impl Servers {
    pub(super) fn new(web: Web, fault_rate: f64) -> Self {
        Self { web, log: Mutex::default(), faults: Mutex::default(), fault_rate }
    }

    /// Returns what was requested, in this order.
    pub(super) fn log(&self) -> Vec<Met> {
        self.log.lock().clone()
    }

    fn fault(&self, url: &str, host: &str, rng: &mut Rng) -> Option<Fault> {
        let fails = rng.random_bool(self.fault_rate);
        let which = rng.random_range(0..5);
        let mut faults = self.faults.lock();
        let count = |faults: &BTreeMap<String, u32>, key: &str| faults.get(key).copied().unwrap_or_default();
        if !fails || count(&faults, url) >= FAULTS_PER_URL || count(&faults, host) >= FAULTS_PER_HOST {
            return None;
        }
        *faults.entry(url.to_owned()).or_default() += 1;
        *faults.entry(host.to_owned()).or_default() += 1;
        Some([Fault::Refused, Fault::Lost, Fault::Silent, Fault::Overloaded, Fault::Broken][which])
    }
}

/// The network of one run.
pub(super) struct SimulatedNetwork {
    pub(super) servers: Arc<Servers>,
    pub(super) clock: Clock,
    pub(super) rng: Mutex<Rng>,
    /// The maximum latency of usual answers.
    pub(super) latency_max: Duration,
}

impl SimulatedNetwork {
    async fn exchange(&self, request: &Request) -> Exchange {
        let url = request.url.as_str();
        let (latency, transfer, fault) = {
            let mut rng = self.rng.lock();
            let latency = self.latency_max.mul_f64(rng.random::<f64>());
            let fault = self.servers.fault(url, request.url.host_key().as_str(), &mut rng);
            (latency, self.latency_max.mul_f64(rng.random::<f64>() / 4.0), fault)
        };
        let started = self.clock.now();
        let met = self.meet(url, started);
        let wait = if fault == Some(Fault::Silent) { Duration::from_secs(20) } else { latency };
        tokio::time::sleep(wait).await;
        let result = self.result(request, fault);
        let first_byte = result.is_ok().then(|| self.clock.now());
        if let Some(met) = self.servers.log.lock().get_mut(met) {
            met.first_byte = first_byte;
            met.answered = fault.is_none();
        }
        tokio::time::sleep(transfer).await;
        let timings = Timings { started, first_byte, ended: self.clock.now() };
        Exchange {
            url: request.url.clone(),
            request_headers: HeaderMap::new(),
            signature: RequestSignature::default(),
            result,
            timings,
        }
    }

    fn meet(&self, url: &str, started: Instant) -> usize {
        let mut log = self.servers.log.lock();
        log.push(Met { url: url.to_owned(), started, first_byte: None, answered: false });
        log.len() - 1
    }

    fn result(&self, request: &Request, fault: Option<Fault>) -> Result<Answer, Failure> {
        let (status, headers, body) = match fault {
            Some(Fault::Refused) => return Err(Failure::Connect),
            Some(Fault::Lost) => return Err(Failure::Disconnected),
            Some(Fault::Silent) => return Err(Failure::FirstByteTimeout),
            Some(Fault::Overloaded) => (503, vec![("retry-after", "7".to_owned())], String::new()),
            Some(Fault::Broken) => (500, Vec::new(), "broken".to_owned()),
            None => self.servers.web.answer(request.url.as_str()),
        };
        let same = |value: &HeaderValue| headers.iter().any(|(name, tag)| *name == "etag" && value == tag.as_str());
        let (status, body) =
            if request.headers.get(IF_NONE_MATCH).is_some_and(same) { (304, String::new()) } else { (status, body) };
        let named =
            headers.into_iter().map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
        Ok(Answer {
            status,
            version: http::Version::HTTP_11,
            headers: named.collect(),
            body: Bytes::from(body),
            truncated: None,
            remote: Some(address(&request.url.host_key())),
            reservation: None,
        })
    }
}

/// Returns the address of a host. Every two hosts share one.
fn address(host: &HostKey) -> IpAddr {
    let number: u8 =
        host.host().trim_start_matches('h').split('.').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1 + number / 2))
}

impl Network for SimulatedNetwork {
    fn fetch<'a>(&'a self, request: &'a Request) -> Later<'a, Exchange> {
        Box::pin(self.exchange(request))
    }

    fn address_of<'a>(&'a self, host: &'a HostKey) -> Later<'a, Result<Option<IpAddr>, Failure>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(3)).await;
            Ok(Some(address(host)))
        })
    }
}
