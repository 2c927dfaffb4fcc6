//! Hosts whose `Crawl-delay` exceeds the longest that the crawl honours.

use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use harvestman_core::url::HostKey;

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
