//! Politeness, and requests.

use super::super::instrument::{CounterByPair, Gauge, GaugeBy, Histogram, HistogramBy, OTHER};
use super::*;

group! {
    /// Hosts: politeness, robots.txt, back-off.
    pub struct HostMetrics stage "host" {
        received: "URLs leased to hosts.",
        sent: "Requests for pages that were allowed to go out.",
        dropped by HOST_REFUSALS: "Leased URLs that are not requested at all: robots.txt forbids it, or the host was given up, by reason."
    } {
        /// Requests of the crawl itself that went out: robots.txt and sitemaps.
        errands: Counter = "harvestman_host_errands_total";
        /// Leased URLs that were given back at once, because their host had to be left alone just then.
        put_back: Counter = "harvestman_host_put_back_total";
        /// How long a host was left alone, in seconds, counted each time that it has to wait. Waits longer than the delay that was set
        /// come from robots.txt, slow answers or back-off.
        politeness_wait: Histogram = "harvestman_host_politeness_wait_seconds" buckets WAIT_SECONDS;
        /// Answers of robots.txt about URLs, by decision; `unavailable` where it could not be had, which forbids all.
        robots_decisions: CounterBy = "harvestman_host_robots_decisions_total" by "decision" in ROBOTS_DECISIONS;
        /// Fetches of robots.txt, by what came of them: rules, none there (4xx), a server error, no answer.
        robots_fetches: CounterBy = "harvestman_host_robots_fetches_total" by "result" in ROBOTS_RESULTS;
        /// Times that a host was left alone longer than its delay, by cause: an error or 429, too many failures in a row (`breaker`), a
        /// robots.txt that could not be had.
        backoffs: CounterBy = "harvestman_host_backoffs_total" by "cause" in BACKOFF_CAUSES;
        /// Hosts whose robots.txt asks for a longer crawl delay than `robots.crawl_delay_max`, which is used instead. The report
        /// names up to twenty of them.
        crawl_delays_capped: Counter = "harvestman_host_crawl_delays_capped_total";
        /// Requests for pages that failed and will be made once more.
        retries: Counter = "harvestman_host_retries_total";
        /// Hosts that have work now.
        awake: Gauge = "harvestman_host_awake_hosts";
        /// Hosts met so far.
        known: Gauge = "harvestman_host_known_hosts";
        /// Hosts with URLs that are left alone longer than their delay at the moment, by cause. All of them, and the crawl moves nowhere.
        waiting: GaugeBy = "harvestman_host_waiting_hosts" by "cause" in BACKOFF_CAUSES;
        /// Names of hosts that somebody has blocked.
        blocked: Gauge = "harvestman_host_blocked_names";
    }
}

group! {
    /// Requests.
    pub struct FetchMetrics stage "fetch" {
        received: "Requests made, those for robots.txt and sitemaps included, each try counted.",
        sent: "Requests that were answered, whatever the status.",
        dropped by NETWORK_FAILURES: "Requests that got no answer, by reason. Many of one reason mean that the network, a resolver or a server is down."
    } {
        /// Duration of requests in seconds, to the first byte of the answer and to its end.
        duration: HistogramBy = "harvestman_fetch_duration_seconds" by "phase" in PHASES buckets REQUEST_SECONDS;
        /// Bytes of response bodies, as they came over the wire.
        received_bytes: Counter = "harvestman_fetch_received_bytes_total";
        /// Answers by class of status and by status. 429 and 403 mean that servers want less, or nothing, of this crawler.
        responses: CounterByPair = "harvestman_fetch_responses_total" by "class" in STATUS_CLASSES, "status" in STATUSES;
        /// Answers whose body was not read to its end, by reason; `unwanted_type` on purpose.
        truncated: CounterBy = "harvestman_fetch_truncated_total" by "reason" in TRUNCATIONS;
        /// Requests under way.
        in_flight: Gauge = "harvestman_fetch_in_flight_requests";
    }
}

impl FetchMetrics {
    /// Has all statuses that are shown one by one be there from the start.
    pub(crate) fn begin(&mut self) {
        for class in labels::STATUS_CLASSES {
            let of_class = labels::STATUSES.iter().filter(|status| status[..1] == class[..1]);
            self.responses.begin(class, of_class.copied().chain([OTHER]));
        }
    }

    /// Counts an answer's status.
    pub fn count_status(&self, status: u16) {
        let class = match status / 100 {
            1 => "1xx",
            2 => "2xx",
            3 => "3xx",
            4 => "4xx",
            5 => "5xx",
            _ => OTHER,
        };
        let digits = [status / 100 % 10, status / 10 % 10, status % 10].map(|digit| b'0' + digit as u8);
        let text = if status < 1000 { std::str::from_utf8(&digits).unwrap_or(OTHER) } else { OTHER };
        self.responses.by(class, text).inc();
    }
}
