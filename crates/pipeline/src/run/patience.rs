//! How long a crawl waits when only hosts are left that it must not contact now. Pure: the caller passes the time.

use std::collections::HashSet;
use std::time::Duration;

use crate::hosts::Wait;
use harvestman_core::clock::Instant;
use harvestman_core::url::HostKey;
use harvestman_stages::host::WaitReason;

/// The interval at which a crawl whose wait is over looks for hosts to give up, which takes a look at all hosts.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Measures how long a crawl has achieved nothing.
pub(crate) struct Patience {
    achieved: u64,
    since: Instant,
    next_look: Instant,
}

impl Patience {
    pub(crate) const fn new(now: Instant) -> Self {
        Self { achieved: 0, since: now, next_look: now }
    }

    /// Returns whether nothing was achieved for longer than `longest` (zero: no limit). `achieved`: a figure that grows
    /// with each achievement; `None` while it cannot, because the crawl is paused or its machine lacks something.
    pub(crate) fn is_over(&mut self, now: Instant, achieved: Option<u64>, longest: Duration) -> bool {
        if achieved != Some(self.achieved) {
            (self.achieved, self.since) = (achieved.unwrap_or(self.achieved), now);
        }
        let is_over = !longest.is_zero() && now.since(self.since) >= longest && now >= self.next_look;
        if is_over {
            self.next_look = now + LOOK_EVERY.min(longest / 8);
        }
        is_over
    }
}

/// Returns the hosts to give up: those that must not be contacted now, except those that an operator can free. None, if
/// one of the hosts with `waiting` URLs only keeps its usual delay, because the crawl goes on there.
pub(crate) fn given_up(waiting: &[HostKey], waits: &[Wait]) -> Vec<HostKey> {
    let resting: HashSet<&HostKey> = waits.iter().map(|wait| &wait.host).collect();
    if waiting.iter().any(|host| !resting.contains(host)) {
        return Vec::new();
    }
    let of_operators = |why| matches!(why, WaitReason::Blocked | WaitReason::LogIn);
    let mut hosts: Vec<HostKey> =
        waits.iter().filter(|wait| !of_operators(wait.reason)).map(|wait| wait.host.clone()).collect();
    hosts.sort_unstable();
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(60);

    fn at(seconds: u64) -> Instant {
        Instant::from_micros(seconds * 1_000_000)
    }

    fn host(name: &str) -> HostKey {
        HostKey::from_origin(&format!("http://{name}.test"))
    }

    fn wait(name: &str, reason: WaitReason) -> Wait {
        Wait { until: at(99), host: host(name), reason }
    }

    #[test]
    fn the_wait_is_over_when_nothing_was_achieved_for_as_long_as_is_set() {
        let mut patience = Patience::new(at(0));
        assert!(!patience.is_over(at(59), Some(0), LONGEST) && patience.is_over(at(60), Some(0), LONGEST));
        assert!(!patience.is_over(at(61), Some(0), LONGEST), "it does not look at all hosts all the time");
        assert!(patience.is_over(at(66), Some(0), LONGEST));
        assert!(!patience.is_over(at(80), Some(1), LONGEST), "something was achieved");
        assert!(!patience.is_over(at(139), Some(1), LONGEST) && patience.is_over(at(140), Some(1), LONGEST));
    }

    #[test]
    fn time_in_which_nothing_can_be_achieved_does_not_count() {
        let mut patience = Patience::new(at(0));
        assert!(!patience.is_over(at(100), None, LONGEST) && !patience.is_over(at(159), Some(0), LONGEST));
        assert!(patience.is_over(at(160), Some(0), LONGEST));
        assert!(!patience.is_over(at(9_999), Some(0), Duration::ZERO), "no limit");
    }

    #[test]
    fn only_hosts_that_rest_are_given_up_and_only_if_all_do() {
        let waits = [wait("b", WaitReason::BackOff), wait("a", WaitReason::Robots), wait("c", WaitReason::Blocked)];
        assert_eq!(given_up(&[host("a"), host("c")], &waits), [host("a"), host("b")], "b waits for a sitemap only");
        assert!(given_up(&[host("a"), host("slow")], &waits).is_empty(), "that one has its usual delay");
        assert!(given_up(&[], &[]).is_empty());
    }
}
