//! The sort key of a URL in indexes of web archives: its SURT (sort-friendly URI reordering transform), such as
//! `org,example)/a?b=1` for `https://www.example.org:443/A/?b=1#c`.
//!
//! A replay tool looks captures up by these keys, so they must equal those of other tools to the byte: the form is that
//! of the Wayback Machine, which merges far more than a canonical URL does (scheme, `www.`, letter case, user, session
//! ids, the order of a query). It is a key and not an address: nothing is fetched by it.

mod host;
mod path;
mod session;

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
        let (mut host, port) = host::and_port(authority)?;
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
        let host = host::canonical(&self.host, self.scheme != "dns");
        let path = path::canonical(self.path, !host.name.is_empty());
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
    session::strip_from_query(&mut query);
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

#[cfg(test)]
mod tests;
