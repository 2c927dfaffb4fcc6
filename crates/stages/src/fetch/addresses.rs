//! Addresses: which are public, and those configured for host names, which bypass the resolver (`--resolve HOST:ADDR`).
//!
//! Sources: the IANA special-purpose address registries (RFC 6890 and its updates); RFC 6052 (NAT64), RFC 3056 (6to4),
//! RFC 4291 (IPv4-mapped).

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Returns whether `address` is a globally reachable unicast address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127, ..)             // this network, private, loopback
            | (100, 64..=127, _)       // carrier-grade NAT
            | (169, 254, _)            // link-local, cloud metadata
            | (172, 16..=31, _)        // private
            | (192, 0, 0 | 2)          // protocol assignments, documentation
            | (192, 88, 99)            // 6to4 relays
            | (192, 168, _)            // private
            | (198, 18 | 19, _)        // benchmarking
            | (198, 51, 100)           // documentation
            | (203, 0, 113)            // documentation
            | (224..=255, ..) // multicast, reserved, broadcast
    )
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let s = address.segments();
    match s {
        // An address that embeds an IPv4 address is as public as that one.
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(v4_of(s[6], s[7])),
        [0x2002, high, low, ..] => is_public_v4(v4_of(high, low)),
        [0x2001, 0x0..=0x1ff, ..] => false, // protocol assignments: Teredo, ORCHID, benchmarking
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false, // documentation
        // Global unicast is 2000::/3 so far. Everything else is loopback, unique local, link-local, multicast or
        // unassigned.
        [first, ..] => first >> 13 == 1,
    }
}

const fn v4_of(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(((high as u32) << 16) | low as u32)
}

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

    #[test]
    fn first_and_last_address_of_every_special_block_are_refused_and_their_neighbours_are_not() {
        let blocks = [
            ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
            ("10.0.0.0", "10.255.255.255", Some("9.255.255.255"), Some("11.0.0.0")),
            ("100.64.0.0", "100.127.255.255", Some("100.63.255.255"), Some("100.128.0.0")),
            ("127.0.0.0", "127.255.255.255", Some("126.255.255.255"), Some("128.0.0.0")),
            ("169.254.0.0", "169.254.255.255", Some("169.253.255.255"), Some("169.255.0.0")),
            ("172.16.0.0", "172.31.255.255", Some("172.15.255.255"), Some("172.32.0.0")),
            ("192.0.0.0", "192.0.0.255", Some("191.255.255.255"), Some("192.0.1.0")),
            ("192.0.2.0", "192.0.2.255", Some("192.0.1.255"), Some("192.0.3.0")),
            ("192.168.0.0", "192.168.255.255", Some("192.167.255.255"), Some("192.169.0.0")),
            ("198.18.0.0", "198.19.255.255", Some("198.17.255.255"), Some("198.20.0.0")),
            ("198.51.100.0", "198.51.100.255", Some("198.51.99.255"), Some("198.51.101.0")),
            ("203.0.113.0", "203.0.113.255", Some("203.0.112.255"), Some("203.0.114.0")),
            ("224.0.0.0", "255.255.255.255", Some("223.255.255.255"), None),
            ("fc00::", "fdff:ffff::", None, None),
            ("fe80::", "febf:ffff::", None, None),
            ("ff00::", "ffff::", None, None),
            ("::", "::1", None, None),
            ("2001::", "2001:1ff:ffff::", Some("2000:ffff::"), Some("2001:200::")),
            ("2001:db8::", "2001:db8:ffff::", Some("2001:db7::"), Some("2001:db9::")),
            ("3fff::", "3fff:fff:ffff::", Some("3ffe:ffff::"), Some("3fff:1000::")),
        ];
        for (first, last, before, behind) in blocks {
            for inside in [first, last] {
                assert!(!is_public(inside.parse().unwrap()), "{inside}");
            }
            for outside in [before, behind].into_iter().flatten() {
                assert!(is_public(outside.parse().unwrap()), "{outside}");
            }
        }
    }

    #[test]
    fn an_embedded_ipv4_address_decides() {
        for (text, public) in [
            ("::ffff:127.0.0.1", false),
            ("::ffff:8.8.8.8", true),
            ("64:ff9b::a9fe:a9fe", false),
            ("64:ff9b::808:808", true),
            ("64:ff9b:1::808:808", false),
            ("2002:7f00:1::", false),
            ("2002:808:808::1", true),
            ("::7f00:1", false),
        ] {
            assert_eq!(is_public(text.parse().unwrap()), public, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_mapped_address_is_exactly_as_public_as_the_address_itself(bits: u32) {
            let v4 = Ipv4Addr::from_bits(bits);
            prop_assert_eq!(is_public(IpAddr::V6(v4.to_ipv6_mapped())), is_public(IpAddr::V4(v4)));
            // The standard library knows some of the special blocks; none of those may be public here.
            let special = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_broadcast()
                || v4.is_documentation() || v4.is_multicast() || v4.is_unspecified();
            prop_assert!(!(special && is_public(IpAddr::V4(v4))));
        }

        #[test]
        fn an_address_that_the_standard_library_calls_special_is_never_public(bits: u128) {
            let v6 = Ipv6Addr::from_bits(bits);
            let special = v6.is_loopback() || v6.is_multicast() || v6.is_unspecified()
                || v6.is_unique_local() || v6.is_unicast_link_local();
            prop_assert!(!(special && is_public(IpAddr::V6(v6))));
        }
    }

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
