//! Bounds of a client that no operator needs to turn, the timer of an exchange, which its phases share, and the shares
//! of its uses in the file descriptors that this process may have.
//!
//! Resetting a timer costs more than letting it expire, so it is armed once, for the head of the response, and re-armed
//! only when it expires: a fast exchange never touches it again.
//!
//! Each connection takes a file descriptor; without a share for each use, unused connections would take those of new
//! ones.

use std::pin::Pin;
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::time::Sleep;

use harvestman_core::clock::{Clock, Instant};

/// Number of answers of the resolver that are cached, for their time to live: enough for the hosts that are crawled at
/// once.
pub(super) const DNS_CACHE: u64 = 8_192;

/// Number of bytes of an unwanted body that are read and discarded to keep its connection open. A new connection costs
/// about as much as reading these; a longer body closes the connection.
pub(super) const DRAIN_MAX: u64 = 64 << 10;

/// Maximum number of addresses of one host that are tried, one after the other: both families, and a spare of each.
pub(super) const ADDRESSES_MAX: usize = 4;

/// Bounds of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientBounds {
    /// Maximum size of the head (status line and headers) of an answer, in bytes. Servers send a few KiB, and browsers
    /// give up at 256.
    pub head_max: usize,
    /// Maximum number of header lines of an answer.
    pub headers_max: usize,
    /// Maximum time that an unused connection is kept open. Many servers close theirs after a minute or less, and a
    /// connection that is closed during a request costs the request.
    pub idle_timeout: Duration,
    /// Maximum number of unused connections in all. Each is an open file; a crawl keeps fewer where its process may not
    /// have as many files open. More would wait for hosts that are hardly asked again before they close them.
    pub idle_max: usize,
    /// Maximum number of unused connections to one host. A crawl keeps at least as many as it may use at once.
    pub idle_per_host: usize,
    /// Whether a request is resent at once if the persistent connection that it used ends without a byte of an answer:
    /// usually the server had closed it, but it may have read the request. Where a delay is owed it is not resent, as
    /// two requests might reach the server within the delay. A request that was not written yet is always resent.
    pub resends_unanswered: bool,
}

impl Default for ClientBounds {
    fn default() -> Self {
        Self {
            head_max: 64 << 10,
            headers_max: 256,
            idle_timeout: Duration::from_secs(30),
            idle_max: 1_024,
            idle_per_host: 2,
            resends_unanswered: true,
        }
    }
}

/// A timer that can be re-armed.
pub(super) struct Timer<'a> {
    clock: &'a Clock,
    sleep: Pin<&'a mut Sleep>,
    /// The deadline of the whole exchange.
    pub(super) end: Instant,
}

impl<'a> Timer<'a> {
    /// Creates a timer. `sleep` is the underlying timer, which has to live in the caller's frame.
    pub(super) fn new(clock: &'a Clock, sleep: Pin<&'a mut Sleep>, end: Instant) -> Self {
        Self { clock, sleep, end }
    }

    /// Returns the current time.
    pub(super) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Re-arms the timer to expire `after` from `now`, or at the end of the exchange, whichever comes first.
    pub(super) fn arm(&mut self, now: Instant, after: Duration) {
        let rest = self.end.since(now).min(after);
        self.sleep.as_mut().set(tokio::time::sleep(rest));
    }

    /// Moves the deadline of the exchange to `after` from now, unless it is sooner.
    pub(super) fn end_within(&mut self, after: Duration) {
        let now = self.now();
        self.end = self.end.min(now + after);
        self.arm(now, Duration::MAX);
    }

    /// Completes when the timer expires.
    pub(super) async fn fired(&mut self) {
        self.sleep.as_mut().await;
    }
}

/// Descriptors for everything but requests: the files of the crawl directory, the connections that are served, the log.
const OTHERS: u64 = 128;
/// The maximum number of names looked up at once, however many descriptors there are.
const LOOK_UPS_MAX: u32 = 256;
/// Descriptors of one look-up: a socket for each of the two types of addresses.
const PER_LOOK_UP: u64 = 2;

