//! How the file descriptors that this process may have are shared out. Each connection takes one; without a share for
//! each use, unused connections would take those of new ones.

use rustix::process::{Resource, getrlimit, setrlimit};

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
