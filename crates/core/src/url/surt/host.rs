//! The host of a key.

use std::net::Ipv4Addr;

use super::{escaped, unescaped};

/// Returns the host of an authority, in lower case, and its port; `None` if the port is not a number or too large.
pub(super) fn and_port(authority: &str) -> Option<(String, Option<u16>)> {
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
pub(super) struct Host {
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
pub(super) fn canonical(host: &str, massaged: bool) -> Host {
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