/// The shares of requests in the descriptors of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorShares {
    /// Pages requested at once.
    pub pages: u32,
    /// Auxiliary requests at once.
    pub errands: u32,
    /// Names looked up at once.
    pub look_ups: u32,
    /// Unused connections.
    pub idle: u32,
}

impl DescriptorShares {
    /// Returns the shares in the descriptors that this process may have, at most those in `wanted`.
    pub fn of_process(wanted: Self) -> Self {
        Self::of(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX), wanted)
    }

    /// Returns the shares in `limit` descriptors, at most those in `wanted`. Each is at least 1, except that of unused
    /// connections.
    pub fn of(limit: u64, wanted: Self) -> Self {
        let of_requests = limit.saturating_sub(OTHERS).max(limit / 4);
        let share = |eighths: u64, wanted: u32| at_most(of_requests / 8 * eighths, wanted).max(1);
        let (pages, errands) = (share(3, wanted.pages), share(1, wanted.errands));
        let look_ups = at_most(of_requests / 8 / PER_LOOK_UP, wanted.look_ups.min(LOOK_UPS_MAX)).max(1);
        let taken = u64::from(pages) + u64::from(errands) + PER_LOOK_UP * u64::from(look_ups);
        Self { pages, errands, look_ups, idle: at_most(of_requests.saturating_sub(taken), wanted.idle) }
    }
}

/// What a process wants that no limit keeps from anything.
impl Default for DescriptorShares {
    fn default() -> Self {
        Self { pages: u32::MAX, errands: u32::MAX, look_ups: u32::MAX, idle: u32::MAX }
    }
}

fn at_most(share: u64, wanted: u32) -> u32 {
    u32::try_from(share).unwrap_or(u32::MAX).min(wanted)
}

/// Raises the limit on the open files of this process to the highest that it may set itself. Many systems start
/// processes with 1,024 and allow far more.
pub fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        // Where it is refused, the shares follow from the limit that stays.
        let _ = setrlimit(Resource::Nofile, rustix::process::Rlimit { current: limit.maximum, ..limit });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WANTED: DescriptorShares = DescriptorShares { pages: 256, errands: 64, look_ups: 256, idle: 1_024 };

    #[test]
    fn a_process_with_many_descriptors_gets_what_it_wants() {
        assert_eq!(DescriptorShares::of(u64::MAX, WANTED), WANTED);
        assert_eq!(DescriptorShares::of(20_000, WANTED), WANTED);
    }

    #[test]
    fn a_usual_limit_allows_all_requests_and_fewer_unused_connections() {
        let shares = DescriptorShares::of(1_024, WANTED);
        assert_eq!((shares.pages, shares.errands), (WANTED.pages, WANTED.errands));
        assert!((300..WANTED.idle).contains(&shares.idle), "{shares:?}");
    }

    proptest! {
        #[test]
        fn the_shares_fit_into_the_limit_and_none_is_empty(limit in 16_u64..100_000, wanted in any::<[u32; 4]>()) {
            let [pages, errands, look_ups, idle] = wanted.map(|wanted| wanted.max(1));
            let shares = DescriptorShares::of(limit, DescriptorShares { pages, errands, look_ups, idle });
            let DescriptorShares { pages: p, errands: e, look_ups: l, idle: i } = shares;
            prop_assert!(p >= 1 && e >= 1 && l >= 1);
            prop_assert!(p <= pages && e <= errands && l <= look_ups && i <= idle);
            let sum = u64::from(p) + u64::from(e) + PER_LOOK_UP * u64::from(l) + u64::from(i);
            prop_assert!(sum <= limit.saturating_sub(OTHERS).max(limit / 4).max(4), "{shares:?}");
        }
    }
}
