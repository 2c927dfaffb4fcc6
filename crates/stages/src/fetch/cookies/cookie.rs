//! One cookie: parsing and matching. Source: RFC 6265, sections 5.1.1 (dates, of which it accepts far more than HTTP
//! dates), 5.1.3, 5.1.4, 5.2, 5.3.

use std::net::IpAddr;
use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

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
            "expires" => attributes.expires = parse(value).or(attributes.expires),
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

/// Parses a cookie date. Times before 1970 become the epoch.
pub(super) fn parse(text: &str) -> Option<Instant> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    let is_delimiter = |c: char| !c.is_ascii_alphanumeric() && c != ':';
    for token in text.split(is_delimiter).filter(|token| !token.is_empty()) {
        if time.is_none() && token.contains(':') {
            time = time_of(token);
        } else if day.is_none() && (1..=2).contains(&digits(token)) {
            day = token[..digits(token)].parse::<i8>().ok();
        } else if month.is_none() && month_of(token).is_some() {
            month = month_of(token);
        } else if year.is_none() && (2..=4).contains(&digits(token)) {
            year = token[..digits(token)].parse::<i16>().ok().map(full_year);
        }
    }
    let (hour, minute, second) = time?;
    let date = DateTime::new(year?, month?, day?, hour, minute, second, 0).ok().filter(|date| date.year() >= 1601)?;
    let micros = date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond();
    Some(Instant::from_micros(u64::try_from(micros).unwrap_or(0)))
}

/// Returns how many digits the token starts with.
fn digits(token: &str) -> usize {
    token.bytes().take_while(u8::is_ascii_digit).count()
}

fn time_of(token: &str) -> Option<(i8, i8, i8)> {
    let mut parts = token.split(':').map(|part| part.get(..digits(part).min(2))?.parse::<i8>().ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

fn month_of(token: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start = token.get(..3)?.to_ascii_lowercase();
    (1..).zip(MONTHS).find(|(_, month)| *month == start).map(|(number, _)| number)
}

fn full_year(year: i16) -> i16 {
    match year {
        70..=99 => year + 1_900,
        0..=69 => year + 2_000,
        _ => year,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_parsed_in_all_formats_that_servers_write() {
        let expected = Some(Instant::from_micros(1_792_569_600_000_000));
        for text in [
            "Wed, 21 Oct 2026 08:00:00 GMT",
            "Wednesday, 21-Oct-26 08:00:00 GMT",
            "Wed Oct 21 08:00:00 2026",
            "Wed, 21-Oct-2026 8:0:00 GMT",
            "21 october 2026 08:00:00",
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        assert_eq!(parse("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Instant::EPOCH));
        assert_eq!(parse("Mon, 01-Jan-1900 00:00:00 GMT"), Some(Instant::EPOCH));
    }

    #[test]
    fn an_invalid_date_is_rejected() {
        for text in
            ["", "tomorrow", "21 Oct 2026", "32 Oct 2026 08:00:00", "21 Oct 2026 24:00:00", "21 Oct 1600 08:00:00"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_panic(text in "\\PC{0,40}") {
            parse(&text);
        }

        #[test]
        fn an_http_date_is_parsed_as_by_the_http_date_parser(seconds in 0u64..4_102_444_800) {
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            prop_assert_eq!(parse(&httpdate::fmt_http_date(time)), Some(Instant::from_micros(seconds * 1_000_000)));
        }
    }
}
