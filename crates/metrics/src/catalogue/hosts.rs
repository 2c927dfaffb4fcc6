//! Politeness, and requests.

use super::super::instrument::{CounterByPair, Gauge, GaugeBy, Histogram, HistogramBy, OTHER};
use super::*;

group! {
    /// Hosts: politeness, robots.txt, back-off.
    pub struct HostMetrics stage "host" {
        received: "URLs leased to hosts.",
        sent: "Requests for pages that were sent.",
        dropped by HOST_REFUSALS: "Leased URLs that are never requested, by reason: robots.txt forbids it, the site refuses the purpose of the crawl, the host was given up or waited for too long, or following it ended sessions."
    } {
        /// Errands sent: the crawl's own requests for robots.txt, tdmrep.json and sitemaps, for the parts of pages that
        /// are rendered (`subrequest`), and those of a log-in (`log_in`).
        errands: CounterBy = "harvestman_host_errands_total" by "kind" in ERRAND_KINDS;
        /// Requests for parts of rendered pages that got no response, by reason: robots.txt forbids it, the host is
        /// blocked or given up, a budget is spent, too many wait, the request failed or was aborted, or the page no
        /// longer waits for it (`withdrawn`).
        subrequests_refused: CounterBy = "harvestman_host_subrequests_refused_total" by "reason" in SUBREQUEST_REFUSALS;
        /// Leased URLs that were returned at once because their host must not be contacted at that moment.
        put_back: Counter = "harvestman_host_put_back_total";
        /// Time that a host was not contacted, in seconds, counted for each wait. Waits longer than the configured
        /// delay come from robots.txt, slow answers or back-off.
        politeness_wait: Histogram = "harvestman_host_politeness_wait_seconds" buckets WAIT_SECONDS;
        /// Decisions of robots.txt about URLs; `unavailable` if it could not be fetched, which forbids all.
        robots_decisions: CounterBy = "harvestman_host_robots_decisions_total" by "decision" in ROBOTS_DECISIONS;
        /// Fetches of robots.txt, by result: rules, none (4xx), a server error, no answer.
        robots_fetches: CounterBy = "harvestman_host_robots_fetches_total" by "result" in ROBOTS_RESULTS;
        /// Pauses of a host longer than its delay, by cause: an error or 429, too many consecutive failures
        /// (`breaker`), an unavailable robots.txt.
        backoffs: CounterBy = "harvestman_host_backoffs_total" by "cause" in BACKOFF_CAUSES;
        /// Hosts whose robots.txt asks for a longer crawl delay than `robots.crawl_delay_max`, which is used instead.
        /// The report names up to twenty of them.
        crawl_delays_capped: Counter = "harvestman_host_crawl_delays_capped_total";
        /// Requests for pages that failed and will be retried.
        retries: Counter = "harvestman_host_retries_total";
        /// Hosts with work.
        awake: Gauge = "harvestman_host_awake_hosts";
        /// Hosts seen so far.
        known: Gauge = "harvestman_host_known_hosts";
        /// Hosts with URLs that are currently paused for longer than their delay, by cause. If it is all of them, the
        /// crawl makes no progress.
        waiting: GaugeBy = "harvestman_host_waiting_hosts" by "cause" in BACKOFF_CAUSES;
        /// Log-ins by the form of the site, by result. Failed ones are repeated a few times; then the host waits.
        log_ins: CounterBy = "harvestman_host_log_ins_total" by "result" in LOG_INS;
        /// Sessions that were lost while the crawl was logged in. Many mean that something that is followed ends them.
        sessions_lost: Counter = "harvestman_host_sessions_lost_total";
        /// Host names blocked by command.
        blocked: Gauge = "harvestman_host_blocked_names";
    }
}

group! {
    /// Requests.
    pub struct FetchMetrics stage "fetch" {
        received: "Requests, including those for robots.txt and sitemaps; each try counts.",
        sent: "Requests that were answered, with any status.",
        dropped by NETWORK_FAILURES: "Requests without an answer, by reason. Many of one reason mean that the network, a resolver or a server is down."
    } {
        /// Duration of requests in seconds, to the first byte of the answer and to its end.
        duration: HistogramBy = "harvestman_fetch_duration_seconds" by "phase" in PHASES buckets REQUEST_SECONDS;
        /// Bytes of response bodies as received.
        received_bytes: Counter = "harvestman_fetch_received_bytes_total";
        /// Answers by class of status and by status. 429 and 403 mean that servers want fewer requests from this
        /// crawler, or none.
        responses: CounterByPair = "harvestman_fetch_responses_total" by "class" in STATUS_CLASSES, "status" in STATUSES;
        /// Answers whose body was not read to its end, by reason; `unwanted_type` is intended.
        truncated: CounterBy = "harvestman_fetch_truncated_total" by "reason" in TRUNCATIONS;
        /// Requests in progress.
        in_flight: Gauge = "harvestman_fetch_in_flight_requests";
        /// Attempts at requests that failed because of this machine, by what it lacked: open files (`descriptors`),
        /// local `ports`, `memory`, `name_servers` that answer, the `proxy`. They are made again and are no failures of
        /// hosts; while they go on, the crawl waits.
        local_failures: CounterBy = "harvestman_fetch_local_failures_total" by "reason" in LOCAL_FAILURES;
        /// Signed requests, by reason: because all are signed, or because the host asks for signatures.
        signed: CounterBy = "harvestman_fetch_signed_total" by "reason" in SIGN_REASONS;
        /// Answers that refused a request and asked for a signature that it did not have. Each costs a further request;
        /// many of them while requests are signed mean that hosts want other signatures each time.
        signature_wanted: Counter = "harvestman_fetch_signature_wanted_total";
    }
}

impl FetchMetrics {
    /// Creates the series of all statuses that are shown individually at the start.
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
