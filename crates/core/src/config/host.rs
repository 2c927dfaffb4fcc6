//! Settings of politeness.

use super::Period;

crate::options! {
    /// Politeness: the limits on requests to a host.
    pub struct HostOptions in "host" {
        /// Minimum time between two requests to a host, counted from the first byte of the previous answer. With a
        /// delay, requests to a host are sent one after the other; `0` allows `connections_per_host` at once.
        [live] delay: Period = Period::secs(1),
        /// Adaptive delay: at least this many times the host's usual response time, so that a slow host gets fewer
        /// requests. `0` disables it, as does a `delay` of `0`.
        [live] delay_factor: f64 = 1.0,
        /// Maximum delay that the adaptive delay and the slowdown after an answer of 429 may reach.
        [live] delay_max: Period = Period::secs(30),
        /// Maximum number of concurrent requests to one host (scheme, name and port).
        [live] connections_per_host: u32 = 1,
        /// Maximum number of concurrent requests to one IP address, over all hosts at that address; in a fleet, from
        /// each machine.
        connections_per_ip: u32 = 4,
        /// Minimum time between two requests to hosts that share one IP address, counted as `delay` is: with it,
        /// requests to an address are sent one after the other. It protects a machine that serves many hosts. In a
        /// fleet each machine applies it by itself; a group applies to all machines. `0`: none.
        [live] delay_per_ip: Period = Period::secs(0),
        /// Groups of hosts that are treated as one server, for sites that are spread over many names. Each entry is one
        /// group: hosts separated by spaces, each as `example.org` (any port), `example.org:8080` or `*.example.org`
        /// (all names below, not itself). At most `connections_per_host` requests are in progress over all hosts of a
        /// group, and each request observes the delay after the previous answer from any host of the group; the longest
        /// delay of a host in use applies to all of them. A host of the group that answers with 429 or 503 pauses the
        /// others too. In a fleet one node crawls the whole group.
        groups: Vec<String> = Vec::new(),
        /// Maximum number of retries of a URL after a transient failure (timeout, broken connection, 429, 5xx). All
        /// retries together are at most a fifth of a host's requests (ten are always allowed).
        [live] retries_max: u8 = 3,
        /// First pause of a host after a failure or an answer of 429 or 503; it doubles with each further one in a row.
        [live] backoff_start: Period = Period::secs(1),
        /// Maximum length of such a pause.
        [live] backoff_max: Period = Period::secs(300),
        /// Maximum `Retry-After` that is honoured; a longer one is reduced to this.
        [live] retry_after_max: Period = Period::secs(3600),
        /// Number of consecutive failures after which a host is not contacted for `breaker_pause` (circuit breaker): it
        /// is unreachable, does not answer, or its answers are broken. Failures of one URL after its connection was
        /// established count once, and a healthy answer closes the breaker.
        [live] breaker_failures: u32 = 5,
        /// How long a host is not contacted when the breaker opens; the time doubles with each opening. After three
        /// openings the host is given up, and its URLs fail with `host_given_up`.
        [live] breaker_pause: Period = Period::secs(60),
        /// How long a host is not contacted that sends a block page: a challenge, a log-in wall or a refusal in place
        /// of the pages that are asked for, several times in a row. The time doubles with each further pause, to an
        /// hour at most; the URLs wait. After eight pauses in a row the host is given up, and its URLs fail with
        /// `host_given_up`.
        [live] block_pause: Period = Period::secs(60),
    }
}
