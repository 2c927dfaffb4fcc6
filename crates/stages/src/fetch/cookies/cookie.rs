//! One cookie: parsing and matching. Source: RFC 6265, sections 5.1.3, 5.1.4, 5.2, 5.3.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::date;
use harvestman_core::clock::Instant;
use harvestman_core::url::is_public_suffix;

/// A cookie. Each character of its texts stands for one byte, because servers set and expect bytes in any charset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cookie {
    pub(super) name: String,
    pub(super) value: String,
    /// In lower case, without a leading dot.
    pub(super) domain: String,
    /// Whether it applies only to the host named `domain`, and not to its subdomains.
    pub(super) host_only: bool,
    pub(super) path: String,
    /// Whether it is for https only.
    pub(super) secure: bool,
    /// When it expires; `None` for a cookie that lasts as long as the crawl.
    pub(super) expires: Option<Instant>,
}

/// The relevant attributes of a Set-Cookie header.
#[derive(Default)]
struct Attributes {
    domain: Option<String>,
    path: Option<String>,
    secure: bool,
    max_age: Option<i64>,
    expires: Option<Instant>,
}

impl Cookie {
    /// Parses a Set-Cookie header of a response to a request for `path` on `host`. Returns `None` for a cookie that
    /// must not be stored.
    pub(super) fn from_header(text: &str, host: &str, path: &str, https: bool, now: Instant) -> Option<Self> {
        let (pair, rest) = text.split_once(';').unwrap_or((text, ""));
        let (name, value) = pair.split_once('=')?;
        let (name, value) = (trim(name), trim(value));
        let attributes = attributes_of(rest);
        let (domain, host_only) = domain_for(attributes.domain.as_deref(), host)?;
        let own_path = attributes.path.filter(|path| path.starts_with('/'));
        let has_root = own_path.as_deref() == Some("/");
        let secure = attributes.secure;
        let allowed = !name.is_empty()
            && (https || !secure)
            && (secure || !name.starts_with("__Secure-"))
            && (!name.starts_with("__Host-") || secure && host_only && has_root);
        let expires = match attributes.max_age {
            Some(seconds) => Some(now + Duration::from_secs(u64::try_from(seconds).unwrap_or(0))),
            None => attributes.expires,
        };
        allowed.then(|| Self {
            name: name.to_owned(),
            value: value.to_owned(),
            domain,
            host_only,
            path: own_path.unwrap_or_else(|| default_path(path)),
            secure,
            expires,
        })
    }

    /// Returns whether a request carries it.
    pub(super) fn is_for(&self, host: &str, path: &str, https: bool) -> bool {
        (https || !self.secure) && self.matches_domain(host) && matches_path(&self.path, path)
    }

    /// Returns whether it applies to `host`.
    pub(super) fn matches_domain(&self, host: &str) -> bool {
        if self.host_only { host == self.domain } else { is_within(host, &self.domain) }
    }

    /// Returns whether `other` is the same cookie, possibly with another value.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.domain == other.domain && self.path == other.path
    }

    /// Returns whether it must not be hidden by `other`, which came over plain http: it is for https only, of the same
    /// name, and a request may carry both.
    pub(super) fn is_kept_from(&self, other: &Self) -> bool {
        let (domain, new) = (self.domain.as_str(), other.domain.as_str());
        self.secure
            && self.name == other.name
            && (is_within(domain, new) || is_within(new, domain))
            && matches_path(&self.path, &other.path)
    }

    pub(super) fn is_expired(&self, now: Instant) -> bool {
        self.expires.is_some_and(|end| end <= now)
    }

    /// Returns its approximate size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.name.len() + self.value.len() + self.domain.len() + self.path.len()
    }

    /// Returns it in the form of a Cookie header.
    pub(super) fn pair(&self) -> String {
        format!("{}={}", self.name, self.value)
    }
}

/// Returns a text without the blanks around it. Other white space is bytes of characters.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

fn attributes_of(text: &str) -> Attributes {
    let mut attributes = Attributes::default();
    for part in text.split(';') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let value = trim(value);
        match trim(name).to_ascii_lowercase().as_str() {
            "domain" => attributes.domain = Some(value.trim_start_matches('.').to_ascii_lowercase()),
            "path" => attributes.path = Some(value.to_owned()),
            "secure" => attributes.secure = true,
            "max-age" => attributes.max_age = value.parse().ok().or(attributes.max_age),
            "expires" => attributes.expires = date::parse(value).or(attributes.expires),
            _ => {}
        }
    }
    attributes
}

/// Returns the domain that a cookie applies to, and whether it applies only to that host; `None` if the host may not
/// set cookies for the domain.
fn domain_for(attribute: Option<&str>, host: &str) -> Option<(String, bool)> {
    match attribute {
        None | Some("") => Some((host.to_owned(), true)),
        Some(domain) if is_public_suffix(domain) => (domain == host).then(|| (host.to_owned(), true)),
        Some(domain) => is_within(host, domain).then(|| (domain.to_owned(), host.parse::<IpAddr>().is_ok())),
    }
}

/// Returns whether `host` is `domain` or a subdomain of it. An IP address is a subdomain of nothing.
fn is_within(host: &str, domain: &str) -> bool {
    host == domain
        || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.')) && host.parse::<IpAddr>().is_err()
}

/// Returns the directory of the request's path.
fn default_path(path: &str) -> String {
    match path.rfind('/') {
        Some(at) if at > 0 && path.starts_with('/') => path[..at].to_owned(),
        _ => "/".to_owned(),
    }
}

fn matches_path(cookie: &str, path: &str) -> bool {
    path.strip_prefix(cookie).is_some_and(|rest| rest.is_empty() || cookie.ends_with('/') || rest.starts_with('/'))
}
