//! The pool of idle connections.
//!
//! Plain values; the caller passes the time. Bounded in three ways: per host, in total, and in time. (hyper-util's
//! client has no total bound, which a crawl of many hosts needs, and opens a second connection when the first is about
//! to become free, which violates a limit of connections per host.)

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;

use super::bounds::ClientBounds;
use super::connection::Connection;
use harvestman_core::clock::Instant;

/// The operations that the pool needs of a connection.
pub(super) trait Poolable: Sized {
    /// Returns whether nothing can be sent on it any more.
    fn is_closed(&self) -> bool;
    /// Returns when it was last used.
    fn used(&self) -> Instant;
    /// Returns a clone for an exchange that begins at `now`, if several exchanges can share the connection.
    fn share(&mut self, now: Instant) -> Option<Self>;
}

impl Poolable for Connection {
    fn is_closed(&self) -> bool {
        Connection::is_closed(self)
    }

    fn used(&self) -> Instant {
        self.used
    }

    fn share(&mut self, now: Instant) -> Option<Self> {
        self.used = now;
        Connection::share(self)
    }
}

/// Idle connections by origin.
pub(super) struct Pool<C> {
    lanes: Mutex<Lanes<C>>,
    per_host: usize,
    max: usize,
    timeout: Duration,
}

struct Lanes<C> {
    /// The connections of each origin, the most recently used one last. A list is never empty.
    by_origin: HashMap<Box<str>, Vec<C>>,
    /// The number of connections in all lists.
    len: usize,
    /// When all lists were last swept of unusable connections.
    swept: Instant,
}

impl<C: Poolable> Pool<C> {
    pub(super) fn new(bounds: ClientBounds) -> Self {
        let lanes = Lanes { by_origin: HashMap::new(), len: 0, swept: Instant::EPOCH };
        Self {
            lanes: Mutex::new(lanes),
            per_host: bounds.idle_per_host,
            max: bounds.idle_max,
            timeout: bounds.idle_timeout,
        }
    }

    /// Returns the most recently used connection to `origin`, if there is one.
    pub(super) fn take(&self, origin: &str, now: Instant) -> Option<C> {
        let mut lanes = self.lanes.lock();
        let lane = lanes.by_origin.get_mut(origin)?;
        let mut removed = 0;
        let mut taken = None;
        while let Some(mut connection) = lane.pop() {
            removed += 1;
            if connection.is_closed() || now.since(connection.used()) >= self.timeout {
                continue;
            }
            taken = match connection.share(now) {
                Some(shared) => {
                    lane.push(connection);
                    removed -= 1;
                    Some(shared)
                }
                None => Some(connection),
            };
            break;
        }
        if lane.is_empty() {
            lanes.by_origin.remove(origin);
        }
        lanes.len -= removed;
        taken
    }

    /// Stores `connection` for the next exchange with `origin`, unless the pool is full.
    pub(super) fn put(&self, origin: &str, connection: C, now: Instant) {
        if connection.is_closed() {
            return;
        }
        let mut lanes = self.lanes.lock();
        // A sweep visits every connection; it is rare, so that its cost is spread over many exchanges.
        let interval = self.timeout / if lanes.len >= self.max { 16 } else { 2 };
        if now.since(lanes.swept) >= interval {
            lanes.sweep(now, self.timeout);
        }
        if lanes.len >= self.max {
            return;
        }
        if let Some(lane) = lanes.by_origin.get_mut(origin) {
            if lane.len() >= self.per_host {
                return;
            }
            lane.push(connection);
        } else if self.per_host > 0 {
            lanes.by_origin.insert(origin.into(), vec![connection]);
        } else {
            return;
        }
        lanes.len += 1;
    }

    /// Drops all connections, to make room for a new one.
    pub(super) fn clear(&self) {
        let mut lanes = self.lanes.lock();
        lanes.by_origin.clear();
        lanes.len = 0;
    }

    /// Drops all idle connections to `origin`.
    pub(super) fn forget(&self, origin: &str) {
        let mut lanes = self.lanes.lock();
        lanes.len -= lanes.by_origin.remove(origin).map_or(0, |lane| lane.len());
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.lanes.lock().len
    }
}

