//! The sort key of a URL in indexes of web archives: its SURT (sort-friendly URI reordering transform), such as
//! `org,example)/a?b=1` for `https://www.example.org:443/A/?b=1#c`.
//!
//! A replay tool looks captures up by these keys, so they must equal those of other tools to the byte: the form is that
//! of the Wayback Machine, which merges far more than a canonical URL does (scheme, `www.`, letter case, user, session
//! ids, the order of a query). It is a key and not an address: nothing is fetched by it.

mod key_path;

use std::net::Ipv4Addr;

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};

/// Characters that are escaped in a key: controls, blanks, `#`, `%`, and everything outside ASCII.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'#').add(b'%');

/// Returns the key of `url`; `None` if its port is not a number or too large, or if it is blank. A text without a
/// scheme counts as `http`.
pub fn surt(url: &str) -> Option<String> {
    if url.is_empty() {
        return Some("-".to_owned());
    }
    if url.starts_with("filedesc") {
        return Some(url.to_owned());
    }
    let text = with_one_scheme(url);
    Some(Parts::of(&text)?.key())
}

/// Returns `url` without surrounding blanks and without line breaks, with exactly one scheme, even if `http://` is
/// repeated.
fn with_one_scheme(url: &str) -> String {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c');
    let mut text: String = url.trim_matches(blank).chars().filter(|c| !matches!(c, '\n' | '\r' | '\t')).collect();
    if !text.is_empty() && scheme_of(&text).is_none() {
        text.insert_str(0, "http://");
    }
    let mut rest = text.as_str();
    let mut last = "";
    while let Some(scheme) = ["http://", "https://"].into_iter().find(|scheme| rest.starts_with(scheme)) {
        (last, rest) = (scheme, &rest[scheme.len()..]);
    }
    format!("{last}{rest}")
}

fn scheme_of(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(named)).then_some(scheme)
}

/// The parts of a URL that its key consists of.
#[derive(Debug)]
struct Parts<'a> {
    scheme: &'a str,
    /// Without user and port; empty if there is none.
    host: String,
    port: Option<u16>,
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let scheme = scheme_of(text)?;
        let rest = text[scheme.len() + 1..].split('#').next().unwrap_or_default();
        let (hierarchy, query) = match rest.split_once('?') {
            Some((hierarchy, query)) => (hierarchy, Some(query).filter(|query| !query.is_empty())),
            None => (rest, None),
        };
        let (authority, mut path) = match hierarchy.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", hierarchy),
        };
        let (mut host, port) = host_and_port(authority)?;
        // `http:////example.org/` has its host in the place of the path.
        if scheme.starts_with("http") && host.is_empty() && !path.is_empty() {
            let rest = path.trim_start_matches('/');
            let end = rest.find('/').unwrap_or(rest.len());
            host = rest[..end].to_owned();
            path = if end == rest.len() { "/" } else { &rest[end..] };
        }
        Some(Self { scheme, host, port, path, query })
    }

    fn key(&self) -> String {
        let host = canonical_host(&self.host, self.scheme != "dns");
        let path = key_path::canonical(self.path, !host.name.is_empty());
        let query = self.query.map(canonical_query).filter(|query| !query.is_empty());
        let mut key = if host.name.is_empty() { format!("{}:", self.scheme) } else { host.reversed() };
        if !host.name.is_empty() {
            if let Some(port) = self.port.filter(|port| Some(*port) != default_port(self.scheme)) {
                key.push_str(&format!(":{port}"));
            }
            key.push(')');
        }
        key.push_str(if path.is_empty() && query.is_some() { "/" } else { &path });
        if let Some(query) = query {
            key.push('?');
            key.push_str(&query);
        }
        key
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    if scheme.eq_ignore_ascii_case("http") { Some(80) } else { scheme.eq_ignore_ascii_case("https").then_some(443) }
}

/// Returns the query in lower case, without session ids, its parameters in order of name and value.
fn canonical_query(query: &str) -> String {
    let mut query = escaped(&unescaped(query.as_bytes()));
    key_path::strip_from_query(&mut query);
    query.make_ascii_lowercase();
    let mut parameters: Vec<&str> = query.split('&').collect();
    // A name without a value comes before the same name with an empty one.
    parameters.sort_by_key(|parameter| match parameter.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (*parameter, None),
    });
    parameters.join("&")
}

/// Decodes escapes until there are none. A decoded byte can be part of another escape (`%2541` is `A`); the text
/// written so far is kept free of escapes, so that one pass suffices for any depth of nesting.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        out.push(*byte);
        while let [.., b'%', high, low] = out.as_slice()
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            out.truncate(out.len() - 3);
            out.push(high << 4 | low);
        }
    }
    out
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

