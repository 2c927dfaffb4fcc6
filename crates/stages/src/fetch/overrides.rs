//! Addresses configured for host names, which bypass the resolver (`--resolve HOST:ADDR`).

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

/// An address, and the port that replaces the URL's if one was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target {
    address: IpAddr,
    port: Option<u16>,
}

/// The overrides of a crawl.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    exact: HashMap<Box<str>, Vec<Target>>,
    /// `.suffix` and its targets, the longest suffix first.
    suffixes: Vec<(Box<str>, Vec<Target>)>,
}

impl Overrides {
    /// Parses the entries (`HOST:ADDR` or `HOST:ADDR:PORT`, HOST may be `*.suffix`); appends invalid ones to `errors`.
    pub(super) fn read(entries: &[String], errors: &mut Vec<String>) -> Self {
        let mut overrides = Self::default();
        for entry in entries {
            match read_entry(entry) {
                Some((host, target)) => overrides.add(&host, target),
                None => errors.push(format!(
                    "fetch.resolve: `{entry}` is invalid; write HOST:ADDR or HOST:ADDR:PORT, with IPv6 in brackets"
                )),
            }
        }
        overrides.suffixes.sort_by_key(|(suffix, _)| std::cmp::Reverse(suffix.len()));
        overrides
    }

    fn add(&mut self, host: &str, target: Target) {
        let Some(suffix) = host.strip_prefix('*') else {
            return self.exact.entry(host.into()).or_default().push(target);
        };
        match self.suffixes.iter_mut().find(|(known, _)| **known == *suffix) {
            Some((_, targets)) => targets.push(target),
            None => self.suffixes.push((suffix.into(), vec![target])),
        }
    }

    /// Returns the addresses of `host` if it has an override. `port` is the URL's.
    pub(super) fn addresses(&self, host: &str, port: u16) -> Option<Vec<SocketAddr>> {
        let by_suffix =
            || self.suffixes.iter().find(|(suffix, _)| host.ends_with(&**suffix)).map(|(_, targets)| targets);
        let targets = self.exact.get(host).or_else(by_suffix)?;
        Some(targets.iter().map(|t| SocketAddr::new(t.address, t.port.unwrap_or(port))).collect())
    }
}

fn read_entry(entry: &str) -> Option<(String, Target)> {
    let (host, rest) = entry.trim().split_once(':')?;
    let named = match host.strip_prefix("*.") {
        Some(suffix) => !suffix.is_empty() && !suffix.contains('*'),
        None => !host.is_empty() && !host.contains(['*', '[', '/']),
    };
    let target = match rest.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']')?;
            Target {
                address: IpAddr::V6(address.parse().ok()?),
                port: read_port(port.strip_prefix(':'), port.is_empty())?,
            }
        }
        None => {
            let (address, port) = rest.split_once(':').map_or((rest, None), |(address, port)| (address, Some(port)));
            Target { address: IpAddr::V4(address.parse().ok()?), port: read_port(port, port.is_none())? }
        }
    };
    named.then(|| (host.to_ascii_lowercase(), target))
}

/// Parses an optional port: `Some(None)` if there is none, `None` if it is invalid.
fn read_port(text: Option<&str>, none_is_fine: bool) -> Option<Option<u16>> {
    match text {
        Some(text) => text.parse().ok().map(Some),
        None => none_is_fine.then_some(None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn overrides(entries: &[&str]) -> (Overrides, Vec<String>) {
        let mut errors = Vec::new();
        let entries: Vec<String> = entries.iter().map(|&e| e.to_owned()).collect();
        (Overrides::read(&entries, &mut errors), errors)
    }

    #[test]
    fn names_suffixes_and_ports_are_parsed_and_the_longest_suffix_wins() {
        let (overrides, errors) =
            overrides(&["a.test:10.0.0.1", "A.test:10.0.0.2:81", "*.b.test:[::1]", "*.c.b.test:[::2]:8443"]);
        assert_eq!(errors, Vec::<String>::new());
        let of =
            |host: &str| overrides.addresses(host, 80).map(|all| all.iter().map(|a| a.to_string()).collect::<Vec<_>>());
        assert_eq!(of("a.test").unwrap(), ["10.0.0.1:80", "10.0.0.2:81"]);
        assert_eq!(of("x.b.test").unwrap(), ["[::1]:80"]);
        assert_eq!(of("x.c.b.test").unwrap(), ["[::2]:8443"]);
        assert_eq!(of("b.test"), None);
        assert_eq!(of("xb.test"), None);
    }

    #[test]
    fn every_invalid_entry_is_reported() {
        let wrong = [
            "",
            "a.test",
            "a.test:",
            "a.test:nowhere",
            "a.test:::1",
            "a.test:1.2.3.4:x",
            "a.test:1.2.3.4:65536",
            "a.test:[::1",
            "a.test:[::1]8080",
            ":1.2.3.4",
            "*:1.2.3.4",
            "*.:1.2.3.4",
            "a.*:1.2.3.4",
        ];
        let (_, errors) = overrides(&wrong);
        assert_eq!(errors.len(), wrong.len(), "{errors:#?}");
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,40}") {
            let mut errors = Vec::new();
            Overrides::read(&[text], &mut errors);
        }
    }
}