impl<C: Poolable> Lanes<C> {
    /// Drops connections that are closed or too old.
    fn sweep(&mut self, now: Instant, timeout: Duration) {
        self.swept = now;
        self.by_origin.retain(|_, lane| {
            lane.retain(|connection| !connection.is_closed() && now.since(connection.used()) < timeout);
            !lane.is_empty()
        });
        self.len = self.by_origin.values().map(Vec::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Fake {
        id: u32,
        used: Instant,
        closed: bool,
        shared: bool,
    }

    impl Poolable for Fake {
        fn is_closed(&self) -> bool {
            self.closed
        }

        fn used(&self) -> Instant {
            self.used
        }

        fn share(&mut self, now: Instant) -> Option<Self> {
            self.used = now;
            self.shared.then(|| self.clone())
        }
    }

    fn at(seconds: u64) -> Instant {
        Instant::from_micros(1_000_000 * (1_000 + seconds))
    }

    fn fake(id: u32, used: Instant) -> Fake {
        Fake { id, used, closed: false, shared: false }
    }

    fn pool(idle_per_host: usize, idle_max: usize) -> Pool<Fake> {
        let idle_timeout = Duration::from_secs(10);
        Pool::new(ClientBounds { idle_max, idle_per_host, idle_timeout, ..ClientBounds::default() })
    }

    #[test]
    fn the_most_recently_used_connection_is_taken_first_and_each_only_once() {
        let pool = pool(2, 10);
        for id in [1, 2, 3] {
            pool.put("a", fake(id, at(0)), at(0));
        }
        pool.put("b", fake(4, at(0)), at(0));
        let taken: Vec<_> = (0..3).filter_map(|_| pool.take("a", at(1))).map(|c| c.id).collect();
        assert_eq!(taken, [2, 1], "the third exceeded the limit");
        assert_eq!(pool.len(), 1);
    }

    #[test]
    fn closed_and_expired_connections_are_not_returned() {
        let pool = pool(4, 10);
        pool.put("a", fake(1, at(0)), at(0));
        pool.put("a", Fake { closed: true, ..fake(2, at(0)) }, at(0));
        assert_eq!(pool.len(), 1);
        assert_eq!(pool.take("a", at(9)).map(|c| c.id), Some(1));
        pool.put("a", fake(3, at(9)), at(9));
        assert_eq!(pool.take("a", at(19)), None);
        assert_eq!(pool.len(), 0);
    }

    #[test]
    fn a_shared_connection_stays_in_the_pool_while_it_is_used() {
        let pool = pool(1, 10);
        pool.put("a", Fake { shared: true, ..fake(1, at(0)) }, at(0));
        for seconds in [5, 14, 23] {
            assert!(pool.take("a", at(seconds)).is_some());
        }
        assert_eq!(pool.take("a", at(33)), None);
    }

    #[test]
    fn a_cleared_pool_is_empty_and_takes_connections_again() {
        let pool = pool(1, 2);
        pool.put("a", fake(1, at(0)), at(0));
        pool.put("b", fake(2, at(0)), at(0));
        pool.clear();
        assert!(pool.len() == 0 && pool.take("a", at(1)).is_none());
        pool.put("c", fake(3, at(1)), at(1));
        assert_eq!(pool.take("c", at(1)).map(|c| c.id), Some(3));
    }

    #[test]
    fn a_full_pool_evicts_only_expired_connections() {
        let pool = pool(1, 2);
        for (id, origin) in [(1, "a"), (2, "b"), (3, "c")] {
            pool.put(origin, fake(id, at(0)), at(0));
        }
        assert_eq!(pool.len(), 2);
        pool.put("d", fake(4, at(11)), at(11));
        assert_eq!(pool.len(), 1);
        assert!(pool.take("a", at(11)).is_none() && pool.take("d", at(11)).is_some());
    }

    proptest! {
        #[test]
        fn the_bounds_hold_and_the_count_is_right(steps in proptest::collection::vec((0u8..3, 0u8..4, any::<bool>(), any::<bool>()), 0..80)) {
            let pool = pool(2, 4);
            for (now, (what, origin, closed, shared)) in (0..).zip(steps) {
                let origin = ["a", "b", "c", "d"][usize::from(origin)];
                match what {
                    0 => drop(pool.take(origin, at(now))),
                    1 if closed => pool.forget(origin),
                    _ => pool.put(origin, Fake { closed, shared, ..fake(0, at(now)) }, at(now)),
                }
                let lanes = pool.lanes.lock();
                prop_assert_eq!(lanes.len, lanes.by_origin.values().map(Vec::len).sum::<usize>());
                prop_assert!(lanes.len <= 4 && lanes.by_origin.values().all(|lane| (1..=2).contains(&lane.len())));
            }
        }
    }
}
