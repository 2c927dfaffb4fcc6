//! Requests of pages and errands: the network, with what is counted around it.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;

use super::environment::Network;
use super::tally::Tally;
use harvestman_core::config::RobotsOptions;
use harvestman_core::model::Exchange;
use harvestman_core::url::{CanonicalUrl, HostKey};
use harvestman_metrics::Metrics;
use harvestman_stages::fetch::{self, DecodeLimits};
use harvestman_stages::host::Errand;

/// The network and the counters around it.
pub(super) struct Fetching {
    pub(super) network: Arc<dyn Network>,
    pub(super) robots: Arc<RobotsOptions>,
    pub(super) decode: DecodeLimits,
    pub(super) tally: Tally,
    pub(super) metrics: Metrics,
}

impl Fetching {
    /// Requests a page, with these headers besides the usual ones.
    pub(super) async fn page(&self, host: &HostKey, url: &CanonicalUrl, headers: HeaderMap) -> Exchange {
        let request = fetch::Request { headers, ..fetch::Request::page(url.clone()) };
        self.counted(host, self.network.fetch(&request)).await
    }

    /// Requests what an errand asks for. Returns the answer's body with its content coding removed besides.
    pub(super) async fn errand(&self, host: &HostKey, errand: &Errand) -> (Exchange, Bytes) {
        let body_max = match errand {
            Errand::Robots(_) => self.robots.max_bytes.0,
            Errand::Sitemap { .. } => self.robots.sitemap_max_bytes.0,
        };
        let request = fetch::Request::of_any_type(errand.url().clone(), body_max);
        let exchange = self.counted(host, self.network.fetch(&request)).await;
        let body = match &exchange.result {
            Ok(answer) => {
                let bytes_max = usize::try_from(body_max).unwrap_or(usize::MAX);
                let limits = DecodeLimits { bytes_max, ..self.decode };
                fetch::decode_answer(answer, &limits).bytes
            }
            Err(_) => Bytes::new(),
        };
        (exchange, body)
    }

    /// The address of a host, for the connections per address; none where it cannot be had: the fetch will say why.
    pub(super) async fn address_of(&self, host: &HostKey) -> Option<IpAddr> {
        self.network.address_of(host).await.ok().flatten()
    }

    async fn counted(&self, host: &HostKey, request: impl Future<Output = Exchange>) -> Exchange {
        let metrics = &self.metrics.fetch;
        metrics.stage.received.inc();
        metrics.in_flight.inc();
        let exchange = request.await;
        metrics.in_flight.dec();
        self.tally.count(host, &exchange);
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
        exchange
    }
}