fn escaped(bytes: &[u8]) -> String {
    percent_encode(bytes, ESCAPED).to_string()
}

/// Returns the host of an authority, in lower case, and its port; `None` if the port is not a number or too large.
fn host_and_port(authority: &str) -> Option<(String, Option<u16>)> {
    let authority = authority.trim_end_matches(':');
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let (host, port) = match place.split_once('[') {
        Some((_, bracketed)) => {
            let (host, rest) = bracketed.split_once(']').unwrap_or((bracketed, ""));
            (host, rest.split_once(':').map_or("", |(_, port)| port))
        }
        None => place.split_once(':').unwrap_or((place, "")),
    };
    // The text behind a `%` may be the zone of an address; it keeps its letter case for now.
    let (name, zone) = host.split_at(host.find('%').unwrap_or(host.len()));
    let host = name.to_ascii_lowercase() + zone;
    match port {
        "" => Some((host, None)),
        port if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            let port: u16 = port.parse().ok()?;
            Some((host, Some(port).filter(|port| *port != 0)))
        }
        _ => None,
    }
}

/// A host in the form of a key, except for its order.
struct Host {
    pub name: String,
}

impl Host {
    /// Returns its labels, the last one first.
    pub fn reversed(&self) -> String {
        self.name.rsplit('.').collect::<Vec<_>>().join(",")
    }
}

/// Returns a host in lower case and ASCII, addresses as four numbers, without a leading `www.` (or `www2.`) if
/// `massaged`.
fn canonical_host(host: &str, massaged: bool) -> Host {
    let raw = unescaped(host.as_bytes());
    let ascii = if raw.is_ascii() { raw } else { in_ascii(raw) };
    let bytes = without_double_dots(&ascii);
    let trimmed = trim_dots(&bytes);
    let name = match address(trimmed) {
        Some(address) => address.to_string(),
        None => escaped(&trimmed.to_ascii_lowercase()).to_ascii_lowercase(),
    };
    Host { name: if massaged { without_www(&name).to_owned() } else { name } }
}

/// Returns a non-ASCII name in the form that the DNS uses, or unchanged if there is no such form.
fn in_ascii(raw: Vec<u8>) -> Vec<u8> {
    let text: String = String::from_utf8_lossy(&raw).chars().filter(|c| *c != char::REPLACEMENT_CHARACTER).collect();
    let name = text.strip_suffix('.').unwrap_or(&text);
    let labels: Option<Vec<String>> = name.split('.').map(label_in_ascii).collect();
    labels.map_or(raw, |labels| labels.join(".").into_bytes())
}

/// Maximum length of a label.
const LABEL_MAX: usize = 63;

fn label_in_ascii(label: &str) -> Option<String> {
    let ascii = match url::Host::parse(label) {
        _ if label.is_ascii() => label.to_owned(),
        Ok(url::Host::Domain(ascii)) => ascii,
        _ => return None,
    };
    (1..=LABEL_MAX).contains(&ascii.len()).then_some(ascii)
}

fn without_double_dots(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((byte, after)) = rest.split_first() {
        out.push(*byte);
        rest = if rest.starts_with(b"..") { &after[1..] } else { after };
    }
    out
}

fn trim_dots(mut bytes: &[u8]) -> &[u8] {
    while let [b'.', rest @ ..] | [rest @ .., b'.'] = bytes {
        bytes = rest;
    }
    bytes
}

/// Parses an IPv4 address in any form that resolvers accept: one to four numbers, decimal or octal; of a single decimal
/// number the lower four bytes.
fn address(host: &[u8]) -> Option<Ipv4Addr> {
    let text = std::str::from_utf8(host).ok()?;
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let modulo = |sum: u32, digit: u8| sum.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        return Some(text.bytes().fold(0, modulo).into());
    }
    let numbers: Vec<&str> = text.split('.').collect();
    let last = numbers.len() - 1;
    let not_octal = text.starts_with('0') && text.contains(['8', '9']);
    if !(1..=3).contains(&last) || not_octal {
        return None;
    }
    let mut address = 0_u32;
    for (place, number) in numbers.iter().enumerate() {
        let value = number_of(number)?;
        let bits = if place == last { 8 * (4 - last as u32) } else { 8 };
        if value >> bits != 0 {
            return None;
        }
        let shift = if place == last { 0 } else { 24 - 8 * place as u32 };
        address |= (value as u32) << shift;
    }
    Some(address.into())
}

fn number_of(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let radix = if text.len() > 1 && text.starts_with('0') { 8 } else { 10 };
    u64::from_str_radix(text, radix).ok()
}

fn without_www(host: &str) -> &str {
    let behind = host.strip_prefix("www").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    behind.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host)
}

#[cfg(test)]
mod tests;
