//! Hosts with restrictions: blocked hosts, to which nothing is sent and whose URLs wait, and hosts whose `Crawl-delay`
//! exceeds the longest that the crawl honours.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use harvestman_core::url::HostKey;

/// Maximum number of blocked hosts.
pub const BLOCKED_MAX: usize = 10_000;

/// A host as given by a user: `http://example.org:8080`, or `example.org` for both http and https.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(Box<str>);

/// A text that is not a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host: expected example.org, example.org:8080 or https://example.org")]
pub struct NotAHost(String);

impl HostName {
    /// Returns whether it refers to this host.
    pub fn means(&self, host: &HostKey) -> bool {
        *self.0 == *host.as_str() || *self.0 == *without_scheme(host.as_str())
    }
}

impl FromStr for HostName {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let wrong = || NotAHost(text.to_owned());
        let named = text.trim();
        let with_scheme = named.contains("://");
        let written = if with_scheme { named.to_owned() } else { format!("http://{named}") };
        let url = url::Url::parse(&written).map_err(|_| wrong())?;
        let plain = matches!(url.scheme(), "http" | "https")
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        let origin = url.origin().ascii_serialization();
        let name = if with_scheme { origin.as_str() } else { without_scheme(&origin) };
        (plain && url.has_host()).then(|| Self(name.into())).ok_or_else(wrong)
    }
}

fn without_scheme(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for HostName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HostName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The blocked hosts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedHosts(pub BTreeSet<HostName>);

impl BlockedHosts {
    /// Returns whether this host is blocked. Costs two look-ups.
    pub fn contains(&self, host: &HostKey) -> bool {
        let has = |name: &str| self.0.contains(&HostName(name.into()));
        !self.0.is_empty() && (has(host.as_str()) || has(without_scheme(host.as_str())))
    }
}

/// Maximum number of hosts that are listed.
pub const CAPPED_DELAYS_MAX: usize = 20;

/// A host whose `Crawl-delay` is capped.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CappedDelay {
    /// Scheme and authority.
    pub host: String,
    /// The `Crawl-delay` of its robots.txt, in seconds.
    pub asked_seconds: f64,
    /// The delay used in its place, in seconds.
    pub used_seconds: f64,
}

impl CappedDelay {
    /// Creates the record of a host that asked for one delay and is given another.
    pub fn new(host: &HostKey, asked: Duration, used: Duration) -> Self {
        Self { host: host.to_string(), asked_seconds: asked.as_secs_f64(), used_seconds: used.as_secs_f64() }
    }
}

/// The number of hosts whose `Crawl-delay` is capped, and those that asked for the longest.
#[derive(Debug, Default)]
pub struct CappedDelays(Mutex<Capped>);

#[derive(Debug, Default)]
struct Capped {
    hosts: u64,
    /// Longest delay first, then by name; at most [`CAPPED_DELAYS_MAX`].
    longest: Vec<CappedDelay>,
}

impl CappedDelays {
    /// Adds a host. Each host must be added only once.
    pub fn add(&self, capped: CappedDelay) {
        let mut known = self.0.lock();
        known.hosts += 1;
        let at = known.longest.partition_point(|other| {
            let by_delay = capped.asked_seconds.total_cmp(&other.asked_seconds);
            by_delay.then_with(|| other.host.cmp(&capped.host)).is_lt()
        });
        known.longest.insert(at, capped);
        known.longest.truncate(CAPPED_DELAYS_MAX);
    }

    /// Returns the number of hosts added, and the [`CAPPED_DELAYS_MAX`] that asked for the longest delays, longest
    /// first.
    pub fn get(&self) -> (u64, Vec<CappedDelay>) {
        let known = self.0.lock();
        (known.hosts, known.longest.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> HostName {
        name.parse().unwrap()
    }

    #[test]
    fn a_host_is_given_with_its_scheme_or_for_both_schemes() {
        let blocked = BlockedHosts([host("A.test"), host("https://b.test:444/"), host("c.test:81")].into());
        let is_blocked = |origin: &str| blocked.contains(&HostKey::from_origin(origin));
        for origin in ["http://a.test", "https://a.test", "https://b.test:444", "http://c.test:81"] {
            assert!(is_blocked(origin), "{origin}");
            assert!(blocked.0.iter().any(|name| name.means(&HostKey::from_origin(origin))), "{origin}");
        }
        for origin in ["http://b.test:444", "http://c.test", "http://a.test:81", "http://x.a.test"] {
            assert!(!is_blocked(origin), "{origin}");
        }
        assert!(!BlockedHosts::default().contains(&HostKey::from_origin("http://a.test")));
    }

    #[test]
    fn the_default_port_is_omitted_and_names_are_in_lower_case() {
        assert_eq!(host("http://A.test:80").to_string(), "http://a.test");
        assert_eq!(host("[::1]:81").to_string(), "[::1]:81");
        assert_eq!(host(&host("https://a.test").to_string()), host("https://a.test"));
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in ["", "http://", "a b", "http://a.test/path", "ftp://a.test", "a.test?x", "me@a.test", "a.test:x"] {
            assert!(text.parse::<HostName>().is_err(), "{text}");
        }
    }

    #[test]
    fn all_hosts_are_counted_and_those_with_the_longest_delays_listed_in_any_order_of_adding() {
        let forward = CappedDelays::default();
        let backward = CappedDelays::default();
        let capped = |n: u64| {
            CappedDelay::new(
                &HostKey::from_origin(&format!("http://h{n}.test")),
                Duration::from_secs(1_000 + n / 2),
                Duration::from_secs(600),
            )
        };
        (0..50).for_each(|n| forward.add(capped(n)));
        (0..50).rev().for_each(|n| backward.add(capped(n)));
        assert_eq!(forward.get(), backward.get());
        let (count, longest) = forward.get();
        assert_eq!((count, longest.len()), (50, CAPPED_DELAYS_MAX));
        assert_eq!(
            [&longest[0].host, &longest[1].host, &longest[19].host],
            ["http://h48.test", "http://h49.test", "http://h31.test"]
        );
        assert_eq!((longest[0].asked_seconds, longest[0].used_seconds), (1_024.0, 600.0));
    }
}
