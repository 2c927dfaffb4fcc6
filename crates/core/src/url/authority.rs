//! The authority of a canonical URL: host name or address, and the port if it is not the scheme's default.

/// Returns the start of the authority of a canonical URL: behind `https://` or `http://`.
pub(super) fn start(canonical: &str) -> usize {
    match canonical.as_bytes() {
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => 8,
        [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => 7,
        _ => 0,
    }
}

/// Returns the end of the authority of a canonical URL, where its path starts.
pub(super) fn end(canonical: &str) -> usize {
    let start = start(canonical);
    memchr::memchr(b'/', &canonical.as_bytes()[start..]).map_or(canonical.len(), |at| start + at)
}

/// Returns the authority of a canonical URL (`example.org`, `127.0.0.1:8101`, `[::1]:80`).
pub(super) fn of(canonical: &str) -> &str {
    &canonical[start(canonical)..end(canonical)]
}

/// Returns the host of an authority, without the port; IPv6 keeps its brackets.
pub(super) fn host(authority: &str) -> &str {
    match authority.rfind(':') {
        Some(at) if !authority[at..].contains(']') => &authority[..at],
        _ => authority,
    }
}

/// Returns whether the host parser of the URL standard and the canonical form certainly leave `host` unchanged:
/// lower-case labels of letters, digits and hyphens, the last one starting with a letter (otherwise it may be an
/// address), none in Punycode (which may be invalid).
pub(super) fn is_plain_host(host: &[u8]) -> bool {
    let mut label_start = 0;
    for (at, byte) in host.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' => {}
            b'.' if at > label_start => label_start = at + 1,
            _ => return false,
        }
        if *byte == b'-' && host[label_start..].starts_with(b"xn--") {
            return false;
        }
    }
    host.get(label_start).is_some_and(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authority_and_host_are_cut_out_of_a_canonical_url() {
        for (url, authority, name) in [
            ("https://example.org/a:b", "example.org", "example.org"),
            ("http://127.0.0.1:8101/", "127.0.0.1:8101", "127.0.0.1"),
            ("http://[::1]/", "[::1]", "[::1]"),
            ("http://[::1]:81/?u=http://x/", "[::1]:81", "[::1]"),
        ] {
            assert_eq!(of(url), authority);
            assert_eq!(host(authority), name);
        }
    }

    #[test]
    fn only_hosts_that_nothing_can_change_are_plain() {
        for plain in ["example.org", "a-b.c1.de", "localhost", "1.a", "a--b.de"] {
            assert!(is_plain_host(plain.as_bytes()), "{plain}");
        }
        for other in
            ["", "A.de", "127.0.0.1", "a.0x1", "a..b", ".a", "a.", "xn--a.de", "b.xn--a", "a_b.de", "[::1]", "a:80"]
        {
            assert!(!is_plain_host(other.as_bytes()), "{other}");
        }
    }
}
