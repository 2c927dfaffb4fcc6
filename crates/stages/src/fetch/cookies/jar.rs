//! The cookie jar: cookies by registrable domain, bounded in number and size.

use std::collections::{HashMap, VecDeque};

use super::cookie::Cookie;
use harvestman_core::clock::Instant;
use harvestman_core::url::registrable_domain;

/// The capacity of a jar. With the default one, cookies take 80 MB at worst.
#[derive(Debug, Clone, Copy)]
pub(super) struct JarLimits {
    /// Per registrable domain: the 50 that RFC 6265, section 6.1, asks for. The oldest are dropped first.
    pub(super) per_domain: usize,
    /// In all: those of many more domains than are usually crawled.
    pub(super) all: usize,
    /// Of one cookie, name, value, domain and path together: the 4 KiB that RFC 6265, section 6.1, asks for.
    pub(super) cookie_bytes: usize,
}

impl Default for JarLimits {
    fn default() -> Self {
        Self { per_domain: 50, all: 20_000, cookie_bytes: 4 << 10 }
    }
}

/// Cookies by registrable domain.
pub(super) struct Jar {
    limits: JarLimits,
    by_domain: HashMap<Box<str>, Vec<Cookie>>,
    /// The domains in the order in which they were added: the first one is evicted first.
    order: VecDeque<Box<str>>,
    len: usize,
    /// How often it has changed.
    changes: u64,
}

impl Jar {
    pub(super) fn new(limits: JarLimits) -> Self {
        Self { limits, by_domain: HashMap::new(), order: VecDeque::new(), len: 0, changes: 0 }
    }

    /// Returns all cookies that may apply to `host`.
    pub(super) fn cookies_of(&self, host: &str) -> &[Cookie] {
        self.by_domain.get(key(host)).map_or(&[], Vec::as_slice)
    }

    /// Returns all cookies, those of the domain that was added first before the others.
    pub(super) fn all(&self) -> impl Iterator<Item = &Cookie> {
        self.order.iter().filter_map(|domain| self.by_domain.get(domain)).flatten()
    }

    /// Returns how often it has changed.
    pub(super) const fn changes(&self) -> u64 {
        self.changes
    }

    /// Stores `cookie` and replaces an earlier value of it; an expired cookie only removes the earlier value.
    pub(super) fn put(&mut self, cookie: Cookie, now: Instant) {
        if cookie.bytes() > self.limits.cookie_bytes {
            return;
        }
        let domain = key(&cookie.domain);
        if !self.by_domain.contains_key(domain) {
            self.order.push_back(domain.into());
        }
        let cookies = self.by_domain.entry(domain.into()).or_default();
        if cookies.contains(&cookie) {
            return;
        }
        self.changes += 1;
        let before = cookies.len();
        cookies.retain(|known| !known.is_same(&cookie) && !known.is_expired(now));
        if !cookie.is_expired(now) {
            cookies.push(cookie);
        }
        while cookies.len() > self.limits.per_domain {
            // Those that also plain http may set do not push out the others.
            let oldest = cookies.iter().position(|known| !known.secure).unwrap_or(0);
            cookies.remove(oldest);
        }
        self.len = self.len - before + cookies.len();
        self.make_room();
    }

    fn make_room(&mut self) {
        while self.len > self.limits.all || self.order.len() > self.limits.all.max(1) {
            let Some(oldest) = self.order.pop_front() else { break };
            self.len -= self.by_domain.remove(&oldest).map_or(0, |cookies| cookies.len());
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// Returns the registrable domain of a host, or the host itself if it has none. A cookie's domain and every host that
/// it applies to share it.
fn key(host: &str) -> &str {
    if host.parse::<std::net::IpAddr>().is_ok() { host } else { registrable_domain(host) }
}
