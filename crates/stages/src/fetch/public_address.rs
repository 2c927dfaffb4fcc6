//! Which addresses are public.
//!
//! Sources: the IANA special-purpose address registries (RFC 6890 and its updates); RFC 6052 (NAT64), RFC 3056 (6to4),
//! RFC 4291 (IPv4-mapped).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

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
}
