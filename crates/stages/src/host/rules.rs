//! The settings that the decisions about hosts depend on, resolved.

use std::time::Duration;

use harvestman_core::config::Config;

/// What the host's decisions depend on besides its own state.
#[derive(Debug, Clone)]
pub struct HostRules {
    /// Politeness.
    pub politeness: PolitenessRules,
    /// Further tries a URL has.
    pub retries_max: u8,
    /// Tries for robots.txt before the URLs that wait for it are let go.
    pub robots_tries: u32,
    /// Least time between two requests to hosts at one address.
    pub delay_per_ip: Duration,
    /// Requests under way at once to one address.
    pub connections_per_ip: u32,
}

impl From<&Config> for HostRules {
    fn from(config: &Config) -> Self {
        let host = &config.host;
        Self {
            politeness: PolitenessRules {
                delay: host.delay.0,
                delay_factor: host.delay_factor,
                delay_max: host.delay_max.0,
                connections: host.connections_per_host,
                backoff_start: host.backoff_start.0,
                backoff_max: host.backoff_max.0,
                retry_after_max: host.retry_after_max.0,
                breaker_failures: host.breaker_failures,
                breaker_pause: host.breaker_pause.0,
                breaker_openings_max: host.breaker_openings_max,
                retry_share: host.retry_share,
            },
            retries_max: host.retries_max,
            robots_tries: config.robots.unavailable_tries,
            delay_per_ip: host.delay_per_ip.0,
            connections_per_ip: host.connections_per_ip,
        }
    }
}

/// The settings that the rules need, resolved.
#[derive(Debug, Clone)]
pub struct PolitenessRules {
    /// Least time between two requests.
    pub delay: Duration,
    /// Adaptive delay: multiple of the usual response time.
    pub delay_factor: f64,
    /// Upper limit of the adaptive delay and of the slowing-down.
    pub delay_max: Duration,
    /// Requests under way at once.
    pub connections: u32,
    /// First back-off.
    pub backoff_start: Duration,
    /// Longest back-off.
    pub backoff_max: Duration,
    /// Longest honoured `Retry-After`.
    pub retry_after_max: Duration,
    /// Failures in a row that open the breaker; those of one URL after its connection was made count once.
    pub breaker_failures: u32,
    /// First pause of the breaker.
    pub breaker_pause: Duration,
    /// Openings after which the host is given up.
    pub breaker_openings_max: u32,
    /// Retry budget as a share of the requests.
    pub retry_share: f64,
}
