//! Cookies: those that the user provides for a login, and those that sites set.
//!
//! Implements RFC 6265, the public suffix list, and the prefixes `__Host-` and `__Secure-`. The `cookie_store` crate
//! would add a second URL, suffix and date stack for this. What only a browser needs (SameSite, third-party rules) is
//! omitted.

mod cookie;
mod date;
mod jar;
mod netscape;
mod stored;

use http::HeaderMap;
use http::header::SET_COOKIE;
use parking_lot::Mutex;

use self::cookie::Cookie;
use self::jar::{Jar, JarLimits};
pub use self::stored::StoredCookies;
use super::target::Target;
use super::trust::CredentialScope;
use harvestman_core::clock::Instant;
use harvestman_core::config::FetchOptions;

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

#[cfg(test)]
mod tests;
