//! Cookies: those that the user provides for a login, and those that sites set.
//!
//! Implements RFC 6265, the public suffix list, and the prefixes `__Host-` and `__Secure-`. The `cookie_store` crate
//! would add a second URL, suffix and date stack for this. What only a browser needs (SameSite, third-party rules) is
//! omitted.

mod cookie;
mod netscape;

use std::collections::{HashMap, VecDeque};
use std::fmt;

use http::HeaderMap;
use http::header::SET_COOKIE;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::target::Target;
use super::trust::CredentialScope;
use cookie::Cookie;
use harvestman_core::clock::Instant;
use harvestman_core::config::FetchOptions;
use harvestman_core::url::registrable_domain;

/// All cookies of a client.
pub(super) struct Cookies {
    /// From the user's file: sent, never replaced, unless the jar has a newer one of the same name.
    login: Vec<Cookie>,
    /// Cookies that sites have set; `None` if they are not stored.
    jar: Option<Mutex<Jar>>,
}

/// The maximum number of cookies that one response may set: more is a mistake or an attack.
const SET_COOKIES_MAX: usize = 64;

/// Reads a `Set-Cookie` of an https answer. Returns the name and value that would be sent back.
pub(super) fn pair_set_by(value: &[u8], host: &str, path: &str, now: Instant) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?;
    Cookie::from_header(text, host, path, true, now).map(|cookie| cookie.pair())
}

/// Reads the text of a cookie file. Returns the number of its cookies.
pub(super) fn count_in_file(text: &str, errors: &mut Vec<String>) -> usize {
    netscape::read(text, "cookies.txt", errors).len()
}

impl Cookies {
    /// Reads the user's file; appends errors to `errors`. Only cookies that a host of `scope` would receive are stored,
    /// so that a whole browser profile can be passed without leaking it to other sites.
    pub(super) fn new(options: &FetchOptions, scope: &CredentialScope, now: Instant, errors: &mut Vec<String>) -> Self {
        let mut login = netscape::read_file(&options.cookies_file, errors);
        login.retain(|cookie| !cookie.is_expired(now) && scope.hosts().any(|host| cookie.matches_domain(host)));
        let jar = options.cookie_jar.then(|| Mutex::new(Jar::new(JarLimits::default())));
        Self { login, jar }
    }

    /// Returns the value of the Cookie header of a request, if there is one.
    pub(super) fn header(&self, target: &Target<'_>, now: Instant) -> Option<Vec<u8>> {
        if self.login.is_empty() && self.jar.is_none() {
            return None;
        }
        let (host, path) = (bare(target.host()), target.path());
        let jar = self.jar.as_ref().map(Mutex::lock);
        let mut chosen: Vec<&Cookie> = jar.iter().flat_map(|jar| jar.cookies_of(host)).collect();
        let of_jar = chosen.len();
        for cookie in &self.login {
            if !chosen[..of_jar].iter().any(|newer| newer.is_same(cookie)) {
                chosen.push(cookie);
            }
        }
        chosen.retain(|cookie| cookie.is_for(host, path, target.https) && !cookie.is_expired(now));
        // Longer paths first (RFC 6265, section 5.4).
        chosen.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<String> = chosen.iter().map(|cookie| cookie.pair()).collect();
        (!pairs.is_empty()).then(|| bytes(&pairs.join("; ")))
    }

    /// Returns the cookies that sites have set.
    pub(super) fn stored(&self) -> StoredCookies {
        let jar = self.jar.as_ref().map(Mutex::lock);
        StoredCookies::of(jar.iter().flat_map(|jar| jar.all()).cloned())
    }

    /// Returns how often the cookies that sites have set have changed.
    pub(super) fn changes(&self) -> u64 {
        self.jar.as_ref().map_or(0, |jar| jar.lock().changes())
    }

    /// Adds the cookies of an earlier run, if cookies are stored.
    pub(super) fn restore(&self, stored: StoredCookies, now: Instant) {
        if let Some(jar) = &self.jar {
            let mut jar = jar.lock();
            stored.into_cookies().for_each(|cookie| jar.put(cookie, now));
        }
    }

