//! The time that a crawl takes where each host is asked once a second.

use std::collections::BTreeMap;

/// Tells in which second each request of a crawl is sent: the n-th request to a host in second n, and no request before
/// one that precedes it in the crawl. Hosts are asked at the same time. Processor time is left out: on a site that is
/// asked politely, it passes while the crawl waits.
#[derive(Debug, Clone, Default)]
pub struct HostTime {
    /// Number of requests by host.
    requests: BTreeMap<Box<str>, u64>,
    now: u64,
}

impl HostTime {
    /// Records a request to a host, and returns its second, from 1.
    pub fn request(&mut self, host: &str) -> u64 {
        let requests = match self.requests.get_mut(host) {
            Some(requests) => requests,
            None => self.requests.entry(host.into()).or_default(),
        };
        *requests += 1;
        self.now = self.now.max(*requests);
        self.now
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hosts_are_asked_at_the_same_time_and_one_host_once_a_second() {
        let mut time = HostTime::default();
        let seconds: Vec<_> = ["a", "a", "b", "b", "b", "a", "c"].map(|host| time.request(host)).into();
        assert_eq!(seconds, [1, 2, 2, 2, 3, 3, 3]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_last_second_is_the_number_of_requests_to_the_busiest_host(hosts in prop::collection::vec(0..4_u8, 1..60)) {
            let mut time = HostTime::default();
            let seconds: Vec<u64> = hosts.iter().map(|host| time.request(&host.to_string())).collect();
            let most = (0..4).map(|one| hosts.iter().filter(|host| **host == one).count() as u64).max();
            prop_assert_eq!(seconds.last().copied(), most);
            prop_assert!(seconds.is_sorted());
        }
    }
}
