//! Connections that wait for their next exchange.
//!
//! Made of plain values; the caller hands in the time. Bounded three ways: for each host, in all, and in time. (hyper-util's
//! client has no bound in all, which a crawl of many hosts needs, and opens a second connection where the first is about to
//! become free, which a limit of connections to a host forbids.)

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;

use super::connection::Connection;
use crate::clock::Instant;
use crate::config::FetchOptions;

/// What the pool needs to know of a connection.
pub(super) trait Poolable: Sized {
    /// Whether nothing can be sent on it any more.
    fn is_closed(&self) -> bool;
    /// When it was last used.
    fn used(&self) -> Instant;
    /// The connection once more, for an exchange that begins at `now`, where several can use it at a time.
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
    /// Of each origin the connections, the one used last at the end. Never an empty list.
    by_origin: HashMap<Box<str>, Vec<C>>,
    /// Connections in all lists.
    len: usize,
    /// When all lists were last searched for connections that are of no use any more.
    swept: Instant,
}

impl<C: Poolable> Pool<C> {
    pub(super) fn new(options: &FetchOptions) -> Self {
        let lanes = Lanes { by_origin: HashMap::new(), len: 0, swept: Instant::EPOCH };
        Self {
            lanes: Mutex::new(lanes),
            per_host: options.idle_per_host as usize,
            max: options.idle_max as usize,
            timeout: options.idle_timeout.0,
        }
    }

    /// A connection to `origin` that is as fresh as can be, if there is one.
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

    /// Keeps `connection` for the next exchange with `origin`, unless there are enough.
    pub(super) fn put(&self, origin: &str, connection: C, now: Instant) {
        if connection.is_closed() {
            return;
        }
        let mut lanes = self.lanes.lock();
        // A sweep looks at every connection: seldom enough that its cost is spread over many exchanges.
        let pause = self.timeout / if lanes.len >= self.max { 16 } else { 2 };
        if now.since(lanes.swept) >= pause {
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

    #[cfg(test)]
    fn len(&self) -> usize {
        self.lanes.lock().len
    }
}

impl<C: Poolable> Lanes<C> {
    /// Drops what is closed or too old.
    fn sweep(&mut self, now: Instant, timeout: Duration) {
        self.swept = now;
        self.by_origin.retain(|_, lane| {
            lane.retain(|connection| !connection.is_closed() && now.since(connection.used()) < timeout);
            !lane.is_empty()
        });
        self.len = self.by_origin.values().map(Vec::len).sum();
    }
}