    /// Stores the cookies that a response sets. One over plain http replaces no cookie that is for https only (RFC
    /// 6265bis, section 5.7): whoever is on the way could have set it.
    pub(super) fn store(&self, target: &Target<'_>, headers: &HeaderMap, now: Instant) {
        let Some(jar) = &self.jar else { return };
        let (host, path) = (bare(target.host()), target.path());
        for value in headers.get_all(SET_COOKIE).iter().take(SET_COOKIES_MAX) {
            let Some(cookie) = Cookie::from_header(&text(value.as_bytes()), host, path, target.https, now) else {
                continue;
            };
            let mut jar = jar.lock();
            let mut known = self.login.iter().chain(jar.cookies_of(host)).filter(|known| !known.is_expired(now));
            if target.https || !known.any(|known| known.is_kept_from(&cookie)) {
                jar.put(cookie, now);
            }
        }
    }
}

/// Returns a text with one character for each byte.
fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Returns the bytes of such a text.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(character).unwrap_or(b'?')).collect()
}

fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

/// The capacity of a jar. With the default one, cookies take 80 MB at worst.
#[derive(Debug, Clone, Copy)]
struct JarLimits {
    /// Per registrable domain: the 50 that RFC 6265, section 6.1, asks for. The oldest are dropped first.
    per_domain: usize,
    /// In all: those of many more domains than are usually crawled.
    all: usize,
    /// Of one cookie, name, value, domain and path together: the 4 KiB that RFC 6265, section 6.1, asks for.
    cookie_bytes: usize,
}

impl Default for JarLimits {
    fn default() -> Self {
        Self { per_domain: 50, all: 20_000, cookie_bytes: 4 << 10 }
    }
}

/// Cookies by registrable domain.
struct Jar {
    limits: JarLimits,
    by_domain: HashMap<Box<str>, Vec<Cookie>>,
    /// The domains in the order in which they were added: the first one is evicted first.
    order: VecDeque<Box<str>>,
    len: usize,
    /// How often it has changed.
    changes: u64,
}

impl Jar {
    fn new(limits: JarLimits) -> Self {
        Self { limits, by_domain: HashMap::new(), order: VecDeque::new(), len: 0, changes: 0 }
    }

    /// Returns all cookies that may apply to `host`.
    fn cookies_of(&self, host: &str) -> &[Cookie] {
        self.by_domain.get(key(host)).map_or(&[], Vec::as_slice)
    }

    /// Returns all cookies, those of the domain that was added first before the others.
    fn all(&self) -> impl Iterator<Item = &Cookie> {
        self.order.iter().filter_map(|domain| self.by_domain.get(domain)).flatten()
    }

    /// Returns how often it has changed.
    const fn changes(&self) -> u64 {
        self.changes
    }

    /// Stores `cookie` and replaces an earlier value of it; an expired cookie only removes the earlier value.
    fn put(&mut self, cookie: Cookie, now: Instant) {
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
    fn len(&self) -> usize {
        self.len
    }
}

/// Returns the registrable domain of a host, or the host itself if it has none. A cookie's domain and every host that
/// it applies to share it.
fn key(host: &str) -> &str {
    if host.parse::<std::net::IpAddr>().is_ok() { host } else { registrable_domain(host) }
}

/// Maximum number of cookies that are taken from a file, whatever the limits of the jar are.
const STORED_MAX: usize = 100_000;

/// The cookies that sites have set, for a later run. They are secret: their debug output has none of them.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredCookies(Vec<Cookie>);

impl StoredCookies {
    fn of(cookies: impl Iterator<Item = Cookie>) -> Self {
        Self(cookies.take(STORED_MAX).collect())
    }

    fn into_cookies(self) -> impl Iterator<Item = Cookie> {
        self.0.into_iter().take(STORED_MAX)
    }
}

impl fmt::Debug for StoredCookies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredCookies({})", self.0.len())
    }
}

#[cfg(test)]
mod tests;
