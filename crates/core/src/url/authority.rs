//! The authority of a URL: host name or address, and the port if it is not the scheme's default; patterns of hosts in
//! settings; registrable domains; user information.

use std::borrow::Cow;

use ::url::Host;

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
pub(super) fn host_of(authority: &str) -> &str {
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

const WANTED: &str = "write a host as example.org, example.org:8080, 127.0.0.1, [::1] or *.example.org";

/// A pattern of hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HostPattern {
    /// This host at any port.
    Name(Box<str>),
    /// This host and port.
    Authority(Box<str>),
    /// All names with this ending (including its dot).
    Below(Box<str>),
}

impl HostPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(super) fn parse(written: &str) -> Result<Self, &'static str> {
        let (name, below) = written.trim().strip_prefix("*.").map_or((written.trim(), false), |name| (name, true));
        let host = host_of(name);
        let port = name[host.len()..].strip_prefix(':');
        let host = Host::parse(host.strip_suffix('.').unwrap_or(host)).map_err(|_| WANTED)?.to_string();
        match port {
            None if below => Ok(Self::Below(format!(".{host}").into())),
            None => Ok(Self::Name(host.into())),
            Some(port) if !below && port.parse::<u16>().is_ok() => Ok(Self::Authority(format!("{host}:{port}").into())),
            Some(_) => Err(WANTED),
        }
    }

    /// Returns whether the host with this authority matches.
    pub(super) fn matches(&self, authority: &str) -> bool {
        match self {
            Self::Name(name) => host_of(authority) == &**name,
            Self::Authority(wanted) => authority == &**wanted,
            Self::Below(ending) => host_of(authority).ends_with(&**ending),
        }
    }

    /// Returns whether a host can match both.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Below(ending), Self::Below(other)) => ending.ends_with(&**other) || other.ends_with(&**ending),
            (Self::Below(_), Self::Name(host) | Self::Authority(host)) => self.matches(host),
            (Self::Name(host) | Self::Authority(host), Self::Below(_)) => other.matches(host),
            (Self::Name(name), Self::Name(host) | Self::Authority(host))
            | (Self::Authority(host), Self::Name(name)) => host_of(host) == &**name,
            (Self::Authority(one), Self::Authority(other)) => one == other,
        }
    }
}

/// Returns the registrable domain of `host` (lower case, ASCII): `example.co.uk` for `www.example.co.uk`. Addresses,
/// single labels (`localhost`) and public suffixes are returned unchanged. Names below `localhost` are sites of their
/// own, as if `localhost` were a public suffix; so are names below any other top-level label that the list does not
/// contain.
pub fn registrable_domain(host: &str) -> &str {
    if is_address(host) {
        return host;
    }
    harvestman_domains::registrable(host).unwrap_or(host)
}

/// Returns whether `host` (lower case, ASCII) is a public suffix.
pub fn is_public_suffix(host: &str) -> bool {
    harvestman_domains::is_public_suffix(host)
}

/// Returns whether `host` is an IP address in the form of a canonical URL. Host names whose last label is a number are
/// not valid.
pub(super) fn is_address(host: &str) -> bool {
    host.starts_with('[')
        || host.rsplit('.').next().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether `host` is `ancestor` or a name below it.
pub(super) fn is_within(host: &str, ancestor: &str) -> bool {
    host.strip_suffix(ancestor).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns whether `host` is a single label that is not a top-level domain: a machine of the local network.
pub(super) fn is_local_label(host: &str) -> bool {
    !host.contains('.') && !is_address(host) && !harvestman_domains::is_listed(host)
}

/// Returns a text without the user information of the URL that it is.
pub fn without_user_info(url: &str) -> Cow<'_, str> {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| start + at);
    match url[start..end].rfind('@') {
        None => url.into(),
        Some(at) => format!("{}{}", &url[..start], &url[start + at + 1..]).into(),
    }
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
            assert_eq!(host_of(authority), name);
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

    #[test]
    fn the_registrable_domain_is_one_label_below_the_public_suffix() {
        for (host, domain) in [
            ("www.example.co.uk", "example.co.uk"),
            ("example.org", "example.org"),
            ("co.uk", "co.uk"),
            ("a.b.alice.github.io", "alice.github.io"),
            ("github.io", "github.io"),
            ("www.city.kawasaki.jp", "city.kawasaki.jp"),
            ("x.a.localhost", "a.localhost"),
            ("a.localhost", "a.localhost"),
            ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ] {
            assert_eq!(registrable_domain(host), domain);
        }
    }

    #[test]
    fn only_single_labels_outside_the_list_are_local() {
        assert!(is_local_label("localhost") && is_local_label("intranet"));
        assert!(!is_local_label("com") && !is_local_label("a.localhost") && !is_local_label("127.0.0.1"));
    }

    #[test]
    fn a_name_is_within_another_only_at_a_dot() {
        assert!(is_within("a.example.org", "example.org") && is_within("example.org", "example.org"));
        assert!(!is_within("badexample.org", "example.org") && !is_within("org", "example.org"));
    }

    #[test]
    fn only_user_information_is_removed() {
        for (url, without) in [
            ("http://user:pw@a.test/@", "http://a.test/@"),
            ("nats://user:p@w@a.test:4222", "nats://a.test:4222"),
            ("user:pw@a.test/x", "a.test/x"),
            ("https://a.test/?mail=x@y", "https://a.test/?mail=x@y"),
            ("https://a.test?mail=x@y", "https://a.test?mail=x@y"),
            ("https://[::1]:8/", "https://[::1]:8/"),
            ("", ""),
        ] {
            assert_eq!(without_user_info(url), without);
        }
    }
}
