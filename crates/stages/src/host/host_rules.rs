//! The resolved settings on which decisions about hosts depend, and limits that no operator needs to turn.

use std::sync::Arc;
use std::time::Duration;

use harvestman_consent::{ConsentRules, TdmrepLimits};
use harvestman_core::config::Config;
use harvestman_core::url::{Canonicaliser, HostKey, SearchTemplate};

/// The settings on which a host's decisions depend, besides its own state.
#[derive(Debug, Clone)]
pub struct HostRules {
    /// Politeness.
    pub politeness: PolitenessRules,
    /// Maximum number of retries of a URL.
    pub retries_max: u8,
    /// Attempts for robots.txt before the URLs that wait for it are dropped.
    pub robots_tries: u32,
    /// Minimum time between two requests to hosts at one address.
    pub delay_per_ip: Duration,
    /// Maximum number of concurrent requests to one address.
    pub connections_per_ip: u32,
    /// Searches that a user named: robots.txt is not asked about them.
    pub searches: Arc<[SearchTemplate]>,
    /// The host where the crawl is logged in, if it logs in.
    pub session_host: Option<HostKey>,
    /// What is done with statements about the use of content.
    pub consent: ConsentRules,
    /// How much of a tdmrep.json is read.
    pub tdmrep: TdmrepLimits,
}

impl From<&Config> for HostRules {
    fn from(config: &Config) -> Self {
        Self::within(config, HostLimits::default())
    }
}

impl HostRules {
    /// Returns the rules of these settings and limits.
    pub fn within(config: &Config, limits: HostLimits) -> Self {
        let host = &config.host;
        Self {
            politeness: PolitenessRules {
                delay: host.delay.0,
                delay_factor: host.delay_factor,
                delay_max: host.delay_max.0,
                // What ends a session is found only if one request follows the other.
                connections: if config.login.is_on() { 1 } else { host.connections_per_host },
                backoff_start: host.backoff_start.0,
                backoff_max: host.backoff_max.0,
                retry_after_max: host.retry_after_max.0,
                breaker_failures: host.breaker_failures,
                breaker_pause: host.breaker_pause.0,
                breaker_openings_max: limits.breaker_openings_max,
                block_pause: host.block_pause.0,
                block_pauses_max: limits.block_pauses_max,
                retry_share: limits.retry_share,
            },
            retries_max: host.retries_max,
            robots_tries: config.robots.unavailable_tries,
            delay_per_ip: host.delay_per_ip.0,
            connections_per_ip: host.connections_per_ip,
            searches: searches(config),
            session_host: config.check_page().map(|page| page.host_key()),
            consent: ConsentRules::from(config),
            tdmrep: TdmrepLimits::default(),
        }
    }
}

/// Returns the searches of the settings, as far as they are valid.
fn searches(config: &Config) -> Arc<[SearchTemplate]> {
    let Ok(canonicaliser) = Canonicaliser::new(&config.url) else { return Arc::default() };
    config.search.named().filter_map(|text| SearchTemplate::parse(&text, &canonicaliser).ok()).collect()
}

/// The resolved settings of politeness.
#[derive(Debug, Clone)]
pub struct PolitenessRules {
    /// Minimum time between two requests.
    pub delay: Duration,
    /// Factor of the adaptive delay: a multiple of the usual response time.
    pub delay_factor: f64,
    /// Maximum of the adaptive delay and of the slowdown after 429 and 503.
    pub delay_max: Duration,
    /// Maximum number of concurrent requests.
    pub connections: u32,
    /// Initial back-off.
    pub backoff_start: Duration,
    /// Maximum back-off.
    pub backoff_max: Duration,
    /// Maximum `Retry-After` that is honoured.
    pub retry_after_max: Duration,
    /// Consecutive failures that open the breaker. Failures of one URL after its connection was made count once.
    pub breaker_failures: u32,
    /// Initial pause of the breaker.
    pub breaker_pause: Duration,
    /// Number of openings of the breaker after which the host is given up.
    pub breaker_openings_max: u32,
    /// Initial pause of a host that sends block pages.
    pub block_pause: Duration,
    /// Number of such pauses after which the host is given up.
    pub block_pauses_max: u32,
    /// Retry budget as a share of the requests.
    pub retry_share: f64,
}

/// Limits on hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostLimits {
    /// Idle time after which a host's actor ends; its politeness state is retained. Longer than the usual delays, so
    /// that a host that is crawled stays awake, and short enough that those that are done take no memory.
    pub sleep_after: Duration,
    /// Number of times the circuit breaker may open before the host is given up: with pauses that double, some minutes
    /// of silence.
    pub breaker_openings_max: u32,
    /// Number of pauses in a row for block pages after which the host is given up: with pauses that double, some hours
    /// in which the site did not let the crawl in.
    pub block_pauses_max: u32,
    /// Retry budget of a host: retries may be at most this share of its requests (ten are always allowed). Where every
    /// fifth request fails, retrying more of them only adds to the load.
    pub retry_share: f64,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self { sleep_after: Duration::from_secs(30), breaker_openings_max: 3, block_pauses_max: 8, retry_share: 0.2 }
    }
}
