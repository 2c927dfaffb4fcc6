//! Settings of politeness: what a host is spared.

use super::Period;

crate::options! {
    /// Politeness: how a host is treated.
    pub struct HostOptions in "host" {
        /// Least time between two requests to a host, counted from the first byte of the answer before. With a delay,
        /// requests to a host go one after the other; `0` allows `connections_per_host` at once.
        [live] delay: Period = Period::secs(1),
        /// Adaptive delay: at least this many times the host's usual response time. A slow host is asked less often. `0`
        /// switches it off, and so does a `delay` of `0`.
        [live] delay_factor: f64 = 1.0,
        /// Longest delay that the adaptive delay and the slowing-down after 429 may reach.
        [live] delay_max: Period = Period::secs(30),
        /// Requests under way at once to one host (scheme, name and port).
        [live] connections_per_host: u32 = 1,
        /// Requests under way at once to one IP address, over all hosts that live there; in a fleet, from each machine.
        connections_per_ip: u32 = 4,
        /// Least time between two requests to hosts that share one IP address, counted as `delay` is: with it, requests to an
        /// address go one after the other. It spares a machine that serves many hosts. In a fleet each machine keeps it for itself,
        /// and what must hold for all is a group. `0`: none.
        [live] delay_per_ip: Period = Period::secs(0),
        /// Groups of hosts that are treated as one server, as large sites spread over many names. Each entry is one group: hosts
        /// with spaces between them, each as `example.org` (any port), `example.org:8080` or `*.example.org` (all names below, not
        /// itself). Over all hosts of a group at most `connections_per_host` requests are under way, and each keeps the delay
        /// after the answer before it, of whichever host of the group that was; the longest that one of the hosts in use has
        /// holds for all of them. A host of the group that answers with 429 or 503 pauses the others too. In a fleet one node
        /// crawls the whole group.
        groups: Vec<String> = Vec::new(),
        /// Further tries for a URL after a failure that may pass (time-out, broken connection, 429, 5xx).
        [live] retries_max: u8 = 3,
        /// Retry budget of a host: further tries may be at most this share of its requests (ten are always allowed).
        [live] retry_share: f64 = 0.2,
        /// First pause of a host after a failure or an answer of 429 or 503; it doubles with each further one in a row.
        [live] backoff_start: Period = Period::secs(1),
        /// Longest such pause.
        [live] backoff_max: Period = Period::secs(300),
        /// Longest `Retry-After` that is honoured; a longer one is cut to this.
        [live] retry_after_max: Period = Period::secs(3600),
        /// Failures in a row after which a host is not contacted for `breaker_pause` (circuit breaker): it cannot be reached, does
        /// not answer, or its answers are broken. Failures of one URL after its connection was made count once, and a healthy
        /// answer closes the breaker.
        [live] breaker_failures: u32 = 5,
        /// How long a host is left alone when the breaker opens; it doubles each time.
        [live] breaker_pause: Period = Period::secs(60),
        /// Times the breaker may open before the host is given up and its URLs fail with `host_given_up`.
        [live] breaker_openings_max: u32 = 3,
        /// A host without work for this long is put to sleep: its actor ends, its clocks are kept.
        sleep_after: Period = Period::secs(30),
    }
}
